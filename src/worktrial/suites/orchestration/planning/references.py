"""Teams that need no model: the echo of the gold, and those that understand nothing, the floors of every score."""

import re
from collections import Counter
from collections.abc import Callable, Iterable

from worktrial.grading.written.filling import filled, likest
from worktrial.language import Completion, JsonValue, Message
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
from worktrial.suites.orchestration.planning.turns import Answers, GoldStep, StepAnswer, StepRequest, refusal_text

GOLD = "gold"
ALWAYS_CALL = "always-call"
ALWAYS_REFUSE = "always-refuse"
FILL_FROM_WORDS = "fill-from-words"
FLOORS = (ALWAYS_CALL, ALWAYS_REFUSE, FILL_FROM_WORDS)
REFERENCES = (GOLD, *FLOORS)

Reference = Callable[[StepRequest], Message]
"""Answers a request with a message, as a model does."""

_MISSING = {Language.EN: "More details from the user", Language.KO: "사용자의 추가 정보"}
_PARTS = re.compile(r"[.?!;\n]+\s*|, | and | then |(?<=[고서])\s")
_FEWEST = 8
"""Letters of a part of a request that a workflow is planned for."""


def recorded(step: GoldStep) -> Message:
    """Answer of the recording at this step: the ceiling of every score."""
    match step:
        case PlanStep() | OddStep():
            return saying(step.text)
        case RefusalStep():
            return saying(refusal_text(step.type, step.info))
        case CallStep():
            return _calling(step, *((call.tool, call.arguments) for call in step.calls))


def saying(text: str) -> Message:
    """A message of nothing but words."""
    return {"role": "assistant", "content": text}


def _calling(step: GoldStep, *calls: tuple[str, JsonValue]) -> Message:
    made = [
        {"id": f"call_{step.id}_{n}", "type": "function", "function": {"name": tool, "arguments": json_text(given)}}
        for n, (tool, given) in enumerate(calls)
    ]
    return {**saying(""), "tool_calls": made}


def reference(name: str, language: Language, team: Team, constant_plan: str) -> Reference:
    """The reference team `name`, one of `REFERENCES`.

    Args:
        name: Which one. `gold` echoes the recording. The others know nothing but what is asked: `always-call` and
            `always-refuse` write the same plan whatever the user wants; the domain agents of one call their first
            tool with nothing, those of the other wait for the user. `fill-from-words` plans for the agents, calls
            the tool and fills the arguments that share most words with the request.
        language: Of the scenario.
        team: The domain agents.
        constant_plan: What is always written, from `constant_plan_text`.
    """
    refusal = refusal_text(RefusalType.AWAITING_USER_INPUT, _MISSING[language])

    def floor(asked: StepRequest) -> Message:
        step, tools = asked.step, [spec["function"] for spec in asked.tools]
        if asked.is_for_plan:
            written = plan_text(_plan_from_words(asked.words, team)) if name == FILL_FROM_WORDS else constant_plan
            return saying(written)
        if name == ALWAYS_REFUSE or not tools:
            return saying(refusal)
        if name == ALWAYS_CALL:
            return _calling(step, (tools[0]["name"], {}))
        tool = tools[likest(asked.words, [f"{tool['name']} {tool['description']}" for tool in tools])]
        record = str(asked.messages[-1]["content"])
        given = filled(tool["parameters"], asked.words, record)
        if not given.keys() >= set(tool["parameters"].get("required", ())):
            return saying(refusal)
        return _calling(step, (tool["name"], given))

    return (lambda asked: recorded(asked.step)) if name == GOLD else floor


def _plan_from_words(words: str, team: Team) -> WorkflowPlan:
    """A workflow of one step for each agent that shares most words with a part of the request."""
    cards = list(team.values())
    about = [
        " ".join([card.name, card.description, *(f"{s.name} {s.description}" for s in card.skills)])
        for card in cards
    ]
    parts = [part for part in _PARTS.split(words) if len(part) >= _FEWEST] or [words]
    chosen: dict[str, str] = {}
    for part in parts:
        chosen.setdefault(cards[likest(part, about)].agent_id, part)
    return WorkflowPlan(
        tuple(
            Workflow(f"workflow_{n}", steps=(WorkflowStep(agent, query=query),))
            for n, (agent, query) in enumerate(chosen.items(), 1)
        )
    )


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


def answers_of(team: Reference, requests: Iterable[StepRequest]) -> Answers:
    """The answers of a reference team, by step."""
    return {asked.step.id: StepAnswer.of(asked.step.id, Completion(team(asked))) for asked in requests}
