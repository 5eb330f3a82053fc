"""Whether a read asks for something the workplace cannot know, where that is plain to see."""

import re

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.tools import Tool

_READS = re.compile(
    r"(?:get|fetch|list|read|view|show|retrieve|query|lookup|look_up|check|inspect|find|search)(?:_|$)"
)


def unknown_id(tool: Tool, arguments: JsonObject, state: JsonObject, known: str) -> JsonObject | None:
    """The error observation for a read of an id that occurs nowhere, or None.

    Only a reading tool is judged, and only an argument whose very name is a field of the state: what a
    workplace keeps under other names is the model's to say.

    Args:
        tool: The tool being called.
        arguments: Arguments that fit the tool's schema.
        state: The state, for the names of its fields.
        known: Everything said so far in which the id could occur.
    """
    if tool.writes or (tool.writes is None and not _READS.match(tool.name)):
        return None
    fields = _names(state)
    text = known.lower()
    for name, value in arguments.items():
        is_id = name == "id" or name.endswith("_id")
        if is_id and name in fields and isinstance(value, str) and json_text(value)[1:-1].lower() not in text:
            return {"error": f"{name} {value!r} not found"}
    return None


def _names(value: JsonValue) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(_names(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*(_names(inner) for inner in value))
    return set()
