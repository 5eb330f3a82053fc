"""Calls of a suite of one's own, whose truth are the executable faces that were kept."""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.archive.sandbox import PythonSession, SandboxUnavailable
from worktrial.audits.sequences import MISUSE, PLAN, RecordedCall, Setting
from worktrial.errors import DataError, SettingError
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.simulated.folder import FACE, WORKPLACES, load_own
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.synthesis.artifacts import PlannedCall
from worktrial.synthesis.files import hash_of, read_workplace
from worktrial.synthesis.twin.agreement import TwinRecord, read_record, read_source, source_hash
from worktrial.synthesis.twin.session import LIMITS, EpisodeKind, SandboxedTwin, calls_of
from worktrial.workplaces import Session, Workplace, trial_clock
from worktrial.workplaces.fidelity import Field, TrueCall, compare_worded

_AGAIN = "Make it again: worktrial synthesize -o {folder} --faces"


@dataclass(frozen=True, slots=True)
class FacedTask:
    """A task whose workplace has a face."""

    task: Task
    workplace: Workplace
    source: str
    """The face."""
    record: TwinRecord


@dataclass(frozen=True, slots=True)
class FaceSequence:
    """What a task's plan does, or calls with ids that nobody has; a `PlayedSequence`."""

    faced: FacedTask
    stay: EpisodeKind

    @property
    def id(self) -> str:
        """The task's id and which calls."""
        return f"{self.faced.task.id}/{PLAN if self.stay == 'plan' else MISUSE}"

    @property
    def setting(self) -> Setting:
        """The task's."""
        task, workplace = self.faced.task, self.faced.workplace
        clock = trial_clock(task.instruction, workplace.initial_state)
        return Setting(workplace, clock, task.instruction, task.tags)

    def truth(self) -> AbstractAsyncContextManager[Session]:
        """A stay in the face, locked in."""
        return SandboxedTwin(self.faced.workplace, self.faced.source)

    def compare(self, true: TrueCall, simulated: JsonValue) -> list[Field]:
        """As the face was compared when it was made: errors may be worded in any way that the rules allow."""
        return compare_worded(true, simulated, self.faced.workplace.system_prompt)

    async def calls(self) -> list[RecordedCall]:
        """Those that reach the workplace."""
        plan = self.faced.task.plan
        steps = (
            [PlannedCall(tool=s["tool"], arguments=s["arguments"]) for s in plan] if isinstance(plan, list) else []
        )
        return [RecordedCall(*call) for call in calls_of(self.faced.workplace, steps)[self.stay]]


def load_faced(folder: Path) -> tuple[TaskSet, list[FacedTask]]:
    """The suite in `folder`, and those of its tasks that have a face.

    Raises:
        DataError: it is no suite, a face or its workplace was changed since they were compared, or there is none.
    """
    release = load_own(folder)
    found = [faced for task in release.tasks if (faced := _faced(folder, release, task)) is not None]
    if not found:
        what = "none of its workplaces has an executable face that was kept"
        raise DataError(folder / WORKPLACES, what, _AGAIN.format(folder=folder))
    return release, found


def sequences_of(faced: Sequence[FacedTask]) -> list[FaceSequence]:
    """Two for each task, as for executable tasks."""
    stays: tuple[EpisodeKind, ...] = ("plan", "errors")
    return [FaceSequence(one, stay) for one in faced for stay in stays]


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
        raise SettingError(f"faces run in a sandbox only: {e.why}") from None


def data_of(folder: Path, release: TaskSet, faced: Sequence[FacedTask]) -> JsonObject:
    """What an audit's manifest says of its suite; the faces are part of the fingerprint."""
    told: JsonValue = [release.fingerprint, *(f"{one.task.id} {one.record.hash}" for one in faced)]
    return {"folder": str(folder), "fingerprint": hashlib.sha256(msgspec.json.encode(told)).hexdigest()}


def _faced(folder: Path, release: TaskSet, task: Task) -> FacedTask | None:
    place = folder / WORKPLACES / task.workplace
    record = read_record(place) if place.is_dir() else None
    if record is None or not record.kept:
        return None
    source, fix = read_source(place), _AGAIN.format(folder=folder)
    if source is None or source_hash(source) != record.hash:
        what = "is not there" if source is None else "is another one than was compared with the simulator"
        raise DataError(place / FACE, what, fix)
    if hash_of(read_workplace(place)) != record.workplace:
        raise DataError(place, "was changed since its face was compared with the simulator", fix)
    return FacedTask(task, release.workplaces[task.workplace], source, record)
