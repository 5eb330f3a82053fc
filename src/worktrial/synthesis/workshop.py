"""The steps of the pipeline on a suite folder: what still holds is kept, what is missing or out of date is made."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from worktrial.language import Complete
from worktrial.synthesis import files
from worktrial.synthesis.artifacts import (
    Calibration,
    DraftFinding,
    JobSpec,
    Reference,
    RepairRow,
    RunKind,
    Slot,
    SlotRun,
    SubTopic,
    TaskDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.author import Author
from worktrial.synthesis.calibration.runs import RunBook
from worktrial.synthesis.files import Form, RecordFile, content_hash, hash_of, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import Drain, Turns
from worktrial.synthesis.sources import SourceLibrary

T = TypeVar("T")


class _Pending(msgspec.Struct, kw_only=True, frozen=True):
    """A repair that is about to be put in place."""

    repair: RepairRow
    workplace: WorkplaceDraft
    task: TaskDraft


class Runner(Protocol):
    """Protocol of whoever makes one calibration run of a slot."""

    async def __call__(self, slot: str, kind: RunKind, number: int) -> SlotRun:
        """Make the run of a slot's id, a kind and a number within that kind."""
        ...


RunnerFor = Callable[[Slot, WorkplaceDraft, TaskDraft], Runner]


@dataclass
class SuiteWorkshop:
    """Steps of the pipeline with artifacts that are files.

    Args:
        folder: Where they lie.
        spec: What is wanted.
        sources: The user's documents.
        author: Writes them.
        judge: Compares sub-topics; None leaves that to the words they have in common.
        ledger: Knows what stands.
        book: The calibration runs.
        runner_for: Who does runs in a slot's workplace.
        runs_at_once: Runs in flight; more would only hold unfinished work in memory.
        on_run: Told of each finished run.
        note: Told what the user should know.
    """

    folder: SuiteFolder
    spec: JobSpec
    sources: SourceLibrary
    author: Author
    judge: Complete | None
    ledger: ProvenanceLedger
    book: RunBook
    runner_for: RunnerFor
    runs_at_once: int
    on_run: Callable[[SlotRun], None] = lambda row: None
    note: Callable[[str], None] = lambda text: None
    _repairs: RecordFile[RepairRow] = field(init=False)
    _turns: Turns = field(init=False)
    _drain: Drain = field(default_factory=Drain, init=False)

    def __post_init__(self) -> None:
        self._repairs = RecordFile(self.folder.repairs, RepairRow)
        self._turns = Turns(self.runs_at_once)
        spec = self.spec
        job = hash_of([spec.role, spec.industry, spec.domain, spec.about, spec.languages[0]])
        self._given = {"job": job, **{f"document {file.id}": file.hash for file in self.sources.files}}

    async def subtopics(self) -> list[SubTopic]:
        """The parts of the job."""
        from worktrial.synthesis.stages.subtopics import subtopics

        async def make() -> list[SubTopic]:
            return await subtopics(self.spec, self.sources, self.author, self.judge, self.note)

        made_from = {**self._given, "subtopics": hash_of(self.spec.subtopics)}
        return await self._hold(self.folder.subtopics, files.SUBTOPICS, made_from, make)

    async def reference(self, subtopic: SubTopic) -> Reference:
        """Reference document of a sub-topic."""
        from worktrial.synthesis.stages.reference import reference

        async def make() -> Reference:
            return await reference(self.spec, subtopic, self.sources, self.author)

        made_from = {**self._given, "subtopic": hash_of(subtopic)}
        return await self._hold(self.folder.reference(subtopic), files.REFERENCE, made_from, make)

    async def workplace(self, slot: Slot, reference: Reference) -> WorkplaceDraft:
        """Workplace of a slot's task."""
        from worktrial.synthesis.stages.workplace import workplace

        async def make() -> WorkplaceDraft:
            return await workplace(self.spec, slot, reference, self.sources, self.author)

        self._apply_repair(slot)
        made_from = self._of_slot(slot, reference)
        return await self._hold(self.folder.workplace(slot), files.WORKPLACE, made_from, make)

    async def task(self, slot: Slot, reference: Reference, workplace: WorkplaceDraft) -> TaskDraft:
        """A slot's instruction, plan and rubric."""
        from worktrial.synthesis.stages.task import task

        async def make() -> TaskDraft:
            return await task(self.spec, slot, reference, workplace, self.author)

        made_from = self._of_slot(slot, reference) | self._of_workplace(slot, workplace)
        return await self._hold(self.folder.task(slot), files.TASK, made_from, make)

    def check(self, workplace: WorkplaceDraft, task: TaskDraft) -> list[DraftFinding]:
        """Findings of the static checks, before anything is run."""
        from worktrial.synthesis.checks import check_slot

        return check_slot(workplace, task)

    async def calibrate(self, slot: Slot, workplace: WorkplaceDraft, task: TaskDraft) -> Calibration:
        """Run a task until it is known well enough whether it can be solved, and how hard it is."""
        from worktrial.synthesis.calibration.rules import rules_of
        from worktrial.synthesis.calibration.sampling import calibrate

        runner = self.runner_for(slot, workplace, task)

        async def run(kind: RunKind, number: int) -> SlotRun:
            # What may yet need a repair goes first: most of the way is still before it.
            async with self._turns.turn((-rounds, kind == "free")), self._drain():
                row = self.book.add(await runner(slot.id, kind, number))
            self.on_run(row)
            return row

        content = content_hash(workplace, task)
        rounds = self.rounds(slot, workplace, task)
        have = self.book.have(slot.id, content)
        return await calibrate(slot.id, content, run, have, rules_of(self.spec), rounds=rounds)

    def runs(self, slot: Slot, workplace: WorkplaceDraft, task: TaskDraft) -> list[SlotRun]:
        """The runs on this content, with what happened in them."""
        return self.book.full(slot.id, content_hash(workplace, task))

    def rounds(self, slot: Slot, workplace: WorkplaceDraft, task: TaskDraft) -> int:
        """Number of repairs that led to this content; 0 where a person changed it since."""
        content = content_hash(workplace, task)
        return max((r.round for r in self._repairs if r.slot == slot.id and r.after == content), default=0)

    async def repair(
        self,
        slot: Slot,
        workplace: WorkplaceDraft,
        task: TaskDraft,
        problems: Sequence[DraftFinding],
        runs: Sequence[SlotRun],
        round: int,
    ) -> tuple[WorkplaceDraft, TaskDraft, RepairRow]:
        """Change the one artifact that failed."""
        from worktrial.synthesis.stages.repair import repair

        new_workplace, new_task, done = await repair(
            self.spec, slot, workplace, task, problems, runs, self.author, round, check=self.check
        )
        pending = _Pending(repair=done, workplace=new_workplace, task=new_task)
        write_text(self._pending(slot), msgspec.json.encode(pending).decode())
        self._apply_repair(slot)
        return new_workplace, new_task, done

    def _apply_repair(self, slot: Slot) -> None:
        """Put a repair in place that was decided on, also one that a kill has kept from it."""
        path = self._pending(slot)
        if not path.exists():
            return
        pending = msgspec.json.decode(path.read_bytes(), type=_Pending)
        if pending.repair not in self._repairs.records:
            self._repairs.add(pending.repair)
        round = pending.repair.round
        changed = self._of_workplace(slot, pending.workplace)
        self._rewrite(self.folder.workplace(slot), files.WORKPLACE, pending.workplace, {}, round)
        self._rewrite(self.folder.task(slot), files.TASK, pending.task, changed, round)
        path.unlink()

    def _rewrite(self, path: Path, form: Form[T], value: T, changed: Mapping[str, str], round: int) -> None:
        """Write what a repair left, as made from what its author made it from, but for what is `changed`."""
        form.mend(path)
        record = self.ledger.last(path)
        made_from = {**(record.made_from if record is not None else {}), **changed}
        if record is None or (record.hash, record.made_from) != (form.hash(value), made_from):
            self.ledger.write(path, form, value, made_from, self.author.model, repair=round)
        elif not path.exists() or form.hash(form.read(path)) != record.hash:
            # On record already, and killed before it was written.
            form.write(path, value)

    def _pending(self, slot: Slot) -> Path:
        return self.folder.task(slot).with_name(".repair.json")

    async def _hold(
        self, path: Path, form: Form[T], made_from: Mapping[str, str], make: Callable[[], Awaitable[T]]
    ) -> T:
        return await self.ledger.keep_or_make(path, form, made_from, self.author.model, make)

    def _of_slot(self, slot: Slot, reference: Reference) -> dict[str, str]:
        return {
            **self._given,
            "slot": hash_of([slot.level, slot.language]),
            self.folder.name_of(self.folder.reference(slot.subtopic)): hash_of(reference),
        }

    def _of_workplace(self, slot: Slot, workplace: WorkplaceDraft) -> dict[str, str]:
        return {self.folder.name_of(self.folder.workplace(slot)): hash_of(workplace)}
