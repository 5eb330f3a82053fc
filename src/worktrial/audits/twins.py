"""Calls of a suite of one's own, whose truth are the executable twins that were kept."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.audits.sequences import MISUSE, PLAN, RecordedCall, SequenceSetting
from worktrial.errors import DataError, SettingError
from worktrial.language import JsonObject, JsonValue
from worktrial.sandbox import PythonSession, SandboxUnavailable
from worktrial.suites.simulated.folder import TWIN, WORKPLACES, load_own
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.synthesis.artifacts import PlannedCall
from worktrial.synthesis.files import hash_of, read_workplace
from worktrial.synthesis.twin.agreement import TwinRecord, read_record, read_source, source_hash
from worktrial.synthesis.twin.session import LIMITS, EpisodeKind, SandboxedTwin, calls_of
from worktrial.workplaces import Session, Workplace, trial_clock
from worktrial.workplaces.fidelity import Field, TrueCall, compare_worded

_AGAIN = "Make it again: worktrial synthesize -o {folder} --twins"


@dataclass(frozen=True, slots=True)
class TwinTask:
    """A task whose workplace has a twin."""

    task: Task
    workplace: Workplace
    source: str
    """Code of the twin."""
    record: TwinRecord


@dataclass(frozen=True, slots=True)
class TwinSequence:
    """Calls of a task's plan, or calls with ids that nobody has; a `PlayedSequence`."""

    twin: TwinTask
    kind: EpisodeKind

    @property
    def id(self) -> str:
        """Id of the task and which calls."""
        return f"{self.twin.task.id}/{PLAN if self.kind == 'plan' else MISUSE}"

    @property
    def setting(self) -> SequenceSetting:
        """The task's."""
        task, workplace = self.twin.task, self.twin.workplace
        clock = trial_clock(task.instruction, workplace.initial_state)
        return SequenceSetting(workplace, clock, task.instruction, task.tags)

    def truth(self) -> AbstractAsyncContextManager[Session]:
        """A session in the twin, locked in."""
        return SandboxedTwin(self.twin.workplace, self.twin.source)

    def compare(self, true: TrueCall, simulated: JsonValue) -> list[Field]:
        """Fields compared as when the twin was made: errors may be worded in any way that the rules allow."""
        return compare_worded(true, simulated, self.twin.workplace.system_prompt)

    async def calls(self) -> list[RecordedCall]:
        """Calls that reach the workplace, in order."""
        plan = self.twin.task.plan
        steps = (
            [PlannedCall(tool=s["tool"], arguments=s["arguments"]) for s in plan] if isinstance(plan, list) else []
        )
        return [RecordedCall(*call) for call in calls_of(self.twin.workplace, steps)[self.kind]]


def load_twins(folder: Path) -> tuple[TaskSet, list[TwinTask]]:
    """Tasks of the suite in `folder`, and those of them that have a twin.

    Raises:
        DataError: it is no suite, a twin or its workplace was changed since they were compared, or there is none.
    """
    release = load_own(folder)
    found = [twin for task in release.tasks if (twin := _twin_task(folder, release, task)) is not None]
    if not found:
        what = "none of its workplaces has an executable twin that was kept"
        raise DataError(folder / WORKPLACES, what, _AGAIN.format(folder=folder))
    return release, found


def sequences_of(twins: Sequence[TwinTask]) -> list[TwinSequence]:
    """Two sequences for each task, as for executable tasks."""
    kinds: tuple[EpisodeKind, ...] = ("plan", "errors")
    return [TwinSequence(one, kind) for one in twins for kind in kinds]


def refuse_no_sandbox() -> None:
    """Start a sandbox once, so that its lack is told before anything is paid for.

    Raises:
        SettingError: there is none on this machine; the message says how to mend that.
    """

    async def start() -> None:
        async with PythonSession(limits=LIMITS):
            pass

    try:
        asyncio.run(start())
    except SandboxUnavailable as e:
        raise SettingError(f"twins run in a sandbox only: {e.why}") from None


def data_of(folder: Path, release: TaskSet, twins: Sequence[TwinTask]) -> JsonObject:
    """Folder and fingerprint of an audited suite, for the manifest; the twins are part of the fingerprint."""
    told: JsonValue = [release.fingerprint, *(f"{one.task.id} {one.record.hash}" for one in twins)]
    return {"folder": str(folder), "fingerprint": hashlib.sha256(msgspec.json.encode(told)).hexdigest()}


def _twin_task(folder: Path, release: TaskSet, task: Task) -> TwinTask | None:
    place = folder / WORKPLACES / task.workplace
    record = read_record(place) if place.is_dir() else None
    if record is None or not record.kept:
        return None
    source, fix = read_source(place), _AGAIN.format(folder=folder)
    if source is None or source_hash(source) != record.hash:
        what = "is not there" if source is None else "is another one than was compared with the simulator"
        raise DataError(place / TWIN, what, fix)
    if hash_of(read_workplace(place)) != record.workplace:
        raise DataError(place, "was changed since its twin was compared with the simulator", fix)
    return TwinTask(task, release.workplaces[task.workplace], source, record)
