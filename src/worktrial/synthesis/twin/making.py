"""Twins for the selected slots: written, tried in the sandbox, compared with the simulator, kept or not."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from worktrial.engine.roles import Role
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import InvalidSample
from worktrial.language import Complete
from worktrial.sandbox import PythonSession, SandboxUnavailable
from worktrial.synthesis.artifacts import Slot, TaskDraft, WorkplaceDraft
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.calibration.runs import CalibrationSettings
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.files import Form, content_hash, hash_of, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import SlotEnd
from worktrial.synthesis.resources import SessionResources
from worktrial.synthesis.twin.agreement import (
    THRESHOLD,
    TwinAgreement,
    TwinRecord,
    agreement,
    read_record,
    read_source,
    source_hash,
    write_twin,
)
from worktrial.synthesis.twin.session import LIMITS, BrokenTwin, EpisodeKind, UnfitTwin, calls_of, replay
from worktrial.synthesis.twin.source import TwinDraft, problems, twin_draft
from worktrial.workplaces import trial_clock
from worktrial.workplaces.fidelity import TrueCall

AT_ONCE = 4
"""Twins in the making; each holds a process while it is tried."""
TEXT: Form[TwinDraft] = Form(
    lambda path: read_yaml_as(path, TwinDraft), lambda path, text: write_text(path, to_yaml(text)), hash_of
)
_Replayed = dict[EpisodeKind, list[TrueCall]]


@dataclass(frozen=True, slots=True)
class SelectedSlot:
    """A slot of the published suite."""

    slot: Slot
    workplace: WorkplaceDraft
    task: TaskDraft


@dataclass(frozen=True, kw_only=True)
class TwinMaker:
    """Makes twins in a suite folder.

    Args:
        folder: A published suite.
        ledger: Knows which twins stand, and which a person has changed.
        author: Writes them.
        simulator: The simulator's model bound to a salt.
        simulator_name: Its model.
        settings: What else the comparison depends on, such as the simulator's fingerprint.
        prompt: See `worktrial.workplaces.PromptStyle`.
        clock: The date and time of tasks that name none.
        warn: Told why a twin could be neither kept nor refused.
    """

    folder: SuiteFolder
    ledger: ProvenanceLedger
    author: Author
    simulator: Callable[[str], Complete]
    simulator_name: str
    settings: Mapping[str, object]
    prompt: str
    clock: str
    warn: Callable[[str], None]
    _gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    async def make(self, chosen: Sequence[SelectedSlot]) -> list[TwinRecord]:
        """A record for each slot that could be decided; what was decided before on the same content stands.

        Raises:
            StopRun: an endpoint refuses to work, a budget is spent, or a file cannot be written.
            DataError: a twin that a person has changed cannot be read.
        """
        try:
            async with PythonSession(limits=LIMITS):
                pass
        except SandboxUnavailable as e:
            self.warn(f"no executable twins: {e.why}")
            return []
        # One that cannot go on does not take back what the others have paid for.
        made = await asyncio.gather(*(self._one(c) for c in chosen), return_exceptions=True)
        troubles = [trouble for trouble in made if isinstance(trouble, BaseException)]
        if troubles:
            raise min(troubles, key=lambda trouble: isinstance(trouble, BudgetSpent))
        return [record for record in made if isinstance(record, TwinRecord)]

    async def _one(self, chosen: SelectedSlot) -> TwinRecord | None:
        async with self._gate:
            try:
                return await self._decided(chosen)
            except InvalidSample as e:
                self.warn(f"{chosen.slot.id}: no executable twin yet: {e}")
                return None

    async def _decided(self, chosen: SelectedSlot) -> TwinRecord:
        slot, place = chosen.slot, self.folder.workplaces / chosen.slot.id
        path = self.folder.task(slot).with_name("face.yaml")
        made_from = {
            self.folder.name_of(self.folder.workplace(slot)): hash_of(chosen.workplace),
            f"{self.folder.name_of(self.folder.task(slot))} plan": hash_of(chosen.task.plan),
        }
        try:
            text = await self.ledger.keep_or_make(
                path, TEXT, made_from, self.author.model, lambda: self._written(chosen)
            )
        except UnusableReplies as e:
            return self._put(chosen, TwinDraft(suitable=False), f"it could not be written: {e}")
        known = read_record(place)
        if known is not None and self._stands(known, chosen, text, read_source(place)):
            return known
        if not text.suitable:
            return self._put(chosen, text, f"its author finds it not suitable: {'; '.join(text.notes)}")
        if found := problems(text, chosen.workplace):
            return self._put(chosen, text, f"its code is refused: {'; '.join(found)}")
        try:
            replayed = await self._replayed(chosen, text.source)
        except (UnfitTwin, BrokenTwin) as e:
            return self._put(chosen, text, f"it cannot be the truth: {_said(e)}")
        both = await self._compared(chosen, replayed)
        share = f"agrees with the simulator on {both.agreed} of {both.of} calls"
        return self._put(chosen, text, share if both.holds else f"{share}, fewer than {both.threshold:.0%}", both)

    async def _written(self, chosen: SelectedSlot) -> TwinDraft:
        """Twin by its author, who is told once how it fails on the plan; never what the simulator says."""
        text = await twin_draft(chosen.slot, chosen.workplace, self.author)
        if not text.suitable:
            return text
        try:
            await self._replayed(chosen, text.source)
        except (UnfitTwin, BrokenTwin) as e:
            return await twin_draft(
                chosen.slot, chosen.workplace, self.author, failed=_said(e), earlier=text.source
            )
        return text

    async def _replayed(self, chosen: SelectedSlot, source: str) -> _Replayed:
        workplace = playable(chosen.workplace, f"slot {chosen.slot.id}")
        return await replay(workplace, source, calls_of(workplace, chosen.task.plan))

    async def _compared(self, chosen: SelectedSlot, replayed: _Replayed) -> TwinAgreement:
        workplace = playable(chosen.workplace, f"slot {chosen.slot.id}")
        return await agreement(
            workplace,
            replayed,
            self.simulator(f"face/{chosen.slot.id}"),
            prompt=self.prompt,
            clock=trial_clock(chosen.task.instruction, workplace.initial_state, self.clock),
            instruction=chosen.task.instruction,
        )

    def _stands(self, known: TwinRecord, chosen: SelectedSlot, text: TwinDraft, source: str | None) -> bool:
        same = (known.content, known.settings) == (_content(chosen), self._settings)
        if known.kept:
            return same and source == text.source and known.hash == source_hash(text.source)
        return same and source is None and known.hash == source_hash(text.source)

    def _put(
        self, chosen: SelectedSlot, text: TwinDraft, why: str, both: TwinAgreement | None = None
    ) -> TwinRecord:
        kept = both is not None and both.holds
        written = self.ledger.last(self.folder.task(chosen.slot).with_name("face.yaml"))
        record = TwinRecord(
            slot=chosen.slot.id,
            kept=kept,
            why=why,
            content=_content(chosen),
            workplace=hash_of(chosen.workplace),
            settings=self._settings,
            hash=source_hash(text.source),
            model="" if written is not None and written.edited else self.author.model,
            simulator=self.simulator_name,
            notes=text.notes,
            agreement=both,
        )
        write_twin(self.folder.workplaces / chosen.slot.id, record, text.source if kept else None)
        return record

    @property
    def _settings(self) -> str:
        return hash_of([dict(self.settings), self.prompt, self.clock, THRESHOLD])


def _content(chosen: SelectedSlot) -> str:
    return content_hash(chosen.workplace, chosen.task)


def _said(error: UnfitTwin | BrokenTwin) -> str:
    return error.detail if isinstance(error, BrokenTwin) else str(error)


async def make_twins(
    folder: SuiteFolder,
    ends: Sequence[SlotEnd],
    selected: Sequence[str],
    *,
    resources: SessionResources,
    ledger: ProvenanceLedger,
    run_settings: CalibrationSettings,
    warn: Callable[[str], None],
) -> list[TwinRecord]:
    """Twins for the selected slots; see `TwinMaker.make`."""
    chosen = [
        SelectedSlot(end.slot, end.workplace, end.task)
        for end in ends
        if end.slot.id in set(selected) and end.workplace is not None and end.task is not None
    ]
    simulator = resources.roles[Role.SIMULATOR.value]
    maker = TwinMaker(
        folder=folder,
        ledger=ledger,
        author=resources.author,
        simulator=lambda salt: resources.model(Role.SIMULATOR.value, salt),
        simulator_name=simulator.model,
        settings={"simulator": simulator.fingerprint()},
        prompt=run_settings.simulator_prompt,
        clock=run_settings.clock,
        warn=warn,
    )
    return await maker.make(chosen)
