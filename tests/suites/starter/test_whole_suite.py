"""The suite as a whole: how broad it is, and that it can be solved, by work only."""

import re
from collections import Counter
from pathlib import Path

import pytest
from tests.support.starter_work import passes

from worktrial.agents.plan import Plan
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_tasks, load_workplace, suite

TASKS = load_tasks()


def with_trait(trait: str) -> list[ExecutableTask]:
    return [task for task in TASKS if trait in task.traits]


def test_ten_industries() -> None:
    assert len(TASKS) >= 40
    assert len(suite.library.names) >= 10
    per_category = Counter(task.category for task in TASKS)
    assert per_category.keys() == set(suite.categories)
    assert min(per_category.values()) >= 4
    for name in suite.library.names:
        tools = load_workplace(name).artifact.tools
        assert len(tools) >= 8, name
        assert any(tool.writes for tool in tools)


def test_difficulties_languages_and_traits() -> None:
    difficulties = Counter(task.difficulty for task in TASKS)
    assert difficulties.keys() == {1, 2, 3}
    assert min(difficulties.values()) >= 5
    korean = [task for task in TASKS if task.language == "ko"]
    assert len(korean) >= 10
    assert len({task.workplace for task in korean}) >= 3
    assert len(with_trait("implicit_fault_sensitive")) >= 10
    assert len(with_trait("refuse_or_ask")) >= 5
    for task in TASKS:
        assert task.tags["traits"] == list(task.traits)
        assert len(set(task.traits)) == len(task.traits)


def test_an_entry_task_for_each_workplace() -> None:
    entry = [task for task in TASKS if task.id.endswith("-00")]
    assert [task.workplace for task in entry] == suite.library.names
    assert {task.category for task in entry} == set(suite.categories)
    assert all(1 <= len(task.plan.steps) <= 3 and task.difficulty == 1 and not task.traits for task in entry)


def is_hangul(character: str) -> bool:
    return "가" <= character <= "힣"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_an_instruction_is_in_its_language(task: ExecutableTask) -> None:
    assert any(map(is_hangul, task.instruction)) is (task.language == "ko")


def test_every_plan_passes_and_idling_never_does() -> None:
    assert [task.id for task in TASKS if not passes(task, task.plan)] == []
    assert [task.id for task in TASKS if passes(task, Plan(answer="Done."))] == []
    assert [task.id for task in TASKS if passes(task, Plan(answer=task.instruction))] == []


@pytest.mark.parametrize("task", with_trait("refuse_or_ask"), ids=lambda task: task.id)
def test_what_must_not_be_done_is_checked(task: ExecutableTask) -> None:
    """Doing everything but for saying so is not enough: a check watches what must be left alone."""
    assert {"never_called", "only_changed", "state_equals", "state_absent"} & {check.check for check in task.checks}


def test_the_page_tells_what_there_is() -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/starter.md").read_text()
    assert f"with {len(TASKS)} tasks" in page
    for trait in ("implicit_fault_sensitive", "refuse_or_ask"):
        assert f"| `{trait}` | {len(with_trait(trait))} |" in page
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (\d+) \| .+ \| (\w+-00) … (\d\d) \|$", page, re.MULTILINE)
    assert [row[0] for row in rows] == suite.library.names
    for name, category, tools, first, last in rows:
        here = [task for task in TASKS if task.workplace == name]
        assert {task.category for task in here} == {category}
        assert len(load_workplace(name).artifact.tools) == int(tools)
        assert (here[0].id, here[-1].id) == (first, f"{first[:-2]}{last}")
