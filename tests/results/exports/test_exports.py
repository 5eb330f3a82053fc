"""Exports: what other programs read, and nothing of ours lost or run over."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.runs import record, store
from tests.support.made_runs import make_run

from worktrial.engine.lines import read_lines
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run
from worktrial.errors import DataError, SettingError
from worktrial.results.exports import (
    RowForm,
    TableForm,
    export_records,
    export_summary,
    export_table,
    export_tables,
    write_rows,
)
from worktrial.results.exports.rows import csv_value, markdown_cell
from worktrial.results.tables import TABLES, RunSource, database, sources


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> RunSource:
    folder = tmp_path_factory.mktemp("runs") / "made"
    [source] = sources([make_run(folder, tasks=12, conditions=("E0", "E2/3x1"), repeats=2, invalid=0.2, seed=5)])
    return source


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_parquet_and_csv_hold_the_same_rows_as_the_database(made: RunSource, tmp_path: Path) -> None:
    tables = list(TABLES.values())
    counts = export_tables(tables, [made], TableForm.PARQUET, tmp_path / "p")
    assert export_tables(tables, [made], TableForm.CSV, tmp_path / "c") == counts
    held = database([made.folder])
    for table in tables:
        names = [column.name for column in table.columns]
        rows = held.execute(f"select * from {table.name}").fetchall()
        stored = pq.read_table(tmp_path / "p" / f"{table.name}.parquet")
        assert stored.column_names == names
        assert [tuple(row.values()) for row in stored.to_pylist()] == rows
        with (tmp_path / "c" / f"{table.name}.csv").open(newline="") as file:
            assert list(csv.reader(file)) == [names, *([csv_value(value) for value in row] for row in rows)]
        assert counts[table.name] == len(rows)


def test_records_can_be_read_again_as_records(made: RunSource, tmp_path: Path) -> None:
    assert export_records([made], tmp_path / "r.jsonl") == 48
    assert list(read_lines(tmp_path / "r.jsonl", SampleRecord)) == open_run(made.folder).records
    assert {line["run"] for line in _lines(tmp_path / "r.jsonl")} == {"made"}


def test_the_summary_never_mixes_conditions(made: RunSource, tmp_path: Path) -> None:
    assert export_summary([made], tmp_path / "s.md") == 2
    head, ruler, clean, faulted = (tmp_path / "s.md").read_text().splitlines()
    cells = [cell.strip() for cell in clean.strip("|").split("|")]
    records = [r for r in open_run(made.folder).records if r.condition == "E0"]
    passed = sum(r.outcome == "pass" for r in records)
    assert cells[3:6] == ["E0", f"{passed}/{len(records)}", f"{passed / len(records):.1%}"]
    assert int(cells[7]) == sum(r.outcome == "invalid" for r in records) > 0
    assert "| E2/3x1 |" in faulted
    assert head.count("|") == ruler.count("|") == clean.count("|") == 12


def test_files_are_not_run_over(made: RunSource, tmp_path: Path) -> None:
    place = tmp_path / "samples.csv"
    place.write_text("mine")
    with pytest.raises(SettingError, match="is there already"):
        export_table(TABLES["samples"], [made], TableForm.CSV, place)
    assert place.read_text() == "mine"
    export_table(TABLES["samples"], [made], TableForm.CSV, place, force=True)
    assert place.read_text().startswith("run,sample,")
    with pytest.raises(SettingError, match="not empty"):
        export_tables([TABLES["runs"]], [made], TableForm.CSV, tmp_path)
    (tmp_path / "other.txt").write_text("mine, too")
    export_tables([TABLES["runs"]], [made], TableForm.CSV, tmp_path, force=True)
    assert {path.name for path in tmp_path.iterdir()} == {"samples.csv", "other.txt", "runs.csv"}


def test_a_run_is_never_written_into(made: RunSource) -> None:
    before = {path: path.read_bytes() for path in made.folder.rglob("*.*")}
    with pytest.raises(SettingError, match="is the folder of a run"):
        export_records([made], made.folder / "samples.jsonl", force=True)
    with pytest.raises(SettingError, match="is the folder of a run"):
        export_tables([TABLES["runs"]], [made], TableForm.CSV, made.folder, force=True)
    assert {path: path.read_bytes() for path in made.folder.rglob("*.*")} == before


def test_trouble_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    run = store(tmp_path / "run", [record("a")]).folder
    (run / "samples.jsonl").write_bytes((run / "samples.jsonl").read_bytes() + b"damaged\n")
    (tmp_path / "old.jsonl").write_text("old")
    for write in (
        lambda: export_records(sources([run]), tmp_path / "old.jsonl", force=True),
        lambda: export_tables([TABLES["samples"]], sources([run]), TableForm.PARQUET, tmp_path / "new"),
    ):
        with pytest.raises(DataError, match="damaged record"):
            write()
    assert (tmp_path / "old.jsonl").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"run", "old.jsonl"}


@pytest.mark.parametrize(
    "text", ["=1+1", "+SUM(A1)", "-2+3", "@cmd", " =1", "\t=1", "\n1", "＝1", '=HYPERLINK("x")']
)
def test_a_spreadsheet_sees_no_formula(text: str) -> None:
    assert csv_value(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+1.5", "1e-3", "a=b", "", "x@y", "'=1", '{"a":1}'])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert csv_value(text) == text


def test_numbers_are_not_text() -> None:
    assert [csv_value(v) for v in (-5, -0.5, None, True, float("-inf"))] == ["-5", "-0.5", "", "true", "-inf"]


@given(st.lists(st.lists(st.text(max_size=12), min_size=2, max_size=2), max_size=4))
def test_csv_gives_back_every_cell(rows: list[list[str]]) -> None:
    text = io.StringIO()
    write_rows(RowForm.CSV, ["a", "b"], ["VARCHAR", "VARCHAR"], rows, text.write)
    text.seek(0)
    assert list(csv.reader(text))[1:] == [[csv_value(cell) for cell in row] for row in rows]


@given(st.text(max_size=30))
def test_a_markdown_cell_stays_in_its_cell(text: str) -> None:
    cell = markdown_cell(text)
    assert "\n" not in cell and "\r" not in cell
    assert "<" not in cell and ">" not in cell
    unescaped = cell.replace("\\\\", "")
    assert all(unescaped[n - 1 : n] == "\\" for n, c in enumerate(unescaped) if c in "|`*[]")


def test_markdown_carries_no_link_mention_or_markup() -> None:
    cell = markdown_cell("@team see #12 https://x.example www.x.example <b>&lt; ![i](u) a|b")
    assert "@team" not in cell and "https://" not in cell and "www." not in cell and "<b>" not in cell
    assert "\\[i\\]" in cell and "a\\|b" in cell


def test_json_rows_keep_every_column() -> None:
    text = io.StringIO()
    write_rows(RowForm.JSON, ["a", "a"], ["BIGINT", "JSON"], [(1, '{"b": [2]}'), (None, None)], text.write)
    assert json.loads(text.getvalue()) == [{"a": 1, "a_2": {"b": [2]}}, {"a": None, "a_2": None}]
    empty = io.StringIO()
    assert write_rows(RowForm.JSON, ["a"], ["BIGINT"], [], empty.write) == 0
    assert json.loads(empty.getvalue()) == []
