"""Teams that need no model: the echo of the gold, and the floors that every score is seen against."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.plan_text import json_text, plan_text
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Scenario,
    Workflow,
    WorkflowPlan,
    WorkflowStep,
)
from worktrial.suites.orchestration.planning.turns import Answers, GoldStep, StepAnswer, is_for_plan, refusal_text

GOLD = "gold"
CONSTANT_PLAN = "constant-plan"
ONE_SENTENCE = "one-sentence"
ALWAYS_REFUSE = "always-refuse"
FLOORS = (CONSTANT_PLAN, ONE_SENTENCE, ALWAYS_REFUSE)
REFERENCES = (GOLD, *FLOORS)

Reference = Callable[[GoldStep], StepAnswer]

_SENTENCE = {Language.EN: "Thank you, I will look into it.", Language.KO: "감사합니다. 확인해 보겠습니다."}
_MISSING = {Language.EN: "More details from the user", Language.KO: "사용자의 추가 정보"}


def gold(step: GoldStep) -> StepAnswer:
    """Answer of the recording at this step: the ceiling of every score."""
    match step:
        case PlanStep() | OddStep():
            return StepAnswer(step.id, step.text)
        case RefusalStep():
            return StepAnswer(step.id, refusal_text(step.type, step.info))
        case CallStep():
            calls = [(call.tool, json_text(call.arguments)) for call in step.calls]
            return StepAnswer(
                step.id,
                tool_calls=tuple(
                    {
                        "id": f"call_{step.id}_{n}",
                        "type": "function",
                        "function": {"name": tool, "arguments": given},
                    }
                    for n, (tool, given) in enumerate(calls)
                ),
            )


def reference(name: str, language: Language, constant_plan: str) -> Reference:
    """The reference team `name`, one of `REFERENCES`.

    Args:
        name: Which one. `gold` echoes the recording. `constant-plan` writes the same plan whatever the user wants,
            and its domain agents say nothing. `one-sentence` answers every request with the same sentence.
            `always-refuse` writes no plan, and its domain agents always wait for the user.
        language: Of the scenario.
        constant_plan: What `constant-plan` writes, from `constant_plan_text`.
    """
    sentence = _SENTENCE[language]
    refusal = refusal_text(RefusalType.AWAITING_USER_INPUT, _MISSING[language])
    plan, other = {
        CONSTANT_PLAN: (constant_plan, ""),
        ONE_SENTENCE: (sentence, sentence),
        ALWAYS_REFUSE: (sentence, refusal),
    }.get(name, ("", ""))
    if name == GOLD:
        return gold
    return lambda step: StepAnswer(step.id, plan if is_for_plan(step) else other)


def constant_plan_text(scenarios: Iterable[Scenario], team: Team) -> str:
    """Two independent workflows of one step each, for the two agents with the most steps in the gold plans.

    In the released data these are `place_agent` and `shopping_agent`.
    """
    counts = Counter(dict.fromkeys(team, 0))
    for scenario in scenarios:
        for step in scenario.steps:
            if isinstance(step, PlanStep):
                counts.update(s.agent for w in step.plan.workflows for s in w.steps if s.agent in team)
    most = sorted(counts, key=lambda agent: (-counts[agent], agent))[:2]
    workflows = (
        Workflow(f"workflow_{n}", steps=(WorkflowStep(agent, query=team[agent].name),))
        for n, agent in enumerate(most, 1)
    )
    return plan_text(WorkflowPlan(tuple(workflows)))


def answers_of(team: Reference, steps: Iterable[GoldStep]) -> Answers:
    """The answers of a reference team, by step."""
    answers: Mapping[int, StepAnswer] = {step.id: team(step) for step in steps}
    return answers
