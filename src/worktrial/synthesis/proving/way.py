"""The way of one task: gates, its truth, its band, another difficulty, fresh runs."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from worktrial.errors import InvalidSample
from worktrial.statistics.sequential import Side
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.artifacts import PassRate, RunKind, SlotRun
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.calibration.rules import Sequential
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.compose.varying import hardened, mended
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.proving.difficulty import Screened, failed_checks, fresh_rate, screened
from worktrial.synthesis.proving.succession import Succession
from worktrial.synthesis.proving.truth import Ruling, differences, end_of_plan, end_of_run, ruled
from worktrial.synthesis.proving.widening import widened
from worktrial.synthesis.turns import Turns

SOLVER_RUNS = 2
"""Runs of the solver at most, where the first comes to no verdict."""
GATES_AT_ONCE = 3
"""Tasks in the gates at a time. Were it all, the first would come out with the last, and models would wait."""

TaskFate = Literal["kept", "gate", "truth", "trivial", "too_hard", "invalid"]
Confirmation = Literal["confirmed", "upheld", "open"]


class DraftedTask(Protocol):
    """Protocol of a task before it is published, whatever its workplace."""

    @property
    def id(self) -> str:
        """Name in the first language."""
        ...

    @property
    def level(self) -> int:
        """Difficulty, 1 to 3."""
        ...

    @property
    def round(self) -> int:
        """Times that it was made harder or easier."""
        ...

    @property
    def clauses(self) -> list[str]:
        """Ids of the clauses that decide it."""
        ...

    @property
    def atoms(self) -> list[str]:
        """Atoms that it was composed of."""
        ...


Draft = TypeVar("Draft", bound=DraftedTask)
Ready = TypeVar("Ready")


class ProvedTask(msgspec.Struct, kw_only=True, frozen=True):
    """Fate of a task; a line of `calibration.jsonl`."""

    task: str
    content: str
    """Hash of everything that its runs depend on."""
    fate: TaskFate
    why: str = ""
    truth: Confirmation = "open"
    """`confirmed`: a second worker, or a later run, came to the plan's end. `upheld`: it did not, and the rules
    are on the plan's side."""
    band: PassRate | None = None
    """Runs that chose it, with an interval that holds whenever they stop."""
    fresh: PassRate | None = None
    """Runs that were made after it was chosen."""
    rounds: int = 0
    """Times that it was made harder or easier."""
    level: int = 1
    atoms: list[str] = []
    clauses: list[str] = []


@dataclass(frozen=True, slots=True)
class Bench(Generic[Draft, Ready]):
    """A task, ready to be worked on in its first language."""

    draft: Draft
    task: Ready
    content: str
    """Hash of everything that its runs depend on."""


async def _at_once() -> None:
    """Wait for nothing."""


@dataclass(frozen=True, kw_only=True)
class TaskWay(ABC, Generic[Draft, Ready]):
    """Brings tasks to their end, each by itself.

    Args:
        bench_of: Makes a task ready to be worked on.
        run: Makes a run, and keeps it.
        have: Runs of earlier sessions on a content, with or without what happened in them.
        faults: What gates in code find in a task.
        rule: Tells when the runs suffice.
        fresh: Runs for the rate that is published.
        on_varied: Given each task that took another's place.
        drawn: Waits until all tasks are drawn; what takes the place of another then differs from all of them.
        moved: Told of progress.
    """

    bench_of: Callable[[Draft], Awaitable[Bench[Draft, Ready]]]
    run: Callable[[Bench[Draft, Ready], RunKind, int], Awaitable[SlotRun]]
    have: Callable[[str, str], Sequence[SlotRun]]
    faults: Callable[[Bench[Draft, Ready]], Awaitable[Sequence[str]]]
    rule: Sequential
    fresh: int
    on_varied: Callable[[Draft], None] = lambda draft: None
    drawn: Callable[[], Awaitable[object]] = _at_once
    moved: Callable[[str, str, str], None] = lambda id, stage, what: None
    _gates: Turns = field(default_factory=lambda: Turns(GATES_AT_ONCE), init=False)

    @abstractmethod
    async def truth(self, bench: Bench[Draft, Ready]) -> tuple[Confirmation, str]:
        """Confirmation of a task's truth, and what speaks against it, if anything does."""

    def is_replaced(self, bench: Bench[Draft, Ready], fate: TaskFate) -> bool:
        """Whether another task may take the place of one with this fate."""
        return False

    async def other(self, bench: Bench[Draft, Ready], fate: TaskFate) -> Draft | None:
        """The task that takes the place of one with this fate; None where there is none."""
        return None

    async def settled(self, draft: Draft, succession: Succession) -> ProvedTask:
        """The end of a task.

        Args:
            draft: The task.
            succession: Turns of all tasks that set out with it.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what was run is kept.
        """
        try:
            while True:
                async with self._gates.turn((-draft.round,)):
                    bench = await self.bench_of(draft)
                    self.moved(draft.id, "checks", "")
                    found = await self.faults(bench)
                end = _end(bench, "gate", "; ".join(found)) if found else await self._tried(bench)
                other = None
                if self.is_replaced(bench, end.fate):
                    await self.drawn()
                    async with succession.turn(draft.id):
                        other = await self.other(bench, end.fate)
                        if other is not None:
                            self.on_varied(other)
                if other is None:
                    self.moved(draft.id, "done", end.fate)
                    return end
                self.moved(draft.id, "repair", end.why)
                draft = other
        finally:
            await succession.leave(draft.id)

    async def _tried(self, bench: Bench[Draft, Ready]) -> ProvedTask:
        id = bench.draft.id
        self.moved(id, "solver", "")
        truth, against = await self.truth(bench)
        if against:
            return _end(bench, "truth", against)

        async def run(kind: RunKind, number: int) -> SlotRun:
            return await self.run(bench, kind, number)

        self.moved(id, "runs", "")
        have = self.have(id, bench.content)
        band = await screened(run, have, self.rule)
        if truth == "upheld" and band.rate.passed:
            # Somebody who knew nothing of the plan has come to its end after all.
            truth = "confirmed"
        fate, why = _fate(band)
        fresh = None
        if fate == "kept":
            self.moved(id, "fresh", "")
            fresh = await fresh_rate(run, have, self.fresh)
        return _end(bench, fate, why, truth=truth, band=band.rate, fresh=fresh)


ComposedBench = Bench[ComposedTask, ExecutableTask]


@dataclass(frozen=True, kw_only=True)
class ComposedWay(TaskWay[ComposedTask, ExecutableTask]):
    """Way of a composed task: a second worker, a ruling where the ends differ, and another difficulty.

    Args:
        composition: Makes harder and easier tasks.
        door: The workplace.
        full: Runs of earlier sessions on a content, with what happened in them.
        ruling_of: Ruling on a content, if there is one.
        judge: Decides between ends.
        rules: Text of each clause or section by its id.
        rounds: Times that a task may be made harder or easier.
        fixed: Whether a task must stay as it is, since a person wrote it so.
        on_ruling: Given each new ruling.
    """

    composition: Composition
    door: Door
    full: Callable[[str, str], Sequence[SlotRun]]
    ruling_of: Callable[[str], Ruling | None]
    judge: Author
    rules: Mapping[str, str]
    rounds: int = 3
    fixed: Callable[[ComposedTask], bool] = lambda draft: False
    on_ruling: Callable[[Ruling], None] = lambda ruling: None
    _widened: dict[str, ComposedTask] = field(default_factory=dict, init=False)
    """Content to the task whose checks allow both ends."""

    def is_replaced(self, bench: ComposedBench, fate: TaskFate) -> bool:
        """Whether it is too easy, too hard or too strict, was not changed too often, and may be changed at all."""
        draft = bench.draft
        if fate == "truth":
            return bench.content in self._widened
        return fate in ("trivial", "too_hard") and draft.round < self.rounds and not self.fixed(draft)

    async def other(self, bench: ComposedBench, fate: TaskFate) -> ComposedTask | None:
        """A harder task for a trivial one, an easier one for one that nobody passes, one with wider checks."""
        draft = bench.draft
        if fate == "truth":
            return self._widened[bench.content]
        if fate == "trivial":
            return await hardened(draft, self.composition)
        if fate == "too_hard":
            return await mended(draft, failed_checks(self.full(draft.id, bench.content)), self.composition)
        return None

    async def truth(self, bench: ComposedBench) -> tuple[Confirmation, str]:
        """Whether a second worker comes to the plan's end, or the rules are on the plan's side."""
        id, content = bench.draft.id, bench.content
        have = {row.number: row for row in self.have(id, content) if row.kind == "solver"}
        outcome = "invalid"
        for number in range(SOLVER_RUNS):
            row = have.get(number) or await self.run(bench, "solver", number)
            outcome = row.outcome
            if outcome != "invalid":
                break
        if outcome == "invalid":
            return "open", ""
        rows = [r for r in self.full(id, content) if r.kind == "solver" and r.outcome != "invalid"]
        row = rows[-1]
        mine = await end_of_plan(bench.task, self.door)
        failed = [check.check for check in row.checks if not check.passed and "answer" in check.check]
        found = differences(mine, end_of_run(row), failed)
        if outcome == "pass" and not found:
            return "confirmed", ""
        ruling = self.ruling_of(content)
        if ruling is None:
            self.moved(id, "ruling", "")
            try:
                ruling = await ruled(bench.task, content, found, self.rules, self.judge)
            except (UnusableReplies, InvalidSample) as e:
                return "open", f"a second worker came to another end, and no ruling could be had: {e}"
            self.on_ruling(ruling)
        if ruling.right == "author" or (ruling.right == "both" and outcome == "pass"):
            return "upheld", ""
        if ruling.right == "both" and not self.fixed(bench.draft):
            missed = [check.check for check in row.checks if not check.passed]
            wider = widened(bench.draft, bench.task, mine, end_of_run(row), missed)
            if wider is not None:
                self._widened[content] = wider
        return "open", f"{_AGAINST[ruling.right]}: {ruling.why}"


_AGAINST = {
    "solver": "the rules are on the side of the second worker",
    "neither": "the rules bear out neither end",
    "both": "the rules allow another end, which its checks refuse",
}


def _fate(band: Screened) -> tuple[TaskFate, str]:
    rate = band.rate
    said = f"{rate.passed} of {rate.n} runs passed ({rate.low:.2f} to {rate.high:.2f})"
    if band.is_without_verdicts:
        return "invalid", f"{said}, {rate.invalid} came to no verdict"
    if band.side is Side.ABOVE or (rate.passed == rate.n and rate.n >= 1 and band.side is not Side.INSIDE):
        return "trivial", said
    if band.side is Side.BELOW or not rate.passed:
        return "too_hard", said
    return "kept", said


def _end(bench: Bench[Draft, Ready], fate: TaskFate, why: str, **more: object) -> ProvedTask:
    draft = bench.draft
    fields = {
        "task": draft.id,
        "content": bench.content,
        "fate": fate,
        "why": why,
        "rounds": draft.round,
        "level": draft.level,
        "atoms": draft.atoms,
        "clauses": draft.clauses,
        **more,
    }
    return ProvedTask(**fields)  # type: ignore[arg-type]
