"""Prompts of planner and domain agents: the same on every machine, whatever the order of files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worktrial.language import JsonObject, Message
from worktrial.language.templates import templates
from worktrial.outside.files import files_fingerprint
from worktrial.suites.orchestration.planning.cards import AgentCard, Skill, Team
from worktrial.suites.orchestration.planning.plan_text import json_text, plan_text
from worktrial.suites.orchestration.planning.scenario import Language, Scenario, WorkflowPlan
from worktrial.suites.orchestration.planning.turns import HistoryEntry, StepRequest, Views, gold_steps, is_for_plan

_PROMPTS = Path(__file__).parent / "templates" / "team"
_FREE_PROMPTS = Path(__file__).parent / "templates" / "free"


def planner_messages(
    language: Language,
    team: Team,
    note: str,
    plan: WorkflowPlan | None,
    entries: Sequence[HistoryEntry],
    *,
    free: bool = False,
    compact: bool = False,
) -> list[Message]:
    """The request for a plan.

    Args:
        language: The language of the prompt.
        team: All domain agents.
        note: What everyone is told at the start, such as the date.
        plan: The plan in force; None for none.
        entries: What has been said and done.
        free: Whether the model decides between a plan and words to the user. If not, a plan it must be.
        compact: Name the agents' skills without describing them, for models with little room.
    """
    written = plan_text(plan) if plan is not None and plan.workflows else ""
    cards = [team[name] for name in sorted(team)]
    return [
        _message("system", language, "planner", team=cards, free=free, compact=compact, after=_after),
        _message("user", language, "planner_turn", note=note, plan=written, entries=entries, free=free),
    ]


def agent_messages(
    language: Language, card: AgentCard, note: str, query: str, entries: Sequence[HistoryEntry]
) -> list[Message]:
    """The request to the domain agent of `card`; its tools travel beside it, see `agent_tools`.

    Args:
        language: The language of the prompt.
        card: The agent's card.
        note: What everyone is told at the start, such as the date.
        query: What the plan asks of the agent.
        entries: What it may see of what has been said and done.
    """
    return [
        _message("system", language, "agent", card=card),
        _message("user", language, "agent_turn", note=note, query=query, entries=entries, card=card),
    ]


def agent_tools(card: AgentCard) -> list[JsonObject]:
    """The tools of a domain agent, for the request."""
    return [tool.spec for tool in card.tools]


def _after(card: AgentCard, skill: Skill) -> list[str]:
    """The skills that have to be used before `skill`; descriptions name them in quotes."""
    return [s.name for s in card.skills if s is not skill and f"'{s.name}'" in skill.description]


def _message(role: str, language: Language, template: str, **values: object) -> Message:
    text = templates(_PROMPTS).get_template(f"{language}/{template}.j2").render(json=json_text, **values)
    return {"role": role, "content": text.strip()}


def prompts_fingerprint() -> str:
    """SHA-256 over the templates."""
    return files_fingerprint(_PROMPTS, _PROMPTS.rglob("*.j2"))


@dataclass(frozen=True, slots=True)
class ScenarioRequests:
    """All requests of one scenario."""

    requests: Sequence[StepRequest]
    queries: Mapping[int, str]
    """Requests to the domain agents, by step."""


def requests_of(scenario: Scenario, team: Team, *, compact: bool = False) -> ScenarioRequests:
    """The requests of a scenario, in the order of its steps.

    Args:
        scenario: The recorded conversation.
        team: The domain agents.
        compact: See `planner_messages`.
    """
    views = Views(scenario)
    requests: list[StepRequest] = []
    queries: dict[int, str] = {}
    for step in gold_steps(scenario, team)[0]:
        if is_for_plan(step):
            plan, entries = views.planner(step)
            messages = planner_messages(scenario.language, team, scenario.note, plan, entries, compact=compact)
            words = next((entry.text for entry in reversed(entries) if entry.who == "user"), "")
            requests.append(StepRequest(step, messages, words=words, draw=step.id))
            continue
        query, entries = views.agent(step)
        queries[step.id] = query
        card = team[step.agent]
        messages = agent_messages(scenario.language, card, scenario.note, query, entries)
        requests.append(StepRequest(step, messages, agent_tools(card), query, step.id))
    return ScenarioRequests(requests, queries)


@cache
def after_a_call(language: Language) -> str:
    """Message with which a domain agent goes on when it has the results of its calls."""
    return (_FREE_PROMPTS / language / "agent.md").read_text(encoding="utf-8").strip()


@cache
def world_rules() -> JsonObject:
    """Instructions of the model that plays the tools: `rules`, and the meaning of its `state`."""
    import yaml

    rules: JsonObject = yaml.safe_load((_FREE_PROMPTS / "world.yaml").read_text(encoding="utf-8"))
    return rules


def free_prompts_fingerprint() -> str:
    """SHA-256 over the texts."""
    return files_fingerprint(_FREE_PROMPTS, (p for p in _FREE_PROMPTS.rglob("*") if p.is_file()))
