"""Steps that the published program asks in the same words, and that have different gold."""

from collections.abc import Iterator

from worktrial.suites.orchestration.planning.duties import is_domain_step
from worktrial.suites.orchestration.planning.lint.place import oddity
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Oddity,
    OddStep,
    PlanStep,
    RefusalStep,
    Scenario,
    Step,
    SystemNote,
)
from worktrial.suites.orchestration.planning.workflows import Workflow

_Words = tuple[int, str | None]


def same_prompts(scenario: Scenario) -> Iterator[Oddity]:
    """Both steps of each such pair.

    The published program shows a domain agent what the user and the main model said and what tools returned, but
    not who it is or what agents refused; a request of the plan is shown once. So two agents that are asked again
    after their requests are used up see the same words, and only their tools differ.
    """
    asked: dict[_Words, CallStep | RefusalStep] = {}
    plan: dict[str, Workflow] = {}
    used: set[tuple[str, int]] = set()
    shown = 0
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            plan |= step.plan.by_id
        if isinstance(step, CallStep | RefusalStep):
            words = shown, _request(step, plan, used)
            other = asked.get(words)
            if other is not None and _gold(other) != _gold(step):
                for one, two in ((other, step), (step, other)):
                    reason = (
                        f"the published program asks step {two.id} ({two.agent}) in the same words, with other gold"
                    )
                    yield oddity(scenario, one.id, OddityCode.SAME_PROMPT, reason)
            asked[words] = step
        shown += _is_shown(step)


def _request(step: Step, plan: dict[str, Workflow], used: set[tuple[str, int]]) -> str | None:
    """The first request of the plan to the agent that no earlier step was given."""
    for workflow in plan.values():
        for n, planned in enumerate(workflow.steps):
            if planned.agent == step.agent and (workflow.id, n) not in used:
                used.add((workflow.id, n))
                return planned.query
    return None


def _is_shown(step: Step) -> bool:
    if is_domain_step(step):
        return isinstance(step, CallStep) or (isinstance(step, OddStep) and "tool" in step.text)
    return not isinstance(step, SystemNote)


def _gold(step: CallStep | RefusalStep) -> object:
    return step.calls if isinstance(step, CallStep) else (step.type, step.info)
