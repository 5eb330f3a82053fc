"""Solution plans that are a bare list of calls, as `worktrial synthesize` writes them."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from worktrial.agents.calling import call_through, json_of
from worktrial.language import JsonValue
from worktrial.workplaces.session import Session
from worktrial.workplaces.trajectory import StopReason, Trajectory


class PlannedCall(BaseModel):
    """One call; the arguments are meant as they stand."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: Annotated[str, Field(min_length=1)]
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    why: str = ""


_CALLS: TypeAdapter[list[PlannedCall]] = TypeAdapter(Annotated[list[PlannedCall], Field(min_length=1)])


def read_calls(value: JsonValue) -> list[PlannedCall]:
    """The calls in `value`.

    Raises:
        pydantic.ValidationError: it is no list of calls, or an empty one.
    """
    return _CALLS.validate_python(value)


async def carry_out_calls(calls: list[PlannedCall], session: Session, trajectory: Trajectory) -> None:
    """Make the calls in order. The list has no answer of its own, so the answer reports what came back."""
    lines = ["Every call of the plan was made:"]
    for number, call in enumerate(calls, 1):
        content = await call_through(call.tool, call.arguments, session, trajectory)
        lines.append(f"{number}. {call.tool} {json_of(call.arguments)}: {json_of(content)}")
    trajectory.answer = "\n".join(lines)
    trajectory.messages.append({"role": "assistant", "content": trajectory.answer})
    trajectory.stop_reason = StopReason.ANSWERED
    trajectory.turns += 1
