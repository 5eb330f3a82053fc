"""A folder of workplaces and tasks in our own package."""

import shutil
from pathlib import Path

import pytest

from worktrial.errors import DataError
from worktrial.suites import starter
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import Home, TaskLibrary, built_in
from worktrial.suites.validate import validate_suite

FOLDER = Path(__file__).parents[2] / "support" / "locker_suite"


class PageSuite(ExecutableSuite):
    """A suite of one workplace."""

    name = "page"
    about = "a wall of parcel lockers"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PageSuite:
    """A suite of the lockers, whose files a test may change."""
    home = tmp_path / "page_workplaces" / "parcel_lockers"
    shutil.copytree(FOLDER / home.name, home)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(PageSuite, "folder", home.parent, raising=False)
    monkeypatch.setattr(PageSuite, "package", home.parent.name, raising=False)
    return PageSuite()


def test_a_workplace_in_files_validates(suite: PageSuite) -> None:
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
