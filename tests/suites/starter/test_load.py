import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from worktrial.errors import DataError
from worktrial.suites.executable.tasks import read_tasks
from worktrial.suites.starter import load_tasks, load_workplace, suite
from worktrial.workplaces.tools import schema_problem


def test_the_suite() -> None:
    tasks = load_tasks()
    assert len({task.id for task in tasks}) == len(tasks)
    for name in suite.library.names:
        assert sum(task.workplace == name for task in tasks) >= 4
        assert len(load_workplace(name).artifact.tools) >= 6
    assert suite.library.fingerprint == suite.source["fingerprint"]


@pytest.mark.parametrize("name", suite.library.names)
def test_a_model_could_play_the_workplace(name: str) -> None:
    artifact = load_workplace(name).artifact
    source = (suite.folder / name / "tools.py").read_text()
    source += "".join(p.read_text() for p in (suite.folder / name).glob("timetable.py"))
    assert artifact.state_description.keys() == artifact.initial_state.keys()
    for code in re.findall(r'ToolError\(\s*"(\w+)"', source):
        assert code in artifact.system_prompt, code
    for tool in artifact.tools:
        assert schema_problem(tool.parameters) is None
        assert tool.name in artifact.system_prompt
        assert isinstance(tool.example_output, dict)
        assert tool.writes is not None
        assert all(p.get("description") for p in tool.parameters.get("properties", {}).values())


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_texts_of_a_task(task: Any) -> None:
    tools = {tool.name for tool in load_workplace(task.workplace).artifact.tools}
    assert set(re.findall(r"`([^`]+)`", task.rubric)) <= tools
    assert not tools & set(re.findall(r"\w+", task.instruction)), "an instruction names no tool"
    for check in task.checks:
        if check.check in ("called", "never_called"):
            assert check.tool in tools
        if check.check in ("answer_number", "answer_money") and check.value > 30:
            assert not re.search(rf"(?<!\d){check.value:g}(?!\d)", task.instruction.replace(",", ""))


def test_an_unknown_workplace() -> None:
    with pytest.raises(DataError, match=r"no workplace of the starter suite.*emergency_triage"):
        load_workplace("moon_base")


def _change(task: dict[str, Any], path: str, value: Any) -> None:
    *way, last = path.split("/")
    for part in way:
        task = task[int(part)] if isinstance(task, list) else task[part]
    if value is None:
        del task[last]
    else:
        task[int(last) if isinstance(task, list) else last] = value


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("difficulty", 4, r"tasks\[1\] \(line-01\): difficulty: .*less than or equal to 3"),
        ("id", "Line 1", r"\(Line 1\): id: "),
        ("rubric", None, r"tasks\[1\]\.rubric: Field required"),
        ("traits", ["hard"], r"tasks\[1\]\.traits\[0\]: .*implicit_fault_sensitive"),
        ("notes", "x", r"tasks\[1\]\.notes: Extra inputs"),
        ("checks", [], r"checks: "),
        ("checks/0/at", "orders", r"tasks\[1\]\.checks\[0\]\.state_equals\.at: "),
        ("checks/0/check", "state_is", r"tasks\[1\]\.checks\[0\]: .*state_is"),
        (
            "plan/steps/0/call",
            "get_ordr",
            r"\(line-01\)\.plan: steps\[0\] \(get_ordr\): the workplace has no such tool",
        ),
        ("plan/answer", "{{ nobody }}", r"\.plan: answer: no step is named 'nobody'"),
        ("state", [{"op": "replace", "path": "/orders/WO-1/due", "value": "x"}], r"\.state: does not apply"),
        ("state", [{"op": "replace", "path": "/orders/WO-501/due", "value": 5}], r"does not fit: .*orders"),
        ("state", [{"op": "remove", "path": "/clock"}], r"\.clock: neither"),
    ],
)
def test_a_task_that_cannot_be_used(path: str, value: Any, said: str, tmp_path: Path) -> None:
    name = "production_line"
    file = yaml.safe_load((suite.folder / name / "tasks.yaml").read_text())
    _change(file["tasks"][1], path, value)
    broken = tmp_path / "tasks.yaml"
    broken.write_text(yaml.safe_dump(file))
    with pytest.raises(DataError, match=said):
        read_tasks(broken, load_workplace(name))
