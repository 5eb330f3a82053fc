"""Artifacts on disk."""

import tempfile
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.crashes import Killed, killed_before
from tests.synthesis.drafts import TASKS, WORKPLACES, task, workplace

from worktrial.errors import DataError, StopRun
from worktrial.synthesis.artifacts import PlannedCall, SlotRun, TaskDraft, WorkplaceDraft
from worktrial.synthesis.calibration.runs import RunBook
from worktrial.synthesis.files import RecordFile, hash_of, yaml_form
from worktrial.synthesis.folder import SuiteFolder
from worktrial.workplaces.loading.folder import from_folder

WORKPLACE, TASK = yaml_form(WorkplaceDraft), yaml_form(TaskDraft)


@settings(max_examples=150, deadline=None)
@given(WORKPLACES)
def test_a_workplace_reads_back_as_it_was_written(draft: WorkplaceDraft) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workplace.yaml"
        WORKPLACE.write(path, draft)
        assert hash_of(WORKPLACE.read(path)) == hash_of(draft)
        assert [at.name for at in Path(folder).iterdir()] == ["workplace.yaml"]


@settings(max_examples=150, deadline=None)
@given(TASKS)
def test_a_task_reads_back_as_it_was_written(draft: TaskDraft) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.yaml"
        TASK.write(path, draft)
        assert hash_of(TASK.read(path)) == hash_of(draft)


def test_a_written_workplace_is_one_that_the_suites_load(tmp_path: Path) -> None:
    WORKPLACE.write(tmp_path / "place" / "workplace.yaml", workplace())
    loaded = from_folder(tmp_path / "place")
    assert loaded.name == "parcel-counter"
    assert [tool.name for tool in loaded.tools] == ["get_parcel", "hand_out"]
    assert loaded.system_prompt == workplace().system_prompt


def test_texts_of_several_lines_are_blocks_that_people_can_edit(tmp_path: Path) -> None:
    TASK.write(tmp_path / "task.yaml", task())
    lines = (tmp_path / "task.yaml").read_text().splitlines()
    assert [line.split(":")[0] for line in lines if line[0].isalpha()] == list(TaskDraft.__struct_fields__)


@settings(max_examples=60, deadline=None)
@given(operation=st.integers(0, 8), there_before=st.booleans())
def test_a_kill_leaves_the_old_or_the_new_file(operation: int, there_before: bool) -> None:
    old, new = workplace(1), workplace(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workplace.yaml"
        if there_before:
            WORKPLACE.write(path, old)
        try:
            with killed_before(operation):
                WORKPLACE.write(path, new)
            expected = [new]
        except Killed:
            expected = [old, new]
        if there_before or path.exists():
            assert WORKPLACE.read(path) in expected


@pytest.mark.parametrize(
    ("text", "said"), [("[]", "object"), ("name: ''", "name"), ("name: a\nname: b", "name"), ("name: [", "YAML")]
)
def test_a_damaged_edit_is_told_with_its_place(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "workplace.yaml"
    path.write_text(text)
    with pytest.raises(DataError, match=said) as told:
        WORKPLACE.read(path)
    assert str(path) in str(told.value)


def test_a_place_that_cannot_be_written_ends_the_session(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file, not a folder")
    with pytest.raises(StopRun, match="cannot be written"):
        WORKPLACE.write(tmp_path / "drafts" / "workplace.yaml", workplace())


ROWS = st.lists(st.builds(PlannedCall, tool=st.text(min_size=1), why=st.text(min_size=1)))


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, cut=st.integers(0, 400))
def test_a_torn_tail_costs_at_most_the_last_record(rows: list[PlannedCall], cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        lines = RecordFile(path, PlannedCall)
        ends = [0]
        for row in rows:
            lines.add(row)
            ends.append(path.stat().st_size)
        if rows:
            keep = min(cut, ends[-1])
            with path.open("r+b") as file:
                file.truncate(keep)
            whole = sum(end <= keep for end in ends) - 1
            assert list(RecordFile(path, PlannedCall)) == rows[:whole]
        again = RecordFile(path, PlannedCall)
        again.add(PlannedCall(tool="s", why="w"))
        assert list(RecordFile(path, PlannedCall)) == again.records


def row(number: int, outcome: str = "pass", content: str = "c1", kind: str = "plan") -> SlotRun:
    return msgspec.convert(
        {
            "slot": "s-1",
            "kind": kind,
            "number": number,
            "content": content,
            "outcome": outcome,
            "reason": "said secret-key-1234",
            "calls": 1,
            "seconds": 0.1,
            "cost": None,
            "tokens": 5,
            "trajectory": {"messages": ["long"]},
        },
        SlotRun,
    )


def test_runs_count_for_their_content_and_settings_only(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    book = RunBook(folder, lambda kind: "settings-1")
    for r in (row(0), row(1, "fail"), row(2, "invalid"), row(0, content="c2")):
        book.add(r)
    for again in (book, RunBook(folder, lambda kind: "settings-1")):
        assert [(r.number, r.outcome) for r in again.have("s-1", "c1")] == [(0, "pass"), (1, "fail")]
        assert [r.number for r in again.have("s-1", "c2")] == [0]
        assert all(r.trajectory is None for r in again.have("s-1", "c1"))
        assert [r.trajectory for r in again.full("s-1", "c1")] == [{"messages": ["long"]}] * 3
    assert RunBook(folder, lambda kind: "settings-2").have("s-1", "c1") == []


def test_a_run_that_came_to_no_verdict_counts_as_its_last_trial(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    RunBook(folder, lambda kind: "s").add(row(0, "invalid"))
    book = RunBook(folder, lambda kind: "s")
    book.add(row(0, "fail"))
    assert [r.outcome for r in book.have("s-1", "c1")] == ["fail"]
    assert [r.outcome for r in RunBook(folder, lambda kind: "s").full("s-1", "c1")] == ["fail"]


def test_no_key_gets_into_a_stored_run(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    RunBook(folder, lambda kind: "s", lambda line: line.replace(b"secret-key-1234", b"[key]")).add(row(0))
    assert b"secret" not in folder.runs("s-1").read_bytes()
    assert "[key]" in RunBook(folder, lambda kind: "s").have("s-1", "c1")[0].reason
