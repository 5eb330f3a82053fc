import csv
import io
import json
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.made_runs import make_run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place") / "runs" / "made"
    return make_run(folder, tasks=40, conditions=("E0", "E2"), repeats=2, seed=1)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("hostile") / "run", tasks=6, hostile=True, seed=2)


def test_every_run_below_runs_is_asked(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made.parent.parent)
    ran = command("sql", "select run, condition, count(*) as n from samples group by all order by all")
    assert ran.code == 0
    cells = [[c.strip() for c in line.strip("│").split("│")] for line in ran.out.splitlines() if "│" in line]
    assert cells == [["made", "E0", "80"], ["made", "E2", "80"]]
    monkeypatch.chdir(made)
    assert "runs: no such folder here" in command("sql", "select 1").err


def test_forms_say_the_same(made: Path) -> None:
    sql = "select sample, outcome, cost, tags from samples order by all limit 5"
    lines = [json.loads(line) for line in command("sql", sql, made, "--format", "jsonl").out.splitlines()]
    assert json.loads(command("sql", sql, made, "--format", "json").out) == lines
    rows = list(csv.DictReader(io.StringIO(command("sql", sql, made, "--format", "csv").out)))
    assert [{**row, "cost": float(row["cost"]), "tags": json.loads(row["tags"])} for row in rows] == lines
    assert len(command("sql", sql, made, "--format", "markdown").out.splitlines()) == 7


def test_a_file_is_whole_and_not_run_over(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.csv"
    ran = command("sql", "select * from calls", made, "-o", out)
    assert ran.code == 0
    with out.open(newline="") as file:
        rows = list(csv.reader(file))
    assert f"{len(rows) - 1:,} rows -> {out}" in ran.err
    assert len(rows) > 1000
    again = command("sql", "select 1 as x", made, "-o", out)
    assert (again.code, "--force" in again.err) == (2, True)
    assert command("sql", "select 1 as x", made, "-o", out, "--force").code == 0
    assert out.read_text() == "x\n1\n"


def test_a_terminal_gets_what_it_can_show_with_a_note(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    ran = command("sql", "select * from calls", made)
    assert max(len(line) for line in ran.out.splitlines()) <= 80 + len("\x1b[1m\x1b[0m") * 40
    assert "The first 100 rows are shown; there are more." in ran.err
    assert "columns are not shown for want of room" in ran.err
    assert "--format csv, or -o FILE" in ran.err
    wide = command("sql", "select repeat('x', 500) as t", made)
    assert "1 cells are cut." in wide.err and "…" in wide.out


def test_elsewhere_nothing_is_cut(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    ran = command("sql", "select i, repeat('x', 300) as t from range(150) r(i)", made)
    assert (ran.out.count("x" * 300), ran.err) == (150, "")


def test_hostile_text_cannot_steer_the_terminal(hostile: Path) -> None:
    for table in ("samples", "votes", "messages", "calls"):
        shown = command("sql", f"select * from {table} limit 15", hostile)
        assert shown.code == 0
        assert not {c for c in shown.out + shown.err if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0}
        assert "\u202e" not in shown.out


def test_hostile_text_in_an_error(made: Path) -> None:
    ran = command("sql", 'select "\x1b[31m" from samples', made)
    assert (ran.code, "\x1b" in ran.err) == (2, False)


def test_the_schema_needs_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = command("sql", "--schema")
    assert shown.code == 0
    for word in ("samples: one row", "observation", "fault_misses"):
        assert word in shown.out
    one = command("sql", "calls", "--schema")
    assert "observation" in one.out and "samples:" not in one.out
    assert "no table 'x'" in command("sql", "x", "--schema").err


def test_wrong_queries_end_with_two(made: Path) -> None:
    ran = command("sql", "select outcom from samples", made)
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean outcome" in ran.err
    assert ran.err.count("\n") == 1
    assert "no query" in command("sql").err


def test_exports(made: Path, tmp_path: Path) -> None:
    tables = command("export", made, "--format", "parquet", "-o", tmp_path / "tables")
    assert tables.code == 0 and "samples 160" in tables.err
    assert {p.name for p in (tmp_path / "tables").iterdir()} >= {"runs.parquet", "calls.parquet"}
    assert command("export", made, "-o", tmp_path / "s.md").code == 0
    assert "| E2 |" in (tmp_path / "s.md").read_text()
    assert command("export", made, "-o", tmp_path / "r.jsonl").code == 0
    some = command("export", made, "--format", "csv", "--table", "runs,usage", "-o", tmp_path / "some")
    assert some.code == 0
    assert {p.name for p in (tmp_path / "some").iterdir()} == {"runs.csv", "usage.csv"}
    assert command("export", made, "--table", "votes", "-o", tmp_path / "v.csv").code == 0
    assert (tmp_path / "v.csv").read_text().startswith("run,sample,repeat,condition,vote,")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "x.foo"], "its ending names no format"),
        (["-o", "x.csv", "--table", "runs,usage"], "a file holds one table"),
        (["-o", "x.csv", "--table", "nothing"], "there is no table 'nothing'"),
        (["-o", "x.md", "--table", "runs"], "is for csv and parquet"),
    ],
)
def test_exports_that_make_no_sense(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = command("export", made, *words)
    assert (ran.code, says in ran.err) == (2, True)
    assert not list(tmp_path.iterdir())
