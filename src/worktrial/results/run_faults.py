"""Fault metrics of a stored run, from its records and trajectories."""

from collections.abc import Container
from pathlib import Path

import msgspec

from worktrial.engine.record import CLEAN, Key, SampleRecord
from worktrial.engine.store import TRAJECTORIES, read_lines
from worktrial.engine.stored import StoredRun
from worktrial.errors import DataError
from worktrial.results.fault_metrics import FaultMetrics, StoredCall, fault_metrics


class _Line(msgspec.Struct):
    sample: str
    repeat: int
    condition: str = CLEAN
    # Decoded only where there were faults: calls are nearly all of a trajectory.
    calls: msgspec.Raw = msgspec.Raw(b"[]")


def sample_faults(run: StoredRun) -> dict[Key, FaultMetrics]:
    """The metrics of every finished sample with planned faults; {} for a run without, at no cost.

    A sample without a trajectory (invalid before its first call) has reached none of its events.

    Raises:
        DataError: a trajectory or a record is damaged.
    """
    planned = {record.key: record for record in run.records if record.fault_plan}
    if not planned:
        return {}
    calls = _calls(run.folder / TRAJECTORIES, planned)
    return {key: _metrics(run, record, calls.get(key, [])) for key, record in planned.items()}


def _metrics(run: StoredRun, record: SampleRecord, calls: list[StoredCall]) -> FaultMetrics:
    try:
        # A user's own agent sends no messages, so its calls have no turns.
        return fault_metrics(record.fault_plan, record.fault_ledger, calls, turns_known=record.turns > 0)
    except KeyError as e:
        where = f"{run.folder}, sample {record.sample!r}, repeat {record.repeat}, condition {record.condition}"
        raise DataError(where, f"a row of fault_plan or fault_ledger has no field {e}") from None


def _calls(path: Path, wanted: Container[Key]) -> dict[Key, list[StoredCall]]:
    """The calls of the last trajectory of every wanted sample."""
    decoder = msgspec.json.Decoder(list[StoredCall])
    found: dict[Key, list[StoredCall]] = {}
    for line in read_lines(path, _Line):
        key = line.sample, line.repeat, line.condition
        if key not in wanted:
            continue
        try:
            found[key] = decoder.decode(line.calls)
        except msgspec.MsgspecError as e:
            what = f"the trajectory of sample {line.sample!r}, repeat {line.repeat} is damaged: {e}"
            raise DataError(path, what, "Remove its line to go on") from None
    return found
