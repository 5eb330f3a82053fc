"""An episode that is driven from outside: an agent whose work is done by whoever holds it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from worktrial.agents.assignment import Assignment, Limits, Unstorable, storable
from worktrial.engine.record import Key, SampleResult
from worktrial.errors import InvalidReason, InvalidSample, WorktrialError
from worktrial.grading import Outcome, Verdict
from worktrial.language import JsonObject, JsonValue, visible
from worktrial.workplaces import StopReason, ToolCall

IDLE_SECONDS = 600.0

_T = TypeVar("_T")
_Order = Callable[[Assignment], Awaitable[bool]]


class AnsweredBy(StrEnum):
    """Way in which the final answer of an episode came."""

    TOOL = "tool"  # the agent called the tool that ends the work
    DRIVER = "driver"  # whoever drives the agent handed on what it said


class EpisodeOver(WorktrialError):
    """Nothing more can be done in an episode: it was finished, given up, or ended by a limit."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Answer to one call, as the agent sees it."""

    content: JsonObject
    """The observation."""

    @property
    def text(self) -> str:
        """The observation as compact JSON, as every agent of ours is shown it."""
        return msgspec.json.encode(self.content).decode()

    @property
    def is_error(self) -> bool:
        """Whether the call came to nothing, or says that it did."""
        return "error" in self.content


class Episode:
    """One sample's work, done call by call from outside the engine.

    The engine takes it for an agent: limits, faults, record, checks and votes are those of any other. Calls are
    carried out one after the other, in the order in which they were made; one that whoever made it no longer waits
    for is carried out and recorded all the same. Of the limits those of time and cost bind, and end the work, which
    is then judged as it stands. An episode in which nothing is asked for a while, or that is abandoned, is
    `invalid`.

    Args:
        key: Task, repeat and condition.
        idle_seconds: Seconds without a call after which the episode counts as abandoned; None waits for ever.
    """

    def __init__(self, key: Key, *, idle_seconds: float | None = IDLE_SECONDS) -> None:
        self.key = key
        self.result: SampleResult | None = None
        """Everything that the suite says about the work, checks included; None until it is judged."""
        self.leave_out: Callable[[float], None] = lambda seconds: None
        """Leaves seconds out of the sample's time, such as a pause; fewer than 0 are added."""
        self._idle = idle_seconds
        self._assignment: Assignment | None = None
        self._orders: asyncio.Queue[_Order] = asyncio.Queue()
        self._waits_for_orders: asyncio.Timeout | None = None
        self._asked_at = 0.0
        self._opened = asyncio.Event()
        self._judged = asyncio.Event()
        self._ended = ""
        self._broken: BaseException | None = None

    @property
    def instruction(self) -> str:
        """Text that says what to do."""
        return self._work.instruction

    @property
    def clock(self) -> str:
        """Date and time at the workplace, ISO 8601; "" where there is none."""
        return self._work.clock

    @property
    def tools(self) -> Sequence[JsonObject]:
        """Tools of the workplace, in the chat-completions form."""
        return self._work.tools

    @property
    def limits(self) -> Limits:
        """Limits at which the work ends; those of turns and tokens are the driver's own to keep."""
        return self._work.limits

    @property
    def system_prompt(self) -> str | None:
        """Text that a model is told before the instruction, where the suite has words of its own; else None."""
        return self._work.system_prompt

    @property
    def calls(self) -> int:
        """Calls made so far."""
        return 0 if self._assignment is None else len(self._assignment.trajectory.calls)

    @property
    def log(self) -> Sequence[ToolCall]:
        """Calls made so far, with what came of them; what the agent saw is the observation's content."""
        return () if self._assignment is None else self._assignment.trajectory.calls

    @property
    def repeats_itself(self) -> bool:
        """Whether the same calls bring the same answers: code plays the workplace."""
        return getattr(self._work.session, "never_waits", False)

    def keep_notes(self, text: str) -> None:
        """Put on record what the agent notes for itself, in place of earlier notes.

        Raises:
            Unstorable: it is no text that can be stored.
            EpisodeOver: the workplace is not ready yet.
        """
        self._work.trajectory.notes = storable(text)

    @property
    def is_over(self) -> bool:
        """Whether no more calls are taken: the work is done, and is judged or about to be."""
        return bool(self._ended)

    @property
    def ended(self) -> str:
        """Half a sentence on why no more calls are taken; "" while they are."""
        return self._ended

    async def call(self, tool: str, arguments: JsonValue) -> Seen:
        """Make one tool call in the workplace.

        Raises:
            Unstorable: the name is no text, or the arguments are no JSON; nothing was called.
            EpisodeOver: no more calls are taken, or this one ended the episode: a limit was reached, or whoever
                plays the workplace failed.
        """
        if self._can_call_at_once():
            return self._call_at_once(tool, arguments)
        return await self._ask(lambda assignment: assignment.call(tool, arguments), Seen)

    def _can_call_at_once(self) -> bool:
        """Whether nobody else is being served, and the workplace answers without waiting for anything."""
        waits = self._waits_for_orders
        return (
            waits is not None
            and not waits.expired()
            and not self._ended
            and self._orders.empty()
            and self.repeats_itself
        )

    def _call_at_once(self, tool: str, arguments: JsonValue) -> Seen:
        """Make a call without handing it over to the engine's side, which costs more than most calls.

        What breaks off goes over there all the same, for that is where an episode ends.
        """
        assignment = self._work
        call = assignment.call(tool, arguments)
        try:
            call.send(None)
        except StopIteration as done:
            # Whoever waits for orders looks at it when the time is up: to move the alarm costs more.
            self._asked_at = asyncio.get_running_loop().time()
            if assignment.limit_hit() is not None:
                self._orders.put_nowait(_look_at_limits)
            return Seen(done.value)
        except Unstorable:
            raise
        except BaseException as e:  # noqa: BLE001 - raised on the engine's side
            self._orders.put_nowait(_raising(e))
            raise EpisodeOver(f"the episode is over: {type(e).__name__}: {e}") from None
        call.close()
        raise RuntimeError(f"{type(assignment.session).__name__} waits, and says that it never does")

    async def finish(self, answer: str, by: AnsweredBy = AnsweredBy.DRIVER) -> Verdict:
        """End the work with its final answer, and have it judged.

        Args:
            answer: What the agent says at the end; "" is an empty answer.
            by: Way in which it came, for the record.

        Raises:
            Unstorable: the answer is no text that can be stored.
            NotTaken: it is to be given again; the work goes on.
            EpisodeOver: the work has ended already.
            WorktrialError: the whole run ended before there was a verdict.
        """
        self.end(answer, by)
        return await self.verdict()

    def end(self, answer: str, by: AnsweredBy = AnsweredBy.DRIVER, *, is_last: bool = False) -> None:
        """End the work with its final answer, and do not wait for the verdict; see `finish`.

        Args:
            answer: What the agent says at the end.
            by: Way in which it came.
            is_last: Whether the agent is gone, and could not answer again.

        Raises:
            Unstorable: the answer is no text that can be stored.
            NotTaken: it is to be given again; the work goes on.
            EpisodeOver: the work has ended already.
        """
        answer = storable(answer)
        if self._assignment is not None and not self._ended and not is_last:
            self._assignment.offer(visible(answer))

        async def answered(assignment: Assignment) -> bool:
            trajectory = assignment.trajectory
            # Whoever hands on what a model said may well hand on what it thought aloud.
            trajectory.answer = visible(answer)
            trajectory.answered_by = by.value
            trajectory.stop_reason = StopReason.ANSWERED if trajectory.answer.strip() else StopReason.EMPTY_ANSWER
            return True

        self._last_order(answered, "the work has been finished")

    async def abandon(self, reason: str, kind: InvalidReason = InvalidReason.ABANDONED) -> None:
        """Give the episode up; it is `invalid`, because nobody knows what the agent would have done.

        Args:
            reason: Words for the record; one line.
            kind: Kind of the reason.

        Raises:
            EpisodeOver: the work has ended already.
            WorktrialError: the whole run ended meanwhile.
        """
        said = " ".join(reason.encode(errors="replace").decode().split())[:500] or "no reason given"

        async def abandoned(assignment: Assignment) -> bool:
            raise InvalidSample(kind, said)

        self._last_order(abandoned, "the work has been abandoned")
        await self.verdict()

    async def verdict(self) -> Verdict:
        """The verdict, when there is one.

        Raises:
            WorktrialError: the whole run ended before there was.
        """
        await self._judged.wait()
        if self.result is None:
            raise EpisodeOver(f"no verdict: {self._ended}") from self._broken
        return verdict_of(self.result)

    async def opened(self) -> None:
        """Wait until the workplace is ready.

        Raises:
            EpisodeOver: it could not be set up.
        """
        await self._opened.wait()
        if self._assignment is None:
            raise EpisodeOver(self._why_over())

    async def __call__(self, assignment: Assignment) -> None:
        """Do on `assignment` what is asked for; the engine's side of the episode.

        Raises:
            InvalidSample: the episode was abandoned, or whoever plays the workplace failed.
        """
        self._assignment = assignment
        self._asked_at = asyncio.get_running_loop().time()
        self._opened.set()
        limit = asyncio.timeout(assignment.limits.seconds)
        try:
            async with limit:
                await self._work_off(assignment)
        except TimeoutError:
            if not limit.expired():
                raise
            assignment.trajectory.stop_reason = StopReason.TIME_LIMIT
            self._ended = self._ended or f"a limit ended the work: {StopReason.TIME_LIMIT.value}"
        except BaseException as e:
            self._ended = self._ended or f"{type(e).__name__}: {e}"
            raise
        finally:
            self._refuse_rest()

    async def _work_off(self, assignment: Assignment) -> None:
        trajectory = assignment.trajectory
        while True:
            hit = assignment.limit_hit()
            # An answer that is there already counts, as it does for a model that reaches a limit with it.
            if hit is not None and not self._ended:
                trajectory.stop_reason = hit
                self._ended = f"a limit ended the work: {hit.value}"
                return
            idle = asyncio.timeout_at(None if self._idle is None else self._asked_at + self._idle)
            try:
                async with idle:
                    self._waits_for_orders = idle
                    order = await self._orders.get()
            except TimeoutError:
                # The limit of the whole work may be the one that struck.
                if not idle.expired():
                    raise
                if self._idle is None or self._asked_at + self._idle > asyncio.get_running_loop().time():
                    continue
                self._ended = f"nothing was asked for {self._idle:g} seconds"
                raise InvalidSample(InvalidReason.ABANDONED, self._ended) from None
            finally:
                self._waits_for_orders = None
            if await order(assignment):
                return
            self._asked_at = asyncio.get_running_loop().time()

    def judged(self, result: SampleResult) -> None:
        """Take note of what came of the work; for whoever runs the sample."""
        self.result = result
        self._ended = self._ended or result.reason
        self._over()

    def broken(self, error: BaseException) -> None:
        """Take note that the run ended, and there will be no verdict; for whoever runs the sample."""
        self._broken = error
        said = f"{type(error).__name__}: {error}" if str(error) else "the run was stopped"
        self._ended = said if self.result is None else self._ended
        self._over()

    def _over(self) -> None:
        self._opened.set()
        self._judged.set()
        self._refuse_rest()

    @property
    def _work(self) -> Assignment:
        if self._assignment is None:
            raise EpisodeOver(self._why_over() if self._ended else "the workplace is not ready yet")
        return self._assignment

    async def _ask(self, work: Callable[[Assignment], Awaitable[Any]], form: Callable[[Any], _T]) -> _T:
        if self._ended:
            raise EpisodeOver(self._why_over())
        asked: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def carried_out(assignment: Assignment) -> bool:
            try:
                found = await work(assignment)
            except Unstorable as e:
                # The driver's mistake, and none of the work's.
                _tell(asked, e)
            except BaseException as e:
                _tell(asked, EpisodeOver(f"the episode is over: {type(e).__name__}: {e}"))
                raise
            else:
                if not asked.done():
                    asked.set_result(found)
            return False

        self._orders.put_nowait(_Waiting(carried_out, asked))
        return form(await asked)

    def _last_order(self, order: _Order, ended: str) -> None:
        if self._ended:
            raise EpisodeOver(self._why_over())
        self._ended = ended
        self._orders.put_nowait(order)

    def _refuse_rest(self) -> None:
        while not self._orders.empty():
            order = self._orders.get_nowait()
            if isinstance(order, _Waiting):
                _tell(order.asked, EpisodeOver(self._why_over()))

    def _why_over(self) -> str:
        return f"the episode is over: {self._ended}"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An order whose outcome somebody waits for."""

    order: _Order
    asked: "asyncio.Future[Any]"

    def __call__(self, assignment: Assignment) -> Awaitable[bool]:
        return self.order(assignment)


async def _look_at_limits(assignment: Assignment) -> bool:
    """Order that does nothing: limits are looked at before the next one."""
    return False


def _raising(error: BaseException) -> _Order:
    async def broken(assignment: Assignment) -> bool:
        raise error

    return broken


def _tell(asked: "asyncio.Future[Any]", error: Exception) -> None:
    if not asked.done():
        asked.set_exception(error)


def verdict_of(result: SampleResult) -> Verdict:
    """Judgement that a suite's result amounts to."""
    reason, detail = None, result.reason
    if result.outcome is Outcome.INVALID:
        kind, _, rest = result.reason.partition(": ")
        reason, detail = InvalidReason(kind), rest
    return Verdict(result.outcome, tuple(result.votes), reason, detail)
