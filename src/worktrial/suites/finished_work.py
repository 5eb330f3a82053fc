"""Stored work of a run, taken up again."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.engine.manifest import Manifest, read_manifest
from worktrial.engine.record import CLEAN, Key, SampleRecord
from worktrial.engine.store import MANIFEST, SAMPLES, TRAJECTORIES, placed_lines, read_lines
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject
from worktrial.suites.judging import Work
from worktrial.workplaces import StopReason, ToolCall, Trajectory

# What the scheduler writes before a trajectory's own fields.
_WHOSE = frozenset({"suite", "sample", "repeat", "condition"})


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """What one agent left behind: enough to judge it."""

    record: SampleRecord
    line: JsonObject
    """The line of `trajectories.jsonl`, without the sample's key."""
    trajectory: Trajectory

    @property
    def work(self) -> Work:
        """What there is to grade."""
        state = self.line.get("final_state")
        return Work(
            self.trajectory,
            self.record.clock or "",
            state if isinstance(state, dict) else None,
            self.record.fault_ledger,
        )


class _Line(msgspec.Struct):
    """Whose trajectory a line is, and of which of several attempts."""

    sample: str
    repeat: int
    outcome: str
    reason: str
    condition: str = CLEAN


class FinishedRun:
    """A run's records, and its trajectories one at a time.

    Raises:
        DataError: the folder holds no run, or a record is damaged.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(folder, "no such folder", "Name the folder that `worktrial run -o` wrote")
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder / MANIFEST)
        last: dict[Key, SampleRecord] = {}
        for record in read_lines(folder / SAMPLES, SampleRecord):
            last[record.key] = record
        self.records = list(last.values())
        """The last record of every sample."""
        self._places = self._index()

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the records, in the order of their keys."""
        digest = sha256()
        for record in sorted(self.records, key=lambda r: r.key):
            digest.update(msgspec.json.encode(record) + b"\n")
        return digest.hexdigest()

    def work(self, record: SampleRecord) -> FinishedWork | None:
        """What the agent did in a sample; None where it did not get to an end of its own.

        Raises:
            DataError: the stored trajectory cannot be read.
        """
        place = self._places.get((record.key, record.outcome.value, record.reason))
        if place is None or record.stop_reason is None:
            return None
        path = self.folder / TRAJECTORIES
        with path.open("rb") as file:
            file.seek(place)
            stored = file.readline()
        try:
            line = msgspec.json.decode(stored, type=dict[str, object])
            trajectory = Trajectory(
                messages=msgspec.convert(line["messages"], list[JsonObject]),
                calls=msgspec.convert(line["calls"], list[ToolCall]),
                answer=msgspec.convert(line["answer"], str),
                stop_reason=StopReason(record.stop_reason),
                turns=record.turns,
            )
        except (KeyError, ValueError) as e:
            where = f"{path}: sample {record.sample}, repeat {record.repeat}"
            raise DataError(where, f"not a trajectory: {e}", "Run the sample again") from None
        return FinishedWork(record, {k: v for k, v in line.items() if k not in _WHOSE}, trajectory)

    def _index(self) -> dict[tuple[Key, str, str], int]:
        """Where each trajectory begins. The outcome and its reason tell the attempts at one sample apart."""
        return {
            ((line.sample, line.repeat, line.condition), line.outcome, line.reason): place
            for place, line in placed_lines(self.folder / TRAJECTORIES, _Line)
        }


def without_work(record: SampleRecord) -> InvalidSample:
    """Why a sample cannot be judged again."""
    # Not the source's own reason first: an outage of then is none of now.
    return InvalidSample(
        InvalidReason.TASK_DATA, f"the source run holds no finished work of this sample ({record.reason})"
    )
