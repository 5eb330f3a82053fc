"""A folder of workplaces, written as the page says."""

import ast
import importlib.util
import shutil
from pathlib import Path

import pytest
import yaml

from worktrial.errors import DataError
from worktrial.source_trees import parsed
from worktrial.suites import starter
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import Home, TaskLibrary, built_in
from worktrial.suites.validate import validate_suite

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/how-to/write-a-workplace.md"
EXAMPLE = ROOT / "examples/parcel_lockers.py"

FIRST_LINES = {
    "state_types.py": "from msgspec import Struct",
    "tools.py": "from worktrial.workplaces.executable import ToolError, reads, writes\n"
    "from .state_types import State",
}


class PageSuite(ExecutableSuite):
    """A suite of the page's workplace."""

    name = "page"
    about = "the workplace of the page"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PageSuite:
    """The page's workplace as a folder: structs, functions and texts each in their file."""
    spec = importlib.util.spec_from_file_location("parcel_lockers", EXAMPLE)
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    parts = parsed(EXAMPLE.read_text("utf-8")).body
    kinds = {"state_types.py": ast.ClassDef, "tools.py": ast.FunctionDef}
    files = {
        name: "\n\n".join([FIRST_LINES[name], *(ast.unparse(part) for part in parts if isinstance(part, kind))])
        for name, kind in kinds.items()
    }
    described = {
        "name": "parcel_lockers",
        "system_prompt": example.RULES,
        "state_description": dict.fromkeys(example.INITIAL, "As it says."),
    }
    files |= {
        "__init__.py": "",
        "initial_state.yaml": yaml.safe_dump(example.INITIAL),
        "workplace.yaml": yaml.safe_dump(described),
        "tasks.yaml": PAGE.read_text("utf-8").partition("```yaml\n")[2].partition("```")[0],
    }
    home = tmp_path / "page_workplaces" / "parcel_lockers"
    home.mkdir(parents=True)
    for name, text in files.items():
        (home / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(PageSuite, "folder", home.parent, raising=False)
    monkeypatch.setattr(PageSuite, "package", home.parent.name, raising=False)
    return PageSuite()


def test_a_workplace_written_as_the_page_says_validates(suite: PageSuite) -> None:
    wrong = [(done.agent, r.sample, r.reason) for done in validate_suite(suite) for r in done.wrong]
    assert wrong == []


def test_what_a_state_leaves_out_has_its_default_everywhere(suite: PageSuite) -> None:
    (task,) = suite.load_tasks()
    # L4 is added by the task, L2 stands in the workplace's own state; neither says what is in it.
    for state in (task.initial_state, task.artifact.initial_state):
        assert state["lockers"]["L4"] == state["lockers"]["L2"] == {"litres": 90, "parcel_id": None}
    assert suite.library.workplace("parcel_lockers").artifact.initial_state["lockers"]["L2"]["parcel_id"] is None
    assert task.open().state == task.initial_state


def test_workplaces_that_hold_none_of_the_named_tasks_are_not_read() -> None:
    def library() -> tuple[TaskLibrary, list[str]]:
        read: list[str] = []

        def reader(folder: Path) -> Home:
            read.append(folder.name)
            return starter.load_workplace(folder.name)

        return TaskLibrary(starter.FOLDER, reader, title="starter"), read

    few, read = library()
    found = few.holding(["returns-01", "lab-01"])
    assert {"returns-01", "lab-01"} <= {task.id for task in found} and len(read) == 2 < len(few.names)
    # A task is the same however it was found; what is no id, such as a range, needs all of them.
    assert [task.id for task in few.holding(["lab-01-02"])] == [task.id for task in starter.load_tasks()]
    assert len(read) == len(set(read)) == len(few.names)
    for ids in ([], ["lab-01", "1"], ["lab-99"]):
        assert len(library()[0].holding(ids)) == len(few.tasks)


def test_a_task_that_is_in_two_of_the_files_read_is_refused(suite: PageSuite) -> None:
    (task,) = suite.load_tasks()
    home = suite.folder / "parcel_lockers"
    shutil.copytree(home, home.with_name("twin"))
    other = TaskLibrary(suite.folder, built_in(suite.package), title="page")
    with pytest.raises(DataError, match="is taken twice"):
        other.holding([task.id])
