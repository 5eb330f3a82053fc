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
from tests.support.run_files import set_work

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
from worktrial.suites.occupations.export import export_occubench

# The fields of a line of results.jsonl, in the order of the published README.
_NAMES = (
    "task_id task_scenario_name category domain difficulty_level agent_model world_model env_mode fault_count "
    "fault_duration with_plan is_correct feedback step_count trajectory"
)
PUBLISHED = _NAMES.split(" ")


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


def test_occubench_results_have_the_published_form(made: RunSource, tmp_path: Path) -> None:
    records = {r.key: r for r in open_run(made.folder).records}
    invalid = sum(r.outcome == "invalid" for r in records.values())
    done = export_occubench([made], tmp_path / "out")
    assert done.written == 48 - invalid > 0
    assert done.lost == [f"{invalid} invalid samples have no verdict and are left out."]
    folders = {path.name: path for path in (tmp_path / "out").iterdir()}
    seen = 0
    for name, folder in folders.items():
        setting = json.loads((folder / "args.json").read_text())
        condition = "E0" if setting["env_mode"] == "E0" else "E2/3x1"
        assert (setting["fault_count"], setting["fault_duration"]) == ((0, 0) if condition == "E0" else (3, 1))
        repeat = int(name.partition("__repeat")[2] or 0)
        assert name.startswith(f"{setting['agent_model']}__{setting['world_model']}__{setting['env_mode']}")
        assert ("__fc3_fd1" in name) == (condition != "E0")
        for line in _lines(folder / "results.jsonl"):
            assert list(line) == PUBLISHED
            stored = records[str(line["task_id"]), repeat, condition]
            assert line["is_correct"] is (stored.outcome == "pass")
            assert line["step_count"] == stored.calls == line["trajectory"].count("\n[Agent Action]: Call tool `")
            assert line["feedback"] in {v.feedback for v in stored.votes if v.is_correct is line["is_correct"]}
            assert line["category"] == stored.tags["category"]
            assert {k: v for k, v in line.items() if k in setting} == {k: setting[k] for k in line if k in setting}
            seen += 1
    assert (len(folders), seen) == (4, done.written)


OBSERVED = {"content": {"y": 2}, "origin": "executable"}


def _with_line(tmp_path: Path, line: dict[str, Any], **more: Any) -> dict[str, Any]:
    run = store(tmp_path / "run", [record("7", "fail", **more)], agent="m").folder
    whose = {"sample": "7", "repeat": 0, "condition": "E0", "instruction": "Do it.", "calls": []}
    set_work(run, [{**whose, **line}])
    export_occubench(sources([run]), tmp_path / "out.jsonl")
    [row] = _lines(tmp_path / "out.jsonl")
    return row


def test_a_trajectory_is_told_in_the_order_of_its_messages(tmp_path: Path) -> None:
    def asks(name: str, arguments: str) -> dict[str, Any]:
        return {"id": "same", "type": "function", "function": {"name": name, "arguments": arguments}}

    row = _with_line(
        tmp_path,
        {
            "messages": [
                {"role": "user", "content": "Do it."},
                {"role": "assistant", "content": "First.", "tool_calls": [asks("a", "{}"), asks("b", '{"x": 1}')]},
                {"role": "tool", "tool_call_id": "same", "content": '{"of": "a"}'},
                {"role": "tool", "tool_call_id": "same", "content": '{"of": "b"}'},
                {"role": "assistant", "content": "Done."},
            ]
        },
        tags={"scenario": "S"},
    )
    assert row["trajectory"] == (
        "\n[Agent Response]: First.\n"
        "\n[Agent Action]: Call tool `a` with arguments: {}\n"
        '\n[Environment Observation] (from a): {"of": "a"}\n'
        '\n[Agent Action]: Call tool `b` with arguments: {"x":1}\n'
        '\n[Environment Observation] (from b): {"of": "b"}\n'
        "\n[Agent Response]: Done.\n"
    )
    assert (row["task_id"], row["task_scenario_name"], row["category"], row["domain"]) == (
        7,
        "S",
        "Unknown",
        "Unknown",
    )
    assert (row["agent_model"], row["world_model"], row["feedback"]) == ("m", "executable", "why")


def test_calls_and_thoughts_in_the_text_are_told_as_those_beside_it(tmp_path: Path) -> None:
    call = {"index": 0, "turn": 0, "tool": "a", "arguments": {"x": 1}, "observation": OBSERVED}
    spelled = '<tool_call>{"name": "a", "arguments": {"x": 1}}</tool_call>'
    messages = [
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": f"A?</think>First.\n{spelled}"},
        {"role": "user", "content": '<tool_response>\n{"y":2}\n</tool_response>'},
        {"role": "assistant", "content": "<think>2?</think>Two."},
    ]
    row = _with_line(tmp_path, {"messages": messages, "calls": [call], "answer": "Two."})
    assert row["trajectory"] == (
        "\n[Agent Response]: First.\n"
        '\n[Agent Action]: Call tool `a` with arguments: {"x":1}\n'
        '\n[Environment Observation] (from a): {"y":2}\n'
        "\n[Agent Response]: Two.\n"
    )


def test_an_agent_without_messages_is_told_by_its_calls(tmp_path: Path) -> None:
    call = {"index": 0, "turn": 0, "tool": "a", "arguments": {"x": 1}, "observation": OBSERVED}
    row = _with_line(tmp_path, {"messages": [], "calls": [call], "answer": "Two."})
    assert row["trajectory"] == (
        '\n[Agent Action]: Call tool `a` with arguments: {"x":1}\n'
        '\n[Environment Observation] (from a): {"y":2}\n'
        "\n[Agent Response]: Two.\n"
    )


def test_occubench_refuses_what_it_cannot_hold(made: RunSource, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="one file is for one configuration"):
        export_occubench([made], tmp_path / "one.jsonl")
    assert not list(tmp_path.iterdir())
    again = make_run(tmp_path / "again", tasks=3, seed=5)
    with pytest.raises(SettingError, match="have the same configuration"):
        export_occubench(sources([made.folder, again]), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    documents = make_run(tmp_path / "documents", suite="documents", tasks=2)
    with pytest.raises(SettingError, match="a run of documents has no form"):
        export_occubench(sources([documents]), tmp_path / "out")


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
