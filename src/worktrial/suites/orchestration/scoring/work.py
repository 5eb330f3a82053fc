"""Work that was done, as goals look at it, and what it comes to in the measures of a sample."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worktrial.suites.orchestration.planning.duties import duties
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.scenario import PlanStep, Scenario, UserTurn, WorkflowPlan
from worktrial.suites.orchestration.planning.turns import Answers
from worktrial.suites.orchestration.scoring.calls.calls import Call, StepDecision, decision_of, read_calls
from worktrial.suites.orchestration.scoring.calls.recorded import GoldPlace


@dataclass(frozen=True, slots=True)
class TeamCall:
    """A call that a domain agent made."""

    call: Call
    agent: str
    user_turn: int
    query: str = ""
    """Request to the agent, for a judge."""
    gold: GoldPlace | None = None
    """The recorded call that it was found to be at run time."""


@dataclass(frozen=True, slots=True)
class TeamRefusal:
    """A domain agent's word that it makes no call."""

    decision: StepDecision
    agent: str
    user_turn: int


@dataclass(frozen=True, slots=True)
class TeamWork:
    """Work of a team."""

    calls: Sequence[TeamCall]
    """Calls in the order in which they were made."""
    refusals: Sequence[TeamRefusal]
    plans: Mapping[int, WorkflowPlan]
    """The plan that was made from what the user said, by the user's turn."""


def turn_of(scenario: Scenario) -> dict[int, int]:
    """The user's turn that each step belongs to, 0-based, by `ScenarioStep.id`; -1 before the first."""
    found: dict[int, int] = {}
    turn = -1
    for step in scenario.steps:
        turn += isinstance(step, UserTurn)
        found[step.id] = turn
    return found


def work_in_answers(scenario: Scenario, answers: Answers) -> TeamWork:
    """Work of a team turn by turn, so that its goals are counted exactly like those of a free-running one."""
    turns, known = turn_of(scenario), duties(scenario)
    calls: list[TeamCall] = []
    refusals: list[TeamRefusal] = []
    plans: dict[int, WorkflowPlan] = {}
    for step in scenario.steps:
        answer = answers.get(step.id)
        if answer is None:
            continue
        turn = turns[step.id]
        if isinstance(step, PlanStep):
            plan = our_plan(answer.text)
            if plan is not None:
                plans.setdefault(turn, plan)
            continue
        decision = decision_of(answer)
        if decision is StepDecision.CALL:
            query = known[step.id].query if step.id in known else ""
            calls += [TeamCall(call, step.agent, turn, query) for call in read_calls(answer.tool_calls)]
        elif decision.is_refusal:
            refusals.append(TeamRefusal(decision, step.agent, turn))
    return TeamWork(calls, refusals, plans)
