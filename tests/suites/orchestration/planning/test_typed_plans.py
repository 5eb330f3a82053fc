"""A parsed plan read into types."""

from typing import Any

import pytest
from tests.suites.orchestration.planning.plans import PLAN, RAW

from worktrial.suites.orchestration.planning.plan_text import UNSTATED, NotAPlan, read_plan
from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowStep


def _only(workflow: Any, key: str = "workflow_1") -> Workflow:
    (found,) = read_plan({key: workflow}).workflows
    return found


def test_a_plan_and_the_mapping_it_came_from() -> None:
    plan = read_plan(RAW)
    assert plan == PLAN
    assert plan.raw is RAW


@pytest.mark.parametrize(
    "key", ["workflow_2-1", "interrupted_workflow_2-1", "interrupted_workflow_1", "workflow1", "workflow_refund"]
)
def test_ids(key: str) -> None:
    assert _only({}, key).id == key


def test_other_keys_are_passed_over() -> None:
    extra = {"note": "a } b", "workflows": {}, "workflow_note": "two of them", "status": "ok"}
    assert read_plan({**RAW, **extra}) == PLAN


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ()),
        ({"depends_on": None, "depend_on": ""}, ()),
        ({"depends_on": [], "depend_on": "None"}, ()),
        ({"depend_on": "workflow_1"}, ("workflow_1",)),
        ({"depends_on": ["workflow_2", "workflow_1"]}, ("workflow_2", "workflow_1")),
        ({"depends_on": "workflow_2 , workflow_1"}, ("workflow_2", "workflow_1")),
        ({"depends_on": ["workflow_2"], "depend_on": ["workflow_1", "workflow_2"]}, ("workflow_2", "workflow_1")),
        ({"depend_on": 1}, ("1",)),
    ],
)
def test_both_spellings_of_dependencies(fields: dict[str, Any], expected: tuple[str, ...]) -> None:
    found = _only(fields)
    assert found.depends_on == expected
    assert found.type == ("dependent" if expected else "independent")


def test_what_a_plan_leaves_out() -> None:
    assert _only({}) == Workflow("workflow_1", status=UNSTATED)
    assert _only({"steps": None, "type": "dependent", "status": True}).status == "true"
    found = _only(
        {"steps": [{}, {"agent_id": "a", "name": "b"}, {"agent_id": "", "name": "b", "status": "paused"}]}
    )
    assert found.steps == (WorkflowStep("", UNSTATED), WorkflowStep("a", UNSTATED), WorkflowStep("b", "paused"))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, "nothing, where a mapping of workflow ids is needed"),
        ([], "a list, where a mapping of workflow ids is needed"),
        ("workflow_1", "a str, where a mapping of workflow ids is needed"),
        ({}, "no workflow: no key such as `workflow_1`"),
        ({1: {}, "plan": {}}, "no workflow: no key such as `workflow_1`"),
        ({"workflow_1": "pending"}, "workflow_1: a str, where a mapping is needed"),
        ({**RAW, "workflow_3": [{}]}, "workflow_3: a list, where a mapping is needed"),
        ({"workflow_1": {"steps": {"1": {}}}}, "workflow_1.steps: a mapping, where a list is needed"),
        ({"workflow_1": {"steps": "a"}}, "workflow_1.steps: a str, where a list is needed"),
        ({"workflow_1": {"steps": [{}, "a"]}}, "workflow_1.steps[1]: a str, where a mapping is needed"),
        ({"workflow_1": {"steps": [{"agent_id": ["a"]}]}}, "workflow_1.steps[0].agent_id: a list, where a text"),
        ({"workflow_1": {"steps": [{"status": {}}]}}, "workflow_1.steps[0].status: a mapping, where a text"),
        ({"workflow_1": {"depends_on": [{}]}}, "workflow_1.depends_on[0]: a mapping, where a text is needed"),
        ({"workflow_1": {"depend_on": {}}}, "workflow_1.depend_on: a mapping, where a text is needed"),
    ],
)
def test_no_plan(raw: Any, message: str) -> None:
    with pytest.raises(NotAPlan) as caught:
        read_plan(raw)
    assert message in str(caught.value)
