"""The way of one composed task: gates, a second worker, a ruling, its band, another difficulty, fresh runs."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from worktrial.errors import InvalidSample
from worktrial.statistics.sequential import Side
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.artifacts import PassRate, RunKind, SlotRun
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.compose.varying import hardened, mended
from worktrial.synthesis.proving.difficulty import Effort, Screened, failed_checks, fresh_rate, screened
from worktrial.synthesis.proving.truth import Ruling, differences, end_of_plan, end_of_run, ruled

SOLVER_RUNS = 2
"""Runs of the solver at most, where the first comes to no verdict."""

TaskFate = Literal["kept", "gate", "truth", "trivial", "too_hard", "invalid"]
Confirmation = Literal["confirmed", "upheld", "open"]


class ProvedTask(msgspec.Struct, kw_only=True, frozen=True):
    """Fate of a composed task; a line of `calibration.jsonl`."""

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


class Bench(msgspec.Struct, frozen=True):
    """A composed task, ready to be worked on."""

    draft: ComposedTask
    task: ExecutableTask
    """The task in its first language."""
    content: str


@dataclass(frozen=True, kw_only=True)
class TaskWay:
    """Brings composed tasks to their end, each by itself.

    Args:
        composition: Makes harder and easier tasks.
        bench_of: Makes a task ready to be worked on.
        run: Makes a run, and keeps it.
        have: Runs of earlier sessions on a content, with or without what happened in them.
        full: The same, with what happened.
        faults: What gates in code find in a task.
        ruling_of: Ruling on a content, if there is one.
        judge: Decides between ends; None where nobody does, so that a disputed task goes.
        rules: Text of each clause or section by its id.
        effort: Runs of a task.
        rounds: Times that a task may be made harder or easier.
        fixed: Whether a task must stay as it is, since a person wrote it so.
        on_ruling: Given each new ruling.
        on_varied: Given each task that took another's place.
        moved: Told of progress.
    """

    composition: Composition
    bench_of: Callable[[ComposedTask], Awaitable[Bench]]
    run: Callable[[Bench, RunKind, int], Awaitable[SlotRun]]
    have: Callable[[str, str], Sequence[SlotRun]]
    full: Callable[[str, str], Sequence[SlotRun]]
    faults: Callable[[Bench], Awaitable[Sequence[str]]]
    ruling_of: Callable[[str], Ruling | None]
    judge: Author | None
    rules: Mapping[str, str]
    effort: Effort
    rounds: int = 3
    fixed: Callable[[ComposedTask], bool] = lambda draft: False
    on_ruling: Callable[[Ruling], None] = lambda ruling: None
    on_varied: Callable[[ComposedTask], None] = lambda draft: None
    moved: Callable[[str, str, str], None] = lambda id, stage, what: None

    async def settled(self, draft: ComposedTask) -> ProvedTask:
        """The end of a task.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what was run is kept.
        """
        while True:
            bench = await self.bench_of(draft)
            end, other = await self._tried(bench)
            if other is None:
                self.moved(draft.recipe.id, "done", end.fate)
                return end
            self.moved(draft.recipe.id, "repair", end.why)
            self.on_varied(other)
            draft = other

    async def _tried(self, bench: Bench) -> tuple[ProvedTask, ComposedTask | None]:
        """The task's end as it is, and the task that should take its place, if any."""
        id = bench.draft.recipe.id
        self.moved(id, "checks", "")
        if found := await self.faults(bench):
            return _end(bench, "gate", "; ".join(found)), None
        self.moved(id, "solver", "")
        truth, against = await self._truth(bench)
        if against:
            return _end(bench, "truth", against), None

        async def run(kind: RunKind, number: int) -> SlotRun:
            return await self.run(bench, kind, number)

        self.moved(id, "runs", "")
        have = self.have(id, bench.content)
        band = await screened(run, have, self.effort)
        if truth == "upheld" and band.rate.passed:
            # Somebody who knew nothing of the plan has come to its end after all.
            truth = "confirmed"
        fate, why = _fate(band)
        if fate == "kept":
            self.moved(id, "fresh", "")
            fresh = await fresh_rate(run, have, self.effort)
            return _end(bench, fate, why, truth=truth, band=band.rate, fresh=fresh), None
        end = _end(bench, fate, why, truth=truth, band=band.rate)
        if bench.draft.recipe.round >= self.rounds or self.fixed(bench.draft):
            return end, None
        if fate == "trivial":
            return end, await hardened(bench.draft, self.composition)
        if fate == "too_hard":
            return end, await mended(bench.draft, failed_checks(self.full(id, bench.content)), self.composition)
        return end, None

    async def _truth(self, bench: Bench) -> tuple[Confirmation, str]:
        """Whether a second worker comes to the plan's end, and what speaks against the task, if anything does."""
        id, content = bench.draft.recipe.id, bench.content
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
        mine = await end_of_plan(bench.task)
        failed = [check.check for check in row.checks if not check.passed and "answer" in check.check]
        found = differences(mine, end_of_run(row), failed)
        if outcome == "pass" and not found:
            return "confirmed", ""
        ruling = self.ruling_of(content)
        if ruling is None:
            if self.judge is None:
                return "open", "a second worker came to another end, and nobody decides between them"
            self.moved(id, "ruling", "")
            try:
                ruling = await ruled(bench.task, content, found, self.rules, self.judge)
            except (UnusableReplies, InvalidSample) as e:
                return "open", f"a second worker came to another end, and no ruling could be had: {e}"
            self.on_ruling(ruling)
        if ruling.right == "author" or (ruling.right == "both" and outcome == "pass"):
            return "upheld", ""
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


def _end(bench: Bench, fate: TaskFate, why: str, **more: object) -> ProvedTask:
    draft = bench.draft
    fields = {
        "task": draft.recipe.id,
        "content": bench.content,
        "fate": fate,
        "why": why,
        "rounds": draft.recipe.round,
        "level": draft.difficulty,
        "atoms": [case.atom for case in draft.recipe.cases],
        "clauses": draft.clauses,
        **more,
    }
    return ProvedTask(**fields)  # type: ignore[arg-type]
