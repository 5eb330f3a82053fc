"""What the planner and the domain agents are told; the same on every machine, whatever the order of files."""

import json
from collections.abc import Sequence
from pathlib import Path

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.language.templates import templates
from worktrial.suites.fingerprint import files_fingerprint
from worktrial.suites.orchestration.planning.cards import AgentCard, Skill, Team
from worktrial.suites.orchestration.planning.history import Entry
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.planning.workflows import Workflow, WorkflowPlan

_PROMPTS = Path(__file__).parent / "prompts"


def planner_messages(
    language: Language,
    team: Team,
    note: str,
    plan: WorkflowPlan | None,
    entries: Sequence[Entry],
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
    language: Language, card: AgentCard, note: str, query: str, entries: Sequence[Entry]
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


def plan_text(plan: WorkflowPlan) -> str:
    """A plan in the form in which the planner writes one, a workflow a line."""
    lines = [f"{_json(w.id)}: {_json(_written(w))}" for w in plan.workflows]
    return "{" + ",\n ".join(lines) + "}"


def _after(card: AgentCard, skill: Skill) -> list[str]:
    """The skills that have to be used before `skill`; descriptions name them in quotes."""
    return [s.name for s in card.skills if s is not skill and f"'{s.name}'" in skill.description]


def _written(workflow: Workflow) -> JsonObject:
    depends = list(workflow.depends_on)
    return {
        "status": workflow.status,
        "type": workflow.type,
        **({"depend_on": depends[0] if len(depends) == 1 else depends} if depends else {}),
        "steps": [{"status": s.status, "name": s.agent, "refined_query": s.query} for s in workflow.steps],
    }


def _message(role: str, language: Language, template: str, **values: object) -> Message:
    text = templates(_PROMPTS).get_template(f"{language}/{template}.j2").render(json=_json, **values)
    return {"role": role, "content": text.strip()}


def prompts_fingerprint() -> str:
    """SHA-256 over the templates."""
    return files_fingerprint(_PROMPTS, _PROMPTS.rglob("*.j2"))


def _json(value: JsonValue) -> str:
    # YAML knows dates, JSON does not.
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)
