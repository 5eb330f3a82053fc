"""The way of one task: gates, its truth, its band, another difficulty, fresh runs."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from worktrial.synthesis.proving.refusals import RefusedWork, may_misread, refusals
from worktrial.synthesis.proving.succession import Succession
from worktrial.synthesis.proving.truth import End, Ruling, differences, end_of_plan, end_of_run, ruled, rules_hash
from worktrial.synthesis.proving.widening import NotWidened, widened
from worktrial.synthesis.turns import Turns

SOLVER_RUNS = 2
"""Runs of the solver at most, where the first comes to no verdict."""
GATES_AT_ONCE = 3
"""Tasks in the gates at a time. Were it all, the first would come out with the last, and models would wait."""

TaskFate = Literal[
    "kept", "gate", "truth", "question", "unruled", "trivial", "too_hard", "check_may_misread", "invalid"
]
Confirmation = Literal["confirmed", "upheld", "open"]
Ease = Literal["easy", "between", "hard"]
_EASE: Mapping[TaskFate, Ease] = {"trivial": "easy", "too_hard": "hard"}
_TOLD = 2
"""Checks that a line on a task tells."""


class NoRuling(Exception):
    """Two ends of a task differ, and nobody could say which is right; the message says why."""


class LeftToOwner(Exception):
    """Two ends of a task differ, and the rules do not say which is right; the message asks their owner."""


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
    ease: Ease = "between"
    """Label of a kept task: whether the agent passed it in nearly all, in some, or in none of the runs of `band`,
    after it was made harder or easier as often as was allowed."""
    band: PassRate | None = None
    """Runs that chose it, with an interval that holds whenever they stop."""
    fresh: PassRate | None = None
    """Runs that were made after it was chosen and labelled."""
    rounds: int = 0
    """Times that it was made harder or easier."""
    rounds_allowed: int = 0
    """Times that it might have been."""
    asked: int = 0
    """Sessions in a row in which no ruling on it could be had."""
    refused: list[RefusedWork] = []
    """Checks that refused what was done, where it is not kept for that."""
    left_open: list[str] = []
    """Choices that the rules leave open, and its checks with them."""
    level: int = 1
    atoms: list[str] = []
    clauses: list[str] = []

    @property
    def told(self) -> str:
        """The fate in a line: checks and what they read before what anybody says of it."""
        checks = [f"{one.check} read {one.read!r}" for one in self.refused[:_TOLD]]
        return ": ".join(part for part in (self.fate.replace("_", " "), "; ".join(checks), self.why) if part)


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
        keep: Whether sound tasks are kept that stay easy or hard, or those of the band alone.
        rounds: Times that a task may be made harder or easier.
        set_aside: Given a sound task before another takes its place, in case that one does not hold.
        aside: Gives the sound task that was last set aside; None where there is none.
        on_varied: Given each task that took another's place.
        drawn: Waits until all tasks are drawn; what takes the place of another then differs from all of them.
        moved: Told of progress.
    """

    bench_of: Callable[[Draft], Awaitable[Bench[Draft, Ready]]]
    run: Callable[[Bench[Draft, Ready], RunKind, int], Coroutine[None, None, SlotRun]]
    have: Callable[[str, str], Sequence[SlotRun]]
    faults: Callable[[Bench[Draft, Ready]], Awaitable[Sequence[str]]]
    rule: Sequential
    fresh: int
    keep: Literal["sound", "band"] = "sound"
    rounds: int = 0
    set_aside: Callable[[Draft], None] = lambda draft: None
    aside: Callable[[str], Draft | None] = lambda id: None
    on_varied: Callable[[Draft], None] = lambda draft: None
    drawn: Callable[[], Awaitable[object]] = _at_once
    moved: Callable[[str, str, str], None] = lambda id, stage, what: None
    _gates: Turns = field(default_factory=lambda: Turns(GATES_AT_ONCE), init=False)

    @abstractmethod
    async def truth(self, bench: Bench[Draft, Ready]) -> tuple[Confirmation, str]:
        """Confirmation of a task's truth, and what speaks against it, if anything does.

        Raises:
            NoRuling: it has to be decided, and nobody decides it.
            LeftToOwner: the rules do not decide it.
        """

    def asked(self, bench: Bench[Draft, Ready]) -> int:
        """Sessions in a row, until now, in which no ruling on a task could be had."""
        return 0

    async def may_misread(self, bench: Bench[Draft, Ready]) -> bool:
        """Whether one check refuses all runs of a task, though they come to its end."""
        return False

    def refused(self, bench: Bench[Draft, Ready], fate: TaskFate) -> list[RefusedWork]:
        """Checks that brought a task to this fate, with what they read."""
        return []

    def left_open(self, bench: Bench[Draft, Ready]) -> list[str]:
        """Choices that the rules of a task leave open."""
        return []

    def is_replaced(self, bench: Bench[Draft, Ready], fate: TaskFate) -> bool:
        """Whether another task may take the place of one with this fate."""
        return False

    def is_fixed(self, draft: Draft) -> bool:
        """Whether a task stays as it is, since a person wrote it so."""
        return False

    async def other(self, bench: Bench[Draft, Ready], fate: TaskFate) -> Draft | None:
        """The task that takes the place of one with this fate; None where there is none."""
        return None

    def is_kept(self, end: ProvedTask) -> bool:
        """Whether a task with this end is sound, as far as is known, and wanted whatever its difficulty.

        One that nobody passes may as well be wrong, so a second worker has to have come to its end.
        """
        if end.fate == "kept":
            return True
        is_sound = end.fate == "trivial" or (end.fate == "too_hard" and end.truth == "confirmed")
        return self.keep == "sound" and is_sound

    async def settled(self, draft: Draft, succession: Succession) -> ProvedTask:
        """The end of a task.

        Args:
            draft: The task.
            succession: Turns of all tasks that set out with it.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what was run is kept.
        """
        is_back = False
        try:
            while True:
                async with self._gates.turn((-draft.round,)):
                    bench = await self.bench_of(draft)
                    self.moved(draft.id, "checks", "")
                    found = await self.faults(bench)
                end = self._end(bench, "gate", "; ".join(found)) if found else await self._tried(bench)
                is_kept, other = self.is_kept(end), None
                may_be_replaced = not is_back and self.is_replaced(bench, end.fate)
                before = None if is_kept or is_back else self._before(draft)
                if may_be_replaced or before is not None:
                    await self.drawn()
                    async with succession.turn(draft.id):
                        other = await self.other(bench, end.fate) if may_be_replaced else None
                        if other is not None and is_kept:
                            self.set_aside(draft)
                        elif other is None and before is not None:
                            # What took a sound task's place does not hold, so that one stands.
                            other, is_back = before, True
                        if other is not None:
                            self.on_varied(other)
                if other is None:
                    break
                self.moved(draft.id, "repair", end.why)
                draft = other
        finally:
            await succession.leave(draft.id)
        if is_kept:
            end = await self._measured(bench, end)
        self.moved(draft.id, "done", end.fate)
        return end

    def _before(self, draft: Draft) -> Draft | None:
        """The sound task whose place this one took, if it did."""
        before = None if self.keep == "band" or self.is_fixed(draft) else self.aside(draft.id)
        return before if before != draft else None

    async def _measured(self, bench: Bench[Draft, Ready], end: ProvedTask) -> ProvedTask:
        """A kept task with its label, and its rate in runs that neither choice nor label has seen."""
        self.moved(bench.draft.id, "fresh", "")
        fresh = await fresh_rate(partial(self.run, bench), self.have(bench.draft.id, bench.content), self.fresh)
        return msgspec.structs.replace(end, fate="kept", ease=_EASE.get(end.fate, "between"), fresh=fresh)

    async def _tried(self, bench: Bench[Draft, Ready]) -> ProvedTask:
        id = bench.draft.id
        self.moved(id, "solver", "")
        try:
            truth, against = await self.truth(bench)
        except NoRuling as e:
            return self._end(bench, "unruled", str(e), asked=self.asked(bench) + 1)
        except LeftToOwner as e:
            return self._end(bench, "question", str(e))
        if against:
            return self._end(bench, "truth", against)
        self.moved(id, "runs", "")
        have = self.have(id, bench.content)
        band = await screened(partial(self.run, bench), have, self.rule)
        if truth == "upheld" and band.rate.passed:
            # Somebody who knew nothing of the plan has come to its end after all.
            truth = "confirmed"
        fate, why = _fate(band)
        # Whom a second worker has come to the end of cannot be refused by a check that misreads.
        if fate == "too_hard" and truth != "confirmed" and await self.may_misread(bench):
            fate, why = "check_may_misread", f"it needs a look: every run ends as the plan does, and {why}"
        return self._end(bench, fate, why, truth=truth, band=band.rate)

    def _end(self, bench: Bench[Draft, Ready], fate: TaskFate, why: str, **more: object) -> ProvedTask:
        draft = bench.draft
        fields = {
            "task": draft.id,
            "content": bench.content,
            "fate": fate,
            "why": why,
            "rounds": draft.round,
            "rounds_allowed": self.rounds,
            "level": draft.level,
            "atoms": draft.atoms,
            "clauses": draft.clauses,
            "refused": self.refused(bench, fate),
            "left_open": self.left_open(bench),
            **more,
        }
        return ProvedTask(**fields)  # type: ignore[arg-type]


ComposedBench = Bench[ComposedTask, ExecutableTask]


@dataclass(frozen=True, kw_only=True)
class ComposedWay(TaskWay[ComposedTask, ExecutableTask]):
    """Way of a composed task: a second worker, a ruling where the ends differ, and another difficulty.

    Args:
        composition: Makes harder and easier tasks.
        door: The workplace.
        full: Runs of earlier sessions on a content, with what happened in them.
        rulings_on: Rulings on a task, the earlier ones first.
        judge: Decides between ends.
        rules: Text of each clause or section by its id.
        headings: Number and title of the section in which each of them stands.
        ended: End of a task in the folder's last session.
        fixed: Whether a task must stay as it is, since a person wrote it so.
        on_ruling: Given each new ruling.
        questions: Gives those that are with the owner of the rules.
    """

    composition: Composition
    door: Door
    full: Callable[[str, str], Sequence[SlotRun]]
    rulings_on: Callable[[str], Sequence[Ruling]]
    judge: Author
    rules: Mapping[str, str]
    headings: Mapping[str, str] = field(default_factory=dict)
    ended: Callable[[str], ProvedTask | None] = lambda id: None
    fixed: Callable[[ComposedTask], bool] = lambda draft: False
    on_ruling: Callable[[Ruling], None] = lambda ruling: None
    questions: Callable[[], Sequence[str]] = list
    _widened: dict[str, ComposedTask] = field(default_factory=dict, init=False)
    """Content to the task whose checks allow both ends."""

    def is_replaced(self, bench: ComposedBench, fate: TaskFate) -> bool:
        """Whether it is too easy, too hard or too strict, was not changed too often, and may be changed at all."""
        draft = bench.draft
        if fate == "truth":
            return bench.content in self._widened
        may_be = fate in ("trivial", *_NOT_PASSED) and draft.round < self.rounds and not self.fixed(draft)
        return may_be and not self._is_known(bench, fate)

    def is_fixed(self, draft: ComposedTask) -> bool:
        """Whether a person has changed it."""
        return self.fixed(draft)

    def _is_known(self, bench: ComposedBench, fate: TaskFate) -> bool:
        """Whether an earlier session has kept it so, after all that it might do."""
        end = self.ended(bench.draft.id)
        return (
            end is not None
            and (end.content, end.fate, end.ease) == (bench.content, "kept", _EASE.get(fate))
            and end.rounds_allowed >= self.rounds
            and self.keep == "sound"
        )

    def asked(self, bench: ComposedBench) -> int:
        """Sessions in a row, until now, in which no ruling on this content could be had."""
        end = self.ended(bench.draft.id)
        return end.asked if end is not None and end.content == bench.content else 0

    async def may_misread(self, bench: ComposedBench) -> bool:
        """Whether one check refuses all runs that chose a task, though they leave the state as its plan does."""
        mine = await end_of_plan(bench.task, self.door)
        return may_misread(bench.task, mine, self._runs(bench, "free"))

    def refused(self, bench: ComposedBench, fate: TaskFate) -> list[RefusedWork]:
        """Checks that refused the second worker, or the runs that nobody passed."""
        kind: RunKind = "free" if fate in _NOT_PASSED else "solver"
        is_told = fate in (*_NOT_PASSED, "truth", "question", "unruled")
        return refusals(bench.task, self._runs(bench, kind)) if is_told else []

    def left_open(self, bench: ComposedBench) -> list[str]:
        """Choices that a ruling on a task, or the one that widened its checks, found the rules to leave open."""
        rulings = self.rulings_on(bench.draft.id)
        own = [one for one in rulings if one.content == bench.content and one.right in ("both", "unsaid")]
        widest = [one for one in rulings if one.content != bench.content and one.right == "both"]
        before = widest[-bench.draft.widened :] if bench.draft.widened else []
        return list(dict.fromkeys(one.question or one.why for one in [*before, *own[-1:]]))

    def _runs(self, bench: ComposedBench, kind: RunKind) -> list[SlotRun]:
        return [row for row in self.full(bench.draft.id, bench.content) if row.kind == kind]

    async def other(self, bench: ComposedBench, fate: TaskFate) -> ComposedTask | None:
        """A harder task for a trivial one, an easier one for one that nobody passes, one with wider checks."""
        draft = bench.draft
        if fate == "truth":
            return self._widened[bench.content]
        if fate == "trivial":
            return await hardened(draft, self.composition)
        if fate in _NOT_PASSED:
            return await mended(draft, failed_checks(self.full(draft.id, bench.content)), self.composition)
        return None

    async def truth(self, bench: ComposedBench) -> tuple[Confirmation, str]:
        """Whether a second worker comes to the plan's end, or the rules are on the plan's side."""
        id, content = bench.draft.id, bench.content
        mine = await end_of_plan(bench.task, self.door)
        row = await self._witness(bench, mine)
        if row is None:
            return "open", ""
        outcome = row.outcome
        theirs = end_of_run(row)
        found = differences(bench.task, mine, theirs)
        if outcome == "pass" and not found:
            return "confirmed", ""
        # What the checks refuse is shown, though it be an order or a wording alone.
        found = found or differences(bench.task, mine, theirs, exact=True)
        ruling = next((one for one in reversed(self.rulings_on(id)) if one.content == content), None)
        if ruling is not None and ruling.right == "unsaid" and ruling.rules != rules_hash(self.rules):
            ruling = None  # the owner may have said it since
        if ruling is None:
            self.moved(id, "ruling", "")
            try:
                ruling = await ruled(
                    bench.task,
                    content,
                    found,
                    self.rules,
                    self.judge,
                    headings=self.headings,
                    seen=mine.seen | theirs.seen,
                    asked=self.asked(bench),
                    questions=self.questions(),
                )
            except (UnusableReplies, InvalidSample) as e:
                raise NoRuling(f"a second worker came to another end, and no ruling could be had: {e}") from None
            self.on_ruling(ruling)
        if ruling.right == "author" or (ruling.right in ("both", "unsaid") and outcome == "pass"):
            return "upheld", ""
        if ruling.right == "unsaid":
            raise LeftToOwner(ruling.question)
        against = _AGAINST[ruling.right]
        if ruling.right == "both" and not self.fixed(bench.draft):
            missed = [check.check for check in row.checks if not check.passed]
            try:
                self._widened[content] = widened(bench.draft, bench.task, mine, theirs, missed)
            except NotWidened as e:
                against = f"{against}, and {e}"
        return "open", f"{against}: {ruling.why}"

    async def _witness(self, bench: ComposedBench, mine: End) -> SlotRun | None:
        """The second worker's first run that came to a verdict and looked at something; None where there is none.

        Whoever makes no call, or looks at nothing that the plan looks at, has not worked on the task: its end says
        nothing of it, whatever a ruling would make of it.
        """
        id, content = bench.draft.id, bench.content
        have = {row.number for row in self.have(id, content) if row.kind == "solver"}
        for number in range(SOLVER_RUNS):
            if number not in have:
                await self.run(bench, "solver", number)
            for row in self.full(id, content):
                if (row.kind, row.number) != ("solver", number) or row.outcome == "invalid":
                    continue
                theirs = end_of_run(row)
                if row.calls and (not mine.seen or not mine.seen.isdisjoint(theirs.seen)):
                    return row
        return None


_NOT_PASSED: tuple[TaskFate, ...] = ("too_hard", "check_may_misread")
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
