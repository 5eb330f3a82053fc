"""A small team and steps for tests of scoring."""

import json
from typing import Any

from worktrial.suites.orchestration.planning.cards import AgentCard, AgentTool, Team
from worktrial.suites.orchestration.planning.scenario import CallStep, GoldCall, RefusalStep, RefusalType
from worktrial.suites.orchestration.planning.turns import StepAnswer

SEARCH = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "start": {"type": "string", "pattern": r"^\d{1,2}:\d{2}$"},
        "limit": {"type": "integer", "default": 5},
        "open_now": {"type": "boolean"},
        "sort": {"type": "string", "enum": ["near", "cheap"]},
        "modes": {"type": "array", "items": {"type": "string", "enum": ["bus", "walk"]}},
        "tags": {"type": "array", "items": {"type": "string"}},
        "ids": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "counts": {"type": "array", "items": {"type": "number"}},
        "place": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "floor": {"type": "integer"}, "kind": {"enum": ["a", "b"]}},
        },
        "where": {"type": ["string", "object"]},
        "code": {"type": "string"},
        "max_price": {"type": "number"},
    },
    "required": ["query"],
}
TEAM: Team = {
    "other_agent": AgentCard(
        "other_agent", "Other", "", tools=(AgentTool("lend", "", {"properties": {"days": {"type": "integer"}}}),)
    ),
    "place_agent": AgentCard(
        "place_agent",
        "Places",
        "",
        tools=(AgentTool("search", "", SEARCH), AgentTool("ping", "", {"type": "object", "properties": {}})),
    ),
}


def call(tool: str, arguments: Any) -> dict[str, Any]:
    """A native tool call; arguments that are a string go as they are."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": "call_1", "type": "function", "function": {"name": tool, "arguments": text}}


def said(text: str = "", *calls: dict[str, Any], trouble: str | None = None, step: int = 1) -> StepAnswer:
    return StepAnswer(step, text, tuple(calls), trouble)


def gold(*calls: tuple[str, dict[str, Any]], step: int = 1, agent: str = "place_agent") -> CallStep:
    made = tuple(GoldCall(tool, arguments) for tool, arguments in calls)
    return CallStep(id=step, workflow="workflow_1", agent=agent, text="", calls=made)


def refusal(kind: RefusalType = RefusalType.AWAITING_USER_INPUT, step: int = 1) -> RefusalStep:
    return RefusalStep(id=step, workflow="workflow_1", agent="place_agent", text="", type=kind, info="the date")
