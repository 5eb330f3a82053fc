"""The tool hire shop as what gates look at, and ways to spoil it."""

import copy
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from tests.support.own_workplaces import write_files
from tests.support.tool_hire import tools

from worktrial.suites.executable.tasks import ExecutableTask, Home, read_tasks
from worktrial.synthesis.clauses import Clause, read_clauses
from worktrial.synthesis.gates import Door, Expectation, Gated, read_expectations
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.report_form import ReportForm

FOLDER = Path(tools.__file__).parent
Entry = dict[str, Any]


def workplace() -> ExecutableWorkplace:
    return with_form()


@cache
def with_form(*outcomes: str) -> ExecutableWorkplace:
    """The workplace, with a report form of these outcomes if there are any."""
    return ExecutableWorkplace.build(
        "tool_hire",
        tools,
        system_prompt="You play the counter of a tool hire shop.",
        initial_state=yaml.safe_load((FOLDER / "initial_state.yaml").read_text("utf-8")),
        report=ReportForm({code: f"it is {code.lower()}; `date`: day" for code in outcomes}) if outcomes else None,
    )


@cache
def _file() -> dict[str, Any]:
    tasks: dict[str, Any] = yaml.safe_load((FOLDER / "tasks.yaml").read_text("utf-8"))
    return tasks


def entry(id: str) -> Entry:
    """A task as it is written, to be changed."""
    return copy.deepcopy(next(one for one in _file()["tasks"] if one["id"] == id))


def tasks_of(*entries: Entry, home: Home | None = None) -> list[ExecutableTask]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tasks.yaml"
        path.write_text(yaml.safe_dump({**_file(), "tasks": list(entries)}, allow_unicode=True), "utf-8")
        return read_tasks(path, home or workplace())


@cache
def good_tasks() -> tuple[ExecutableTask, ...]:
    return tuple(tasks_of(*_file()["tasks"]))


@cache
def clauses() -> list[Clause]:
    return read_clauses(FOLDER / "clauses.yaml")


@cache
def expectations() -> list[Expectation]:
    return read_expectations(FOLDER / "expectations.yaml")


def shop(*entries: Entry, **changed: Any) -> Gated:
    """The good workplace with tasks of one's own; all good ones where none are given."""
    subject = Gated(
        door=Door(workplace()),
        tasks=tasks_of(*entries) if entries else good_tasks(),
        clauses=clauses(),
        expectations=expectations(),
    )
    return replace(subject, **changed)


def with_tools(change: Callable[[str], str], *ids: str) -> Gated:
    """The workplace with its code changed, and some of the good tasks in it."""
    source = (FOLDER / "tools.py").read_text("utf-8")
    changed = change(source)
    assert changed != source, "the plant changes nothing"
    door = Door(workplace()).mutated("tools.py", changed)
    return shop(door=door, tasks=tasks_of(*map(entry, ids or ("hire-01", "hire-05")), home=door.home))


def write_folder(folder: Path, change: Callable[[str], str] = str) -> Path:
    """The shop as a suite of one's own: a folder that a person could have written, its code changed."""
    own = {
        name: (FOLDER / name).read_text("utf-8")
        for name in ("initial_state.yaml", "expectations.yaml", "tasks.yaml")
    }
    about = {"format": 1, "kind": "suite", "name": "tool-hire", "title": "A tool hire counter"}
    write_files(folder, {"suite.yaml": about, "clauses.yaml": (FOLDER / "clauses.yaml").read_text("utf-8")})
    described = {"name": "tool_hire", "system_prompt": "You play the counter.", "state_description": {}}
    code = change((FOLDER / "tools.py").read_text("utf-8"))
    write_files(folder / "workplaces" / "tool_hire", {"workplace.yaml": described, "tools.py": code, **own})
    return folder
