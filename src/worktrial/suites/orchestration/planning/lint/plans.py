"""Gold plans held against the team and against themselves."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.lint.place import oddity
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.plan_text import UNSTATED
from worktrial.suites.orchestration.planning.scenario import Oddity, PlanStep, Scenario
from worktrial.suites.orchestration.planning.workflows import Workflow, WorkflowPlan

_COMPLETED = "completed"
_STATUSES = frozenset({"pending", "paused", _COMPLETED, "canceled", "cancelled"})


def plan_oddities(scenario: Scenario, team: Team) -> Iterator[Oddity]:
    """What is odd about the scenario's gold plans."""
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            for code, reason in (*_of_agents(step.plan, team), *_of_statuses(step.plan), *_of_order(step.plan)):
                yield oddity(scenario, step.id, code, reason)


def _of_agents(plan: WorkflowPlan, team: Team) -> Iterator[tuple[OddityCode, str]]:
    for workflow in plan.workflows:
        for agent in dict.fromkeys(step.agent for step in workflow.steps if step.agent not in team):
            yield OddityCode.UNKNOWN_AGENT, f"{workflow.id} names {agent!r}, and there is no such agent"


def _of_statuses(plan: WorkflowPlan) -> Iterator[tuple[OddityCode, str]]:
    for workflow in plan.workflows:
        written = dict.fromkeys((workflow.status, *(step.status for step in workflow.steps)))
        for status in written:
            if status == UNSTATED:
                yield OddityCode.ODD_PLAN_STATUS, f"{workflow.id} or a step of it states no status"
            elif status not in _STATUSES:
                yield OddityCode.ODD_PLAN_STATUS, f"{workflow.id} has the status {status!r}"
        if workflow.status == _COMPLETED and (others := _unfinished(workflow)):
            reason = f"{workflow.id} is completed, and a step of it is {' or '.join(others)}"
            yield OddityCode.STATUS_MISMATCH, reason


def _unfinished(workflow: Workflow) -> list[str]:
    return list(dict.fromkeys(step.status for step in workflow.steps if step.status != _COMPLETED))


def _of_order(plan: WorkflowPlan) -> Iterator[tuple[OddityCode, str]]:
    known = plan.by_id
    if strays := [str(key) for key in plan.raw if key not in known]:
        yield OddityCode.ODD_PLAN_KEY, f"{', '.join(strays)}: no workflow, and passed over"
    for workflow in plan.workflows:
        for other in workflow.depends_on:
            if other not in known:
                reason = f"{workflow.id} depends on {other!r}, and the plan has no such workflow"
                yield OddityCode.UNKNOWN_DEPENDENCY, reason
    try:
        TopologicalSorter({workflow.id: workflow.depends_on for workflow in plan.workflows}).prepare()
    except CycleError as e:
        yield OddityCode.DEPENDENCY_CYCLE, f"waits for itself: {' < '.join(e.args[1])}"
