"""Changes of a workplace's state, call by call: the calls on record are carried out once more.

A run keeps the state at its end alone. Where code plays the workplace, the same calls lead through the same states,
faults included, so the states in between need not be stored.
"""

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import msgspec
from msgspec import UNSET, UnsetType

from worktrial.errors import WorktrialError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.duties.human import REQUEST_HUMAN
from worktrial.workplaces.duties.session import is_refused_by_policy
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.executable.inside import difference, with_difference
from worktrial.workplaces.faults import Position
from worktrial.workplaces.faults.content import ABSENT, differ, differences
from worktrial.workplaces.session import Session
from worktrial.workplaces.trajectory import ToolCall

Reopen = Callable[[str, str, Callable[[], Position]], "ReopenedSession"]
"""Function from a task, a condition and where the next call stands to the session as it began.

It raises `WorktrialError` where there is none any more.
"""

MOST_BYTES = 300_000_000
"""States that one trajectory may read, in bytes: calls by the size of the state. What comes after is not told."""


class RetracedChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place in a workplace's state that a call changed."""

    path: str
    """JSON pointer."""
    before: JsonValue | UnsetType = UNSET
    """Value before the call; left out where there was none."""
    after: JsonValue | UnsetType = UNSET
    """Value after it; left out where there is none any more."""


class RetracedCalls(msgspec.Struct, frozen=True):
    """Changes of the state by a trajectory's calls."""

    calls: dict[int, list[RetracedChange]] = {}
    """Index of a call to what it changed; calls that changed nothing are left out."""
    stopped: str = ""
    """Why the rest is not known, or nothing is; "" where all is."""


@dataclass(frozen=True)
class ReopenedSession:
    """A session in which the calls of one sample can be made again, as it began."""

    session: Session
    """Workplace with its faults, without policy and human: what these answered never reached it."""
    finish: Callable[[], None] = lambda: None
    """Function that does what happens after the agent's last call."""
    aside: Collection[str] = ()
    """JSON pointers of what in the state is not told, such as a list of the calls themselves."""


@dataclass(frozen=True)
class Retracing:
    """Means to tell what each stored call of a run changed."""

    reopen: Reopen
    is_cheap: bool
    """Whether states are so small, and calls so quick, that a report does it for all samples."""

    def changes(self, line: bytes) -> RetracedCalls | None:
        """Changes by the calls of a stored trajectory; None where it holds no calls.

        Nothing is told of a workplace that is no longer the one that the agent met: from the first call on that is
        answered otherwise than on record, or at all where the work ends in another state.

        Args:
            line: JSON of the trajectory, as it is stored.
        """
        try:
            work = _WORK.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as e:
            return RetracedCalls(stopped=f"the trajectory has a shape that cannot be done again: {e}")
        if not work.calls:
            return None
        at = [Position(0, 0)]
        try:
            reopened = self.reopen(work.sample, work.condition, lambda: at[-1])
            # In a thread of its own: whoever asks may have an event loop, and code that is locked in uses another.
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(asyncio.run, _retraced(work, reopened, at)).result()
        except WorktrialError as e:
            return RetracedCalls(stopped=str(e))


class _StoredWork(msgspec.Struct):
    sample: str
    condition: str = "E0"
    calls: list[ToolCall] = []
    final_state: JsonObject | None = None


_WORK = msgspec.json.Decoder(_StoredWork)


async def _retraced(work: _StoredWork, reopened: ReopenedSession, at: list[Position]) -> RetracedCalls:
    session = reopened.session
    known = _state(session)
    now = encode(known)
    found: dict[int, list[RetracedChange]] = {}
    stopped, read = "", len(now)
    for call in work.calls:
        if call.tool == REQUEST_HUMAN.name or is_refused_by_policy(call.observation):
            continue
        at[-1] = Position(call.index, call.turn)
        answer = await session.call(call.tool, call.arguments)
        if differ(answer.content, call.observation.content):
            stopped = f"done again, call {call.index + 1} is answered otherwise than on record: {_CHANGED}"
            break
        before, state_before = now, known
        now = encode(_state(session))
        if now != before:
            known = with_difference(state_before, difference(before, now))
            if changes := _changes(state_before, known, reopened.aside):
                found[call.index] = changes
        read += len(now)
        if read > MOST_BYTES:
            stopped = f"call {call.index + 1} is the last whose state was looked at: there are too many"
            break
    if not stopped and work.final_state is not None and differ(known, work.final_state):
        reopened.finish()
        if differ(_state(session), work.final_state):
            return RetracedCalls(stopped=f"done again, the work ends in another state than on record: {_CHANGED}")
    return RetracedCalls(found, stopped)


_CHANGED = "the workplace is not what it was, or a call of then is not on record"


def _state(session: Session) -> JsonObject:
    state = session.state
    assert state is not None, "a workplace of code has a state"
    return state


def _changes(before: JsonObject, after: JsonObject, aside: Collection[str]) -> list[RetracedChange]:
    return [
        RetracedChange(
            one.pointer,
            UNSET if one.before is ABSENT else one.before,
            UNSET if one.after is ABSENT else one.after,
        )
        for one in differences(before, after, aligned=True)
        if not any(f"{one.pointer}/".startswith(f"{place}/") for place in aside)
    ]
