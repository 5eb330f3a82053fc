"""An assignment, which is what an agent is given, and the shape of an agent."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

from worktrial.agents.context import ContextKeeping
from worktrial.agents.printed import out_loud
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Observation, Session, StopReason, ToolCall, Trajectory

# No task needs nearly as many; an agent in a loop of its own would fill the memory.
MOST_CALLS = 10_000
"""Most tool calls of one sample."""
_ENDED = "the work has ended: no more calls are made"


class Unstorable(ValueError):
    """Something that an agent says and nobody can put on record: it is no text, or no JSON."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits at which an agent's work ends though it has not answered. None is unbounded.

    All are looked at between turns, so the last turn may overshoot.
    """

    turns: int | None = 60
    """Assistant messages."""
    tokens: int | None = None
    """Input and output tokens of the agent."""
    seconds: float | None = None
    cost: float | None = None
    """US dollars of the whole sample, all roles."""


@dataclass(slots=True)
class Assignment:
    """One task as the agent sees it, and the record of what it does."""

    instruction: str
    clock: str
    """The date and time in the workplace, ISO 8601."""
    tools: list[JsonObject]
    """Tools of the workplace, in the chat-completions form."""
    session: Session
    limits: Limits = Limits()
    context: ContextKeeping = field(default_factory=ContextKeeping)
    """Rule by which a model's conversation is kept within what the model can hold."""
    tokens: Callable[[], int] = lambda: 0
    """Function that tells the agent's tokens so far, in and out."""
    cost: Callable[[], float] = lambda: 0.0
    fault_of: Callable[[str], str] = lambda answer: ""
    """Function that tells why an answer is asked for again, once; "" where it is taken."""
    plan: JsonValue = None
    """The task's structured solution plan, for the agent that follows it."""
    reads: frozenset[str] = frozenset()
    """Names of the tools that change nothing, where that is known; for agents that follow a plan."""
    system_prompt: str | None = None
    """Text that a model is told before the instruction; None for what every agent in a workplace is told."""
    take_pictures: Callable[[], list[str]] = list
    """Pictures that belong to the instruction, and later to the calls made since it was asked last, as `data:`
    addresses; for agents that see. Each is handed out once."""
    trajectory: Trajectory = field(default_factory=Trajectory)
    """Grows as the work goes on, so that it can be shown even if the work breaks off."""
    _started: float = field(default_factory=time.monotonic)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _loop: asyncio.AbstractEventLoop | None = None
    _closed: bool = False

    async def call(self, tool: str, arguments: JsonValue) -> JsonObject:
        """Make one tool call in the workplace and put it on record; returns what the agent sees.

        Calls made at the same time are carried out one after the other, in the order in which they were made.

        Raises:
            Unstorable: the tool's name is no text, or the arguments are no JSON.
            RuntimeError: the work has ended.
        """
        if self._closed:
            raise RuntimeError(_ENDED)
        if not isinstance(tool, str):
            raise Unstorable(f"the tool's name has to be a text, not {type(tool).__name__}")
        # Copies, so that an agent of the user's own that goes on using either object cannot alter the record.
        tool, given = _copy([tool, arguments])
        async with self._one_at_a_time:
            started = time.monotonic()
            with out_loud():
                observation = await self.session.call(tool, given)
            self.record(tool, given, observation, time.monotonic() - started)
        seen: JsonObject = _copy(observation.content)
        return seen

    def call_sync(self, tool: str, arguments: JsonValue) -> JsonObject:
        """Make one tool call and wait for its answer, in any thread but the event loop's; see `call`.

        Raises:
            Unstorable: the tool's name is no text, or the arguments are no JSON.
            RuntimeError: the work has ended, or waiting would keep the event loop from turning.
        """
        if self._closed or self._loop is None:
            raise RuntimeError(_ENDED)
        if _running_loop() is self._loop:
            raise RuntimeError("call_sync waits, and would keep the event loop from turning: await call(…) here")
        return asyncio.run_coroutine_threadsafe(self.call(tool, arguments), self._loop).result()

    def open_to_threads(self) -> None:
        """Let `call_sync` reach the loop that runs now; for whoever starts an agent."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """Refuse further calls, of tasks and threads that do not know that the work is over."""
        self._closed = True

    def record(self, tool: str, arguments: JsonValue, observation: Observation, seconds: float = 0.0) -> None:
        """Put a call on record that never reached the workplace, or has been made already."""
        calls = self.trajectory.calls
        turn = max(0, self.trajectory.turns - 1)
        calls.append(ToolCall(len(calls), turn, tool, arguments, observation, round(seconds, 4)))

    def limit_hit(self) -> StopReason | None:
        """The limit that ends the work now, if any."""
        limits = self.limits
        if limits.turns is not None and self.trajectory.turns >= limits.turns:
            return StopReason.TURN_LIMIT
        if len(self.trajectory.calls) >= MOST_CALLS:
            return StopReason.TURN_LIMIT
        if limits.tokens is not None and self.tokens() >= limits.tokens:
            return StopReason.TOKEN_LIMIT
        if limits.seconds is not None and time.monotonic() - self._started >= limits.seconds:
            return StopReason.TIME_LIMIT
        if limits.cost is not None and self.cost() >= limits.cost:
            return StopReason.COST_LIMIT
        return None


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def storable(answer: object) -> str:
    """`answer`, where it is a text that can be put on record.

    Raises:
        Unstorable: it is none.
    """
    if not isinstance(answer, str):
        raise Unstorable(f"the answer has to be a string, not {type(answer).__name__}")
    try:
        # A plain string, whatever kind of string a framework makes.
        return answer.encode().decode()
    except UnicodeEncodeError as e:
        raise Unstorable(f"the answer is no text: {e}") from None


def _plain(value: object) -> str:
    """Strings of a framework's own kind."""
    if isinstance(value, str):
        return str.__str__(value)
    raise TypeError(f"{type(value).__name__} is none")


def _copy(value: JsonValue) -> JsonValue:
    try:
        return msgspec.json.decode(msgspec.json.encode(value, enc_hook=_plain))
    except (TypeError, ValueError, OverflowError, RecursionError) as e:
        raise Unstorable(f"not JSON: {e}") from e


class Agent(Protocol):
    """A candidate. Works on `assignment` and leaves its trajectory there."""

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`."""
        ...
