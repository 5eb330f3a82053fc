"""Times of what a sample does, for whoever watches a run: no record holds when a thing began."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from worktrial.engine.roles import RoleName
from worktrial.language import Complete, Completion, JsonObject, JsonValue, Message
from worktrial.workplaces import Observation, Session


@dataclass(frozen=True, slots=True)
class TimedRequest:
    """One question to a model, from the moment it was asked; moments are nanoseconds since 1970."""

    role: RoleName
    began: int
    ended: int
    completion: Completion | None
    """Answer; None where there was none."""
    error: str = ""
    """Class of what was raised in its place."""
    messages: Sequence[Message] = ()
    """Conversation up to there, where content is kept."""


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One call in the workplace; moments as in `TimedRequest`."""

    began: int
    ended: int
    tool: str
    arguments: JsonValue
    observation: Observation | None
    """Answer as the agent was shown it; None where the call broke off."""
    error: str = ""
    """Class of what was raised in its place."""


@dataclass(slots=True)
class SampleTimes:
    """Times of one sample, as they pass."""

    keeps_content: bool = False
    """Whether conversations are kept, not only their answers."""
    began: int = field(default_factory=time.time_ns)
    work: tuple[int, int] | None = None
    """Beginning and end of the agent's work; None where nobody worked, or not in a workplace."""
    requests: list[TimedRequest] = field(default_factory=list)
    calls: list[TimedCall] = field(default_factory=list)


current: ContextVar[SampleTimes | None] = ContextVar("times of the sample", default=None)
"""Times of the sample that runs here; None where nobody watches."""


class _HasSession(Protocol):
    session: Session


@contextmanager
def work_timed(assignment: _HasSession) -> Iterator[None]:
    """Note when the work on `assignment` begins and ends, and each call in it; where nobody watches, nothing."""
    times = current.get()
    if times is None:
        yield
        return
    session, began = assignment.session, time.time_ns()
    assignment.session = TimedSession(session, times)
    try:
        yield
    finally:
        assignment.session = session
        times.work = began, time.time_ns()


class TimedSession:
    """A session that notes when its calls begin and end; in all else the one that it is made of."""

    def __init__(self, session: Session, times: SampleTimes) -> None:
        self._session = session
        self._times = times

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Make the call; see `Session`."""
        began, seen, error = time.time_ns(), None, ""
        try:
            seen = await self._session.call(tool, arguments)
            return seen
        except BaseException as e:
            error = type(e).__name__
            raise
        finally:
            self._times.calls.append(TimedCall(began, time.time_ns(), tool, arguments, seen, error))

    @property
    def state(self) -> JsonObject | None:
        """State as it is now; see `Session`."""
        return self._session.state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)


@dataclass(frozen=True, slots=True)
class TimedModel:
    """A model that notes when it is asked and when it has answered."""

    model: Complete
    role: RoleName
    times: SampleTimes

    async def __call__(self, messages: Sequence[Message], **asked: Any) -> Completion:
        """Answer `messages`; see `worktrial.language.Complete`."""
        told = tuple(messages) if self.times.keeps_content else ()
        began, completion, error = time.time_ns(), None, ""
        try:
            completion = await self.model(messages, **asked)
            return completion
        except BaseException as e:
            error = type(e).__name__
            raise
        finally:
            self.times.requests.append(TimedRequest(self.role, began, time.time_ns(), completion, error, told))
