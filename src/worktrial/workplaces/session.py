"""Session of one agent in a workplace, whoever plays it."""

from collections.abc import Callable, Coroutine, Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.workplaces.artifact import Workplace


class Origin(StrEnum):
    """Origin of an observation: who produced it."""

    REFUSAL = "refusal"  # the call never reached the workplace: unknown tool or invalid arguments
    SIMULATOR = "simulator"  # a language model
    LEDGER = "ledger"  # a repeated read of unchanged state, answered from the state ledger
    EXECUTABLE = "executable"  # the workplace's own Python functions
    RECORDED = "recorded"  # a recording of the work: its result of the call, or that it has none
    HUMAN = "human"  # a human who was asked for, in a fixed sentence
    FAULT = "fault"  # a fault on purpose; the workplace was not asked


class Observation(msgspec.Struct, frozen=True):
    """Observation that the agent sees after a call."""

    content: JsonObject
    origin: Origin
    exchange: Sequence[Message] = ()
    """Messages to and from the simulator for this call, for the trajectory record."""
    clean: JsonObject | None = None
    """Answer that the workplace really gave, when a fault made the agent see something else. None too when the
    workplace was never asked."""
    fault: str | None = None
    """The kind of fault that made `content` what it is; None for an observation as it came."""


class Session(Protocol):
    """One episode in a workplace. Calls run one after the other against one state."""

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call.

        A call that cannot be made (unknown tool, arguments that do not fit) is answered as an API would:
        with an error observation.

        Raises:
            InvalidSample: whoever plays the workplace cannot produce an observation.
        """
        ...

    @property
    def state(self) -> JsonObject | None:
        """The state as it is now; None where it lives only in a model's conversation."""
        ...


def refusal(workplace: Workplace, tool: str, arguments: JsonValue) -> Observation | None:
    """The error observation for a call that cannot be made, or None when it can."""
    known = workplace.tool(tool)
    if known is None:
        names = ", ".join(t.name for t in workplace.tools)
        error: JsonObject = {
            "type": "unknown_tool",
            "message": f"There is no tool {tool!r}. Available: {names}.",
        }
        return Observation({"error": error}, Origin.REFUSAL)
    problems = known.problems(arguments)
    if not problems:
        return None
    said = "; ".join(f"{p['argument']}: {p['problem']}" for p in problems)
    error = {"type": "invalid_arguments", "message": f"{tool}: {said}", "details": problems}
    return Observation({"error": error}, Origin.REFUSAL)


T = TypeVar("T")


def at_once(call: Coroutine[Any, Any, T]) -> T:
    """Result of a call to a session that never waits, without an event loop.

    Raises:
        RuntimeError: it waits for somebody.
    """
    try:
        call.send(None)
    except StopIteration as e:
        result: T = e.value
        return result
    call.close()
    raise RuntimeError("the session waits for somebody")


@runtime_checkable
class Restorable(Protocol):
    """A session whose state can be set: one that keeps it outside a model's conversation."""

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`, as if the calls so far had led there.

        Raises:
            ValueError: the workplace cannot be in this state.
        """
        ...


@runtime_checkable
class Revertible(Protocol):
    """A session that can forget calls, so that nothing of them is in any prompt."""

    def mark(self) -> Callable[[], None]:
        """A way back to where the session is now, its memory included."""
        ...
