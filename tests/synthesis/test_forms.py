"""Artifacts on disk."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.any_drafts import TASKS, WORKPLACES, task, workplace
from tests.synthesis.crashes import Killed, killed_before

from worktrial.errors import DataError, StopRun
from worktrial.synthesis import forms
from worktrial.synthesis.artifacts import TaskDraft, WorkplaceDraft
from worktrial.synthesis.files import hash_of
from worktrial.workplaces.loading.folder import from_folder


@settings(max_examples=150, deadline=None)
@given(WORKPLACES)
def test_a_workplace_reads_back_as_it_was_written(draft: WorkplaceDraft) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workplace"
        forms.WORKPLACE.write(path, draft)
        assert hash_of(forms.WORKPLACE.read(path)) == hash_of(draft)
        assert [at.name for at in Path(folder).iterdir()] == ["workplace"]


@settings(max_examples=150, deadline=None)
@given(TASKS)
def test_a_task_reads_back_as_it_was_written(draft: TaskDraft) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.yaml"
        forms.TASK.write(path, draft)
        assert hash_of(forms.TASK.read(path)) == hash_of(draft)


def test_a_written_workplace_is_one_that_the_suites_load(tmp_path: Path) -> None:
    forms.WORKPLACE.write(tmp_path / "place", workplace())
    loaded = from_folder(tmp_path / "place")
    assert loaded.name == "Returns desk"
    assert [tool.name for tool in loaded.tools] == ["read_order"]
    assert (tmp_path / "place" / "system_prompt.md").read_text() == workplace().system_prompt


def test_texts_of_several_lines_are_blocks_that_people_can_edit(tmp_path: Path) -> None:
    forms.TASK.write(tmp_path / "task.yaml", task())
    lines = (tmp_path / "task.yaml").read_text().splitlines()
    assert [line.split(":")[0] for line in lines if line[0].isalpha()] == list(TaskDraft.__struct_fields__)


@settings(max_examples=60, deadline=None)
@given(operation=st.integers(0, 45), there_before=st.booleans())
def test_a_kill_leaves_the_old_or_the_new_workplace(operation: int, there_before: bool) -> None:
    old, new = workplace(1), workplace(2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "workplace"
        if there_before:
            forms.WORKPLACE.write(path, old)
        try:
            with killed_before(operation):
                forms.WORKPLACE.write(path, new)
            expected = [new]
        except Killed:
            expected = [old, new]
        forms.WORKPLACE.mend(path)
        if there_before or path.exists():
            assert forms.WORKPLACE.read(path) in expected
        assert [at.name for at in Path(folder).iterdir()] in ([], ["workplace"])


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("workplace.yaml", "[]", "mapping"),
        ("workplace.yaml", "name: ''", "name"),
        ("workplace.yaml", "name: a\ntools: []", "second time"),
        ("tools.yaml", "- name: x", "description"),
        ("initial_state.yaml", "- 1", "initial_state"),
    ],
)
def test_a_damaged_edit_is_told_with_its_place(file: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "workplace"
    forms.WORKPLACE.write(path, workplace())
    (path / file).write_text(text)
    with pytest.raises(DataError, match=said) as told:
        forms.WORKPLACE.read(path)
    assert str(path) in str(told.value)


def test_a_place_that_cannot_be_written_ends_the_session(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file, not a folder")
    with pytest.raises(StopRun, match="cannot be written"):
        forms.WORKPLACE.write(tmp_path / "drafts" / "workplace", workplace())
