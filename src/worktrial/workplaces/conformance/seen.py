"""A call as a reader of the record sees it."""

from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.session import Origin


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One call and what whoever plays the workplace answered, which need not even be an object."""

    index: int
    tool: str
    arguments: JsonValue
    content: JsonValue
    origin: Origin = Origin.SIMULATOR
    state: JsonObject | None = None
    """The state when the call was made, where it is kept outside a model's conversation."""


def stored_calls(line: Mapping[str, JsonValue]) -> list[SeenCall]:
    """The calls of one line of `trajectories.jsonl`.

    Where a fault degraded an observation, this is what the workplace had answered before; an explicit fault,
    of which the workplace never knew, is left out.
    """
    calls = []
    for number, call in enumerate(line.get("calls") or []):
        observation = call.get("observation")
        told = observation if isinstance(observation, dict) else {"content": observation}
        content = told.get("content")
        if told.get("fault") is not None:
            content = told.get("clean")
            if content is None:
                continue
        calls.append(
            SeenCall(
                index=call.get("index", number),
                tool=str(call.get("tool")),
                arguments=call.get("arguments"),
                content=content,
                origin=Origin(told.get("origin", Origin.SIMULATOR)),
            )
        )
    return calls
