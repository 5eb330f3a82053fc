"""Steps in the published layout, for tests."""

import json
from typing import Any

from worktrial.suites.orchestration.scoring.calls.published import PublishedStepScore, score_step

SCHEMAS: dict[str, Any] = {
    "book": {
        "type": "object",
        "properties": {
            "room": {"type": "string"},
            "guests": {"type": "integer"},
            "price": {"type": "number"},
            "view": {"type": "string", "enum": ["sea", "street"]},
            "phone": {"type": "string", "pattern": r"^\d{3}-\d{4}$"},
            "note": {"type": ["string", "null"]},
            "extras": {"items": {"enum": ["bed", "crib"]}},
        },
    },
    "odd": {"properties": {"broken": True, "typed": {"type": "date"}, "pattern": {"pattern": "("}}},
}


def call(name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}


def gold_calls(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Label of step 4: these calls."""
    wire = [call(name, json.dumps(arguments)) for name, arguments in calls]
    return {
        "4": {"role": "assistant", "agent_id": "hotel_agent", "content": "tool: …"},
        "4-1": {"role": "assistant", "agent_id": "hotel_agent", "content": "", "tool_calls": wire},
    }


def gold_refusal(content: str = "status: AWAITING_USER_INPUT\nrequired_info: the date") -> dict[str, Any]:
    """Label of step 4: no call."""
    return {"4": {"role": "assistant", "agent_id": "hotel_agent", "content": content}}


def answer(*calls: Any, content: Any = "", **more: Any) -> dict[str, Any]:
    return {"step_id": "4", "role": "assistant", "content": content, "tool_calls": list(calls), **more}


def score(step: dict[str, Any], label: dict[str, Any]) -> PublishedStepScore:
    return score_step(step, label, SCHEMAS)


def compared(gold: dict[str, Any], predicted: dict[str, Any], tool: str = "book") -> PublishedStepScore:
    """The score of one call against one gold call of the same tool."""
    return score(answer(call(tool, predicted)), gold_calls((tool, gold)))
