"""The types of what travels between Worktrial and a language model."""

from typing import Any

# A recursive alias would be more precise; it costs every reader more than it tells.
JsonValue = Any
JsonObject = dict[str, JsonValue]

Message = JsonObject
"""One chat message exactly as it travels on the wire (`role`, `content`, `tool_calls`, …)."""


def tool_spec(name: str, description: str, parameters: JsonObject) -> JsonObject:
    """A tool in the chat-completions form; `parameters` is a JSON Schema of its arguments."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
