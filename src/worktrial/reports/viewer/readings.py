"""Replies in a stored trajectory, read for the page that shows them: the page has no reader of its own."""

import json
from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue, may_be_mixed, read_reply, tools_called


def readings_of(line: bytes) -> bytes | None:
    """Readings of the replies in a stored trajectory; None where all are just words, and calls in fields.

    They are a JSON list, in the order of the replies: `{"text", "thinking", "refusal"}`, or null for one that is
    just words. Whoever shows them has to look for replies in the same places.

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
    calls = _objects(trajectory.get("calls"))
    tools = tools_called([name for call in calls if isinstance(name := call.get("tool"), str)])
    found = [_reading(message, tools) for message in _replies(trajectory)]
    return json.dumps(found, separators=(",", ":")).encode() if any(found) else None


def _reading(message: JsonObject, tools: list[JsonObject]) -> JsonObject | None:
    reply = read_reply(message, tools)
    if not reply.thinking and not reply.refusal and reply.text == (message.get("content") or ""):
        return None
    return {"text": reply.text, "thinking": reply.thinking, "refusal": reply.refusal}


def _replies(trajectory: JsonObject) -> Iterator[JsonObject]:
    """Messages of models at work, wherever a suite stores them; `repliesIn` of the page finds the same."""
    talks = [trajectory.get(name) for name in ("messages", "main_agent_history", "sub_agent_history")]
    for turn in _objects(trajectory.get("turns")):
        talks += [work.get("messages") for work in _objects(turn.get("work"))]
    for talk in talks:
        yield from (message for message in _objects(talk) if message.get("role", "assistant") == "assistant")


def _objects(value: JsonValue) -> list[JsonObject]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
