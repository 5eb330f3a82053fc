"""Run folders that version 0.1.0 wrote, one of each suite and way: they open in everything that reads runs.

`tests/data/runs/` holds them: the starter suite under all faults, occupations against the scripted server and
judged again, documents, orchestration turn by turn and free running.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.cli import command

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run

RUNS = Path(__file__).parent.parent / "data" / "runs"
NAMES = sorted(folder.name for folder in RUNS.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_records_come_back_as_they_were_stored(name: str) -> None:
    stored = (RUNS / name / "samples.jsonl").read_bytes().splitlines()
    assert stored
    for line in stored:
        record = msgspec.json.decode(line, type=SampleRecord)
        again = json.loads(msgspec.json.encode(record))
        assert _as_stored(again, json.loads(line)) == json.loads(line)


def _as_stored(value: Any, stored: Any) -> Any:
    """`value` without fields that the stored one does not have: later versions have more."""
    if isinstance(value, dict) and isinstance(stored, dict):
        return {key: _as_stored(inner, stored[key]) for key, inner in value.items() if key in stored}
    if isinstance(value, list) and isinstance(stored, list) and len(value) == len(stored):
        return [_as_stored(one, other) for one, other in zip(value, stored, strict=True)]
    return value


def test_faults_votes_and_checks_are_typed() -> None:
    starter, occupations = (open_run(RUNS / name) for name in ("starter", "occupations"))
    planned = [event for record in starter.records for event in record.fault_plan]
    struck = [row for record in starter.records for row in record.fault_ledger]
    assert {event.unit for event in planned} == {"call"} and {row.mode for row in struck} == {"E1", "E2"}
    assert all(check.passed for record in starter.records if record.passed for check in record.checks)
    assert {vote.is_correct for record in occupations.records for vote in record.votes} == {True}


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_everywhere(name: str, tmp_path: Path) -> None:
    run = shutil.copytree(RUNS / name, tmp_path / name)
    first = open_run(run).records[0]
    shown = command("show", run)
    assert shown.code == 0, shown.err
    work = command("trajectory", run, first.sample)
    assert work.code == 0 and first.sample in work.out, work.err
    compared = command("compare", run, run)
    assert compared.code == 0, compared.err
    counted = command("sql", "select count(*), count(distinct sample) from samples", run, "--format", "csv")
    assert counted.out.splitlines()[1].split(",")[0] == str(len(open_run(run).records)), counted.err
    for table in ("votes", "checks", "fault_events", "faults", "fault_misses", "calls", "messages", "runs"):
        assert command("sql", f"select * from {table}", run, "--format", "json").code == 0
    exported = command("export", run, "-o", tmp_path / "records.jsonl")
    assert exported.code == 0, exported.err
    report = command("report", run, "-o", tmp_path / "report")
    assert report.code == 0, report.err
    assert (tmp_path / "report" / "index.html").is_file()
