"""What everyone may see before a step of a recorded conversation: the history of a turn-by-turn trial."""

import re
from collections.abc import Iterable, Iterator, Sequence

from worktrial.suites.orchestration.planning.duties import Duty, duties, query_of, workflow_of
from worktrial.suites.orchestration.planning.history import Entry, ToolUse
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    Scenario,
    Step,
    UserTurn,
)
from worktrial.suites.orchestration.planning.workflows import WorkflowPlan

__all__ = ["Views", "agent_view", "planner_view", "query_of", "refusal_text", "workflow_of"]

# What cannot be read may still hold a result that later steps build on; an annotator's remark holds none.
_RECORD = re.compile(r"^[\s-]*(?:tool|tool_call|tool_call_result|arguments|status|required_info)\s*:", re.MULTILINE)


class Views:
    """The views of one scenario, for asking about many of its steps."""

    def __init__(self, scenario: Scenario) -> None:
        self._steps = scenario.steps
        self._place = {step.id: n for n, step in enumerate(scenario.steps)}
        self._duties = duties(scenario)

    def planner(self, step: Step) -> tuple[WorkflowPlan | None, tuple[Entry, ...]]:
        """The plan in force before `step`, and everything said and done before it."""
        before = self._before(step)
        return _plan_in_force(before), tuple(_entries(before, self._duties))

    def agent(self, step: Step) -> tuple[str, tuple[Entry, ...]]:
        """What the domain agent of `step` is asked, and what it may see of what was said and done before.

        Work of the same round for a workflow that does not lead to this one goes on in parallel and is hidden.

        Raises:
            KeyError: no domain agent is at work at this step.
        """
        before, duty = self._before(step), self._duties[step.id]
        shared = {None, duty.workflow} | _leading_to(duty.workflow, _plan_in_force(before))

        def is_visible(other: Step) -> bool:
            theirs = self._duties.get(other.id)
            return (
                theirs is None or theirs.round != duty.round or duty.workflow is None or theirs.workflow in shared
            )

        return duty.query, tuple(_entries(filter(is_visible, before), self._duties))

    def _before(self, step: Step) -> Sequence[Step]:
        return self._steps[: self._place[step.id]]


def planner_view(scenario: Scenario, step: Step) -> tuple[WorkflowPlan | None, tuple[Entry, ...]]:
    """See `Views.planner`."""
    return Views(scenario).planner(step)


def agent_view(scenario: Scenario, step: Step) -> tuple[str, tuple[Entry, ...]]:
    """See `Views.agent`."""
    return Views(scenario).agent(step)


def refusal_text(type: RefusalType, info: str) -> str:
    """A refusal in the two lines that a domain agent writes."""
    label = "required_info" if type is RefusalType.AWAITING_USER_INPUT else "violation_message"
    return f"status: {type}\n{label}: {info}" if info else f"status: {type}"


def _plan_in_force(steps: Iterable[Step]) -> WorkflowPlan | None:
    plan = None
    for step in steps:
        if isinstance(step, PlanStep):
            plan = step.plan
    return plan


def _leading_to(workflow: str | None, plan: WorkflowPlan | None) -> set[str | None]:
    """The workflows that `workflow` waits for, directly or not."""
    by_id = plan.by_id if plan is not None else {}
    found: set[str | None] = set()
    unread = [workflow]
    while unread:
        here = by_id.get(unread.pop() or "")
        fresh = [w for w in here.depends_on if w not in found] if here is not None else []
        found.update(fresh)
        unread += fresh
    return found


def _entries(steps: Iterable[Step], known: dict[int, Duty]) -> Iterator[Entry]:
    for step in steps:
        match step:
            case UserTurn():
                yield Entry("user", step.text)
            case Reply():
                yield Entry("main", step.text)
            case CallStep():
                uses = tuple(ToolUse(call.tool, call.arguments, call.result) for call in step.calls)
                yield Entry("agent", agent=step.agent, workflow=known[step.id].workflow, uses=uses)
            case RefusalStep():
                text = refusal_text(step.type, step.info)
                yield Entry("agent", text, step.agent, known[step.id].workflow)
            case OddStep() if step.id in known and _RECORD.search(step.text):
                yield Entry("agent", step.text, step.agent, known[step.id].workflow)
