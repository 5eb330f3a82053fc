"""One damaged run among several: it is named and left out, and the exit code says so."""

from pathlib import Path

import pytest
from tests.results.runs import event, record, row, store, work
from tests.support.cli import command
from tests.support.run_files import set_work

from worktrial.errors import DataError
from worktrial.reports.report import open_report
from worktrial.results.tables import RunTables


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two good runs, one with a damaged record, one with a damaged trajectory, one folder without a run."""
    calls = work("bed 3", "bed 3!")
    faulty = record("2", condition="E2", fault_plan=[event(0, "E2", 1)], fault_ledger=[row(0, "E2", calls[1])])
    for name in ("a", "b", "record", "trajectory"):
        store(tmp_path / "runs" / name, [record("1"), faulty], {0: calls, 1: calls})
    with (tmp_path / "runs" / "record" / "samples.jsonl").open("ab") as damaged:
        damaged.write(b"{}\n")
    set_work(tmp_path / "runs" / "trajectory", [b"{}", None])
    (tmp_path / "runs" / "refused").mkdir()
    return tmp_path / "runs"


def test_a_query_goes_on_without_a_damaged_run(runs: Path) -> None:
    with RunTables([runs]) as tables:
        found = tables.select("select distinct run from samples order by all")
        assert list(found.rows) == [("a",), ("b",), ("trajectory",)]
        assert len(tables.left_out) == 1 and "samples.jsonl:3: damaged record" in tables.left_out[0]
        joined = "select distinct s.run from samples s join calls c using (run, sample) order by all"
        assert list(tables.select(joined).rows) == [("a",), ("b",)]
        assert len(tables.left_out) == 2
    query = "select run from runs where samples_finished >= 0 order by all"
    ran = command("sql", query, runs, "--format", "csv")
    assert (ran.code, ran.out.split()) == (3, ["run", "a", "b", "trajectory"])
    assert "record is left out:" in ran.err


def test_a_single_damaged_run_is_an_error(runs: Path) -> None:
    with RunTables([runs / "record"]) as tables, pytest.raises(DataError, match="damaged record"):
        tables.select("select * from samples")


def test_a_report_goes_on_without_a_damaged_run(runs: Path, tmp_path: Path) -> None:
    found = open_report([runs / name for name in ("a", "record", "refused")], "t")
    assert [run.slug for run in found.runs] == ["a"]
    ran = command("report", *sorted(runs.iterdir()), "-o", tmp_path / "report")
    assert ran.code == 3, ran.err
    assert "refused holds no run" in ran.err and "left out:" in ran.err and "samples.jsonl:3" in ran.err
    assert (tmp_path / "report" / "index.html").is_file()
    skipped = command("report", runs / "a", runs / "refused", "-o", tmp_path / "report")
    assert (skipped.code, "refused holds no run" in skipped.err) == (0, True)
    none = command("report", runs / "refused", "-o", tmp_path / "none")
    assert (none.code, "holds no run" in none.err) == (2, True)
