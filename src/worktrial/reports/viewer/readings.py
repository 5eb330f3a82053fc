"""Replies in a stored trajectory, read for the page that shows them: the page has no reader of its own."""

import json
from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue, may_be_mixed, read_reply, tools_called

# Parts of a trajectory that hold no words of a model at work.
_APART = frozenset({"calls", "own", "audit", "final_state", "initial_state"})
_DEEP = 6  # lists and objects around a message
Place = tuple[str | int, ...]


def readings_of(line: bytes) -> bytes | None:
    """Readings of the replies in a stored trajectory; None where all are just words, and calls in fields.

    They are a JSON list of pairs: the keys that lead to a reply, and `{"text", "thinking", "refusal"}`.

    Args:
        line: JSON, as it is stored. One that cannot be read has no readings; the page says so.
    """
    if not may_be_mixed(line):
        return None
    try:
        trajectory = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(trajectory, dict):
        return None
    calls = trajectory.get("calls")
    names = [call.get("tool") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    tools = tools_called([name for name in names if isinstance(name, str)])
    told = {key: value for key, value in trajectory.items() if key not in _APART}
    found = [(place, read) for place, message in _replies(told, ()) if (read := _reading(message, tools))]
    return json.dumps(found, separators=(",", ":")).encode() if found else None


def _reading(message: JsonObject, tools: list[JsonObject]) -> JsonObject | None:
    reply = read_reply(message, tools)
    if not reply.thinking and not reply.refusal and reply.text == (message.get("content") or ""):
        return None
    return {"text": reply.text, "thinking": reply.thinking, "refusal": reply.refusal}


def _replies(value: JsonValue, place: Place) -> Iterator[tuple[Place, JsonObject]]:
    """Messages of models at work, wherever a suite stores them: objects in a list that have content."""
    if len(place) > _DEEP:
        return
    if isinstance(value, list):
        for number, one in enumerate(value):
            if isinstance(one, dict) and "content" in one:
                if one.get("role", "assistant") == "assistant":
                    yield (*place, number), one
            else:
                yield from _replies(one, (*place, number))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _replies(inner, (*place, key))
