"""An assignment, which is what an agent is given, and the shape of an agent."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec

from worktrial.agents.context import ContextKeeping
from worktrial.agents.printed import out_loud
from worktrial.language import JsonObject, JsonValue, Usage
from worktrial.outside.budget import JsonBudget
from worktrial.workplaces import Observation, Origin, Session, StopReason, ToolCall, Trajectory

# No task needs nearly as many; an agent in a loop of its own would fill the memory.
MOST_CALLS = 10_000
"""Most tool calls of one sample."""
MOST_BYTES = 16 << 20
"""Most bytes of all arguments and answers of one sample, as the agent wrote them."""
_MOST_VALUES = 500_000
_NAME = 100  # characters of a tool's name where the call is not made
_ENDED = "the work has ended: no more calls are made"


class Unstorable(ValueError):
    """Something that an agent says and nobody can put on record: it is no text, or no JSON."""


class NotTaken(ValueError):
    """An answer that the agent is to give again, once; the message says why."""


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
    book: Callable[[Usage, float | None], None] = lambda usage, cost: None
    """Puts on record what an agent has spent that asks its models itself: tokens, and US dollars where known."""
    workspace: Path | None = None
    """Folder of files that the agent may read with tools of its own; None where it is given none."""
    fault_of: Callable[[str], str] = lambda answer: ""
    """Function that tells what is wrong with an answer; "" where it is taken. See `offer`."""
    system_prompt: str | None = None
    """Text that a model is told before the instruction; None for what every agent in a workplace is told."""
    take_pictures: Callable[[], list[str]] = list
    """Pictures that belong to the instruction, and later to the calls made since it was asked last, as `data:`
    addresses; for agents that see. Each is handed out once."""
    trajectory: Trajectory = field(default_factory=Trajectory)
    """Grows as the work goes on, so that it can be shown even if the work breaks off."""
    budget: JsonBudget = field(default_factory=lambda: JsonBudget(MOST_BYTES, _MOST_VALUES))
    """Bytes and values that the agent may still write, in whatever way it works."""
    _started: float = field(default_factory=time.monotonic)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _loop: asyncio.AbstractEventLoop | None = None
    _closed: bool = False
    _has_asked_again: bool = False

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
        text = _text([tool, arguments])
        if not self.budget.take(text):
            return self.refuse_size(tool[:_NAME])
        tool, given = msgspec.json.decode(text)
        async with self._one_at_a_time:
            started = time.monotonic()
            with out_loud():
                observation = await self.session.call(tool, given)
            self.record(tool, given, observation, time.monotonic() - started)
        seen: JsonObject = msgspec.json.decode(_text(observation.content))
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

    def refuse_size(self, tool: str) -> JsonObject:
        """Put a call on record that is too large to be made, without its arguments; returns what the agent sees."""
        message = f"not made: all that is written in one piece of work has at most {MOST_BYTES:,} bytes"
        content: JsonObject = {"error": {"type": "too_large", "message": f"{message} and {_MOST_VALUES:,} values"}}
        self.record(tool, None, Observation(content, Origin.REFUSAL))
        return content

    def record(self, tool: str, arguments: JsonValue, observation: Observation, seconds: float = 0.0) -> None:
        """Put a call on record that never reached the workplace, or has been made already."""
        calls = self.trajectory.calls
        turn = max(0, self.trajectory.turns - 1)
        calls.append(ToolCall(len(calls), turn, tool, arguments, observation, round(seconds, 4)))

    def offer(self, answer: str) -> None:
        """Hand in an answer that could still be given again; each agent is asked again once, whatever its door.

        Raises:
            NotTaken: it is to be given again.
        """
        if not self._has_asked_again and (fault := self.fault_of(answer)):
            self._has_asked_again = True
            raise NotTaken(f"Your answer is not taken: {fault}. Please answer again.")

    def limit_hit(self) -> StopReason | None:
        """The limit that ends the work now, if any."""
        limits = self.limits
        if limits.turns is not None and self.trajectory.turns >= limits.turns:
            return StopReason.TURN_LIMIT
        if len(self.trajectory.calls) >= MOST_CALLS:
            return StopReason.TURN_LIMIT
        if self.budget.is_spent:
            return StopReason.TOKEN_LIMIT
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


def _text(value: JsonValue) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except (TypeError, ValueError, OverflowError, RecursionError) as e:
        raise Unstorable(f"not JSON: {e}") from e


@dataclass(frozen=True, slots=True)
class Solution:
    """A task's solution, as reference agents are handed it; no other agent ever is."""

    plan: Any = None
    """A `Plan`, or a bare list of calls; None where the task has none."""
    reads: frozenset[str] = frozenset()
    """Names of the tools that change nothing, where that is known."""


NO_SOLUTION = Solution()


class Agent(Protocol):
    """A candidate. Works on `assignment` and leaves its trajectory there."""

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`."""
        ...
