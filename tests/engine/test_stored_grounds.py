"""A run read without what its verdicts rest on."""

from pathlib import Path

import pytest
from tests.results.runs import event, record, store
from tests.support.made_runs import make_run

from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.results.comparison import compare_runs


def test_figures_are_the_same_without_grounds(tmp_path: Path) -> None:
    folders = [make_run(tmp_path / a, agent=a, tasks=25, repeats=2, conditions=("E0", "E2"), calls=4) for a in "ab"]
    whole = [open_run(folder) for folder in folders]
    spare = [open_run(folder, grounds=False) for folder in folders]
    assert any(record.votes for record in whole[0].records) and any(r.fault_ledger for r in whole[0].records)
    assert not any(r.votes or r.checks or r.fault_ledger or r.fault_misses for r in spare[0].records)
    kept = ("key", "outcome", "reason", "usage", "cost", "seconds", "calls", "fault_plan", "tags", "measures")
    for one, other in zip(whole[0].records, spare[0].records, strict=True):
        assert [getattr(one, name) for name in kept] == [getattr(other, name) for name in kept]
    assert compare_runs(*whole) == compare_runs(*spare)


def test_damage_is_named_without_grounds_too(tmp_path: Path) -> None:
    run = store(tmp_path / "a", [record("1", fault_plan=[event(0, "E1", 0)])])
    assert open_run(run.folder, grounds=False).records[0].fault_plan
    line = b'{"suite":"s","sample":"1","repeat":0,"outcome":"good","reason":""}'
    (run.folder / "samples.jsonl").write_bytes(line + b"\n")
    with pytest.raises(DataError, match="outcome"):
        open_run(run.folder, grounds=False)
