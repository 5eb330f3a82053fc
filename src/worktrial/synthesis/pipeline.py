"""The whole way from a job to a suite. Every slot goes it by itself; a finished part is never done again."""

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from worktrial.engine.spend import BudgetSpent
from worktrial.errors import InvalidSample
from worktrial.synthesis.artifacts import (
    Calibration,
    DraftFinding,
    JobSpec,
    PassRate,
    Reference,
    Reject,
    Slot,
    SubTopic,
    TaskDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.files import content_hash

if TYPE_CHECKING:  # the workshop is given its turns by this module
    from worktrial.synthesis.workshop import SuiteWorkshop


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """A slot, or a part of the suite, got further."""

    subject: str
    """A slot's id, a sub-topic's, or `suite`."""
    stage: str
    """`subtopics`, `slots` (`what` says how many there are), `reference`, `workplace`, `task`, `checks`, `runs`,
    `repair`, `done`."""
    what: str = ""


@dataclass(frozen=True, slots=True)
class SlotEnd:
    """End that a slot came to."""

    slot: Slot
    calibration: Calibration | None
    """Its rates and verdict; None where it was never drafted."""
    reject: Reject | None
    """Reason why it is out; None where it can be selected."""
    workplace: WorkplaceDraft | None = None
    task: TaskDraft | None = None


@dataclass
class Pipeline:
    """All stages up to selection.

    Args:
        spec: What is wanted.
        workshop: What does the steps.
        on_moved: Told of progress.
        until_drafts: Stop before the first run.
    """

    spec: JobSpec
    workshop: "SuiteWorkshop"
    on_moved: Callable[[ProgressEvent], None] = lambda moved: None
    until_drafts: bool = False
    _references: dict[str, asyncio.Task[Reference | UnusableReplies | InvalidSample | BudgetSpent]] = field(
        default_factory=dict, init=False
    )

    async def run(self) -> list[SlotEnd]:
        """Bring every slot to its end, side by side.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what is finished is on disk.
            UnusableReplies: not even the sub-topics could be written.
        """
        self.on_moved(ProgressEvent("suite", "subtopics"))
        subtopics = await self.workshop.subtopics()
        slots = slots_of(self.spec, subtopics)
        self.on_moved(ProgressEvent("suite", "slots", str(len(slots))))
        try:
            async with asyncio.TaskGroup() as group:
                for subtopic in subtopics:
                    self._references[subtopic.id] = group.create_task(self._reference(subtopic))
                ends = [group.create_task(self._slot(slot)) for slot in slots]
        except BaseExceptionGroup as trouble:
            # Slots in flight tend to meet the same refusal at the same moment; one report is enough.
            raise trouble.exceptions[0] from None
        results = [end.result() for end in ends]
        for result in results:
            if isinstance(result, BudgetSpent):
                raise result
        return [result for result in results if isinstance(result, SlotEnd)]

    async def _reference(self, subtopic: SubTopic) -> Reference | UnusableReplies | InvalidSample | BudgetSpent:
        self.on_moved(ProgressEvent(subtopic.id, "reference"))
        try:
            return await self.workshop.reference(subtopic)
        except (UnusableReplies, InvalidSample, BudgetSpent) as e:
            # Only the slots of this sub-topic cannot go on.
            return e

    async def _slot(self, slot: Slot) -> SlotEnd | BudgetSpent:
        workplace: WorkplaceDraft | None = None
        task: TaskDraft | None = None
        try:
            reference = await self._references[slot.subtopic.id]
            if isinstance(reference, Exception):
                raise reference
            self.on_moved(ProgressEvent(slot.id, "workplace"))
            workplace = await self.workshop.workplace(slot, reference)
            self.on_moved(ProgressEvent(slot.id, "task"))
            task = await self.workshop.task(slot, reference, workplace)
            return await self._settled(slot, workplace, task)
        except BudgetSpent as e:
            # The others meet it at their next request. Cancelling them now would lose answers that are on their
            # way and have to be paid for.
            return e
        except (UnusableReplies, InvalidSample) as e:
            self.on_moved(ProgressEvent(slot.id, "done", "rejected"))
            reject = Reject(slot=slot.id, stage="author", why=str(e))
            return SlotEnd(slot, None, reject, workplace, task)

    async def _settled(self, slot: Slot, workplace: WorkplaceDraft, task: TaskDraft) -> SlotEnd:
        """Check, run, and repair until the slot can be kept or has to be given up."""
        shop = self.workshop
        while True:
            problems = shop.check(workplace, task)
            self.on_moved(ProgressEvent(slot.id, "checks", f"{len(problems)} problems" if problems else ""))
            if self.until_drafts:
                return SlotEnd(slot, None, None, workplace, task)
            rounds = shop.rounds(slot, workplace, task)
            if problems:
                calibration = unchecked(slot, workplace, task, problems, rounds)
            else:
                self.on_moved(ProgressEvent(slot.id, "runs"))
                calibration = await shop.calibrate(slot, workplace, task)
            mendable = calibration.verdict in ("unchecked", "unsolvable")
            if not mendable or rounds >= self.spec.repairs:
                self.on_moved(ProgressEvent(slot.id, "done", calibration.verdict))
                return SlotEnd(slot, calibration, _rejected(calibration), workplace, task)
            self.on_moved(ProgressEvent(slot.id, "repair", calibration.why))
            runs = shop.runs(slot, workplace, task)
            try:
                workplace, task, _ = await shop.repair(slot, workplace, task, problems, runs, rounds + 1)
            except (UnusableReplies, InvalidSample) as e:
                why = f"{calibration.why}; and it could not be repaired: {e}"
                self.on_moved(ProgressEvent(slot.id, "done", calibration.verdict))
                return SlotEnd(slot, calibration, _rejected(calibration, why), workplace, task)


def slots_of(spec: JobSpec, subtopics: Sequence[SubTopic]) -> list[Slot]:
    """Every sub-topic at every level in every language.

    The first language's slots have no suffix, so that another can be added later without making them anew.
    """
    return [
        Slot(subtopic=subtopic, level=level, language=language, several_languages=language != spec.languages[0])
        for subtopic in subtopics
        for language in spec.languages
        for level in spec.levels
    ]


def unchecked(
    slot: Slot, workplace: WorkplaceDraft, task: TaskDraft, problems: Sequence[DraftFinding], rounds: int
) -> Calibration:
    """The calibration of a slot that was not run because of its problems."""
    none = PassRate(passed=0, n=0, invalid=0, low=0.0, high=1.0, decision="undecided")
    why = "; ".join(f"{problem.artifact}: {problem.what}" for problem in problems)
    content = content_hash(workplace, task)
    return Calibration(
        slot=slot.id, content=content, plan=none, free=none, verdict="unchecked", why=why, rounds=rounds
    )


def _rejected(calibration: Calibration, why: str | None = None) -> Reject | None:
    if calibration.verdict == "kept":
        return None
    stage: Literal["checks", "filter"] = "checks" if calibration.verdict == "unchecked" else "filter"
    return Reject(slot=calibration.slot, stage=stage, why=f"{calibration.verdict}: {why or calibration.why}")


class Turns:
    """Lets so many in at once; of those that wait the one with the least rank is next, among equals the first.

    In the order of arrival, slots that need a repair and new runs after it would wait behind the many runs of
    slots that are nearly done, and would be alone at the end.
    """

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: list[tuple[tuple[int, ...], int, asyncio.Future[None]]] = []
        self._arrival = itertools.count()

    @asynccontextmanager
    async def turn(self, rank: tuple[int, ...]) -> AsyncIterator[None]:
        """Wait for a place, and hold it."""
        if self._free:
            self._free -= 1
        else:
            await self._called(rank)
        try:
            yield
        finally:
            self._call_next()

    async def _called(self, rank: tuple[int, ...]) -> None:
        call = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._arrival), call))
        try:
            await call
        except asyncio.CancelledError:
            if not call.cancelled():
                # Called at the very moment it gave up: the place is another's.
                self._call_next()
            raise

    def _call_next(self) -> None:
        while self._waiting:
            *_, call = heapq.heappop(self._waiting)
            if not call.done():
                call.set_result(None)
                return
        self._free += 1


class Drain:
    """Pieces of work side by side, none of which takes the others with it when it meets the end of the budget.

    Each of the others comes to its own end, or meets the spent budget at its next request; then all are let go.
    """

    def __init__(self) -> None:
        self._active = 0
        self._idle = asyncio.Event()

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """One piece of work.

        Raises:
            BudgetSpent: the piece met it; when nothing else is under way any more.
        """
        self._active += 1
        self._idle.clear()
        spent: BudgetSpent | None = None
        try:
            yield
        except BudgetSpent as e:
            spent = e
        finally:
            self._active -= 1
            if not self._active:
                self._idle.set()
        if spent is not None:
            await self._idle.wait()
            raise spent
