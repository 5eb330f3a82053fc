"""Example outputs that contradict the state they are about."""

import json
import re
from collections.abc import Iterable, Iterator

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.lint.hazard import Finding, listed
from worktrial.workplaces.tools import Tool

_ID = re.compile(r"(?:^|_)id$")


def clashing_examples(tools: Iterable[Tool], state: JsonObject) -> Finding | None:
    """The tools whose example output shows things that the state does not hold, as one finding.

    An example clashes when it shows a text under a name that is a field of the state too, or under the name of
    an identifier (`id`, `…_id`), and that text occurs nowhere in the state: a simulator that leans on the
    example speaks of a patient, an order or a status that is not there. Numbers and booleans are left out,
    since they change as work goes on. Names count as fields of the state where they hold a single value.
    """
    fields = {name for name, _ in _leaves(state)}
    held = json.dumps(state, ensure_ascii=False)
    clashes: list[str] = []
    for tool in tools:
        strange = [
            f"{name} {value!r}"
            for name, value in _leaves(tool.example_output)
            if isinstance(value, str) and (name in fields or _ID.search(name)) and _written(value) not in held
        ]
        if strange:
            clashes.append(f"{tool.name} ({strange[0]})")
    if not clashes:
        return None
    return Finding(
        "tools",
        f"example outputs show what the initial state does not hold: {listed(clashes)}",
        "Take the examples from the initial state, or mark them as shapes only",
    )


def _leaves(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Name and value of every field, at any depth, that holds neither an object nor a list."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, dict | list):
                yield from _leaves(inner)
            else:
                yield name, inner
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)


def _written(text: str) -> str:
    """`text` as it stands between the quotes of a JSON document."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
