"""Talking to a language model, whoever serves it: the `Complete` protocol and reading its replies."""

from worktrial.language.complete import Complete, Completion, JsonObject, JsonValue, Message, Usage, tool_spec
from worktrial.language.extract import NotOneObject, one_object

__all__ = [
    "Complete",
    "Completion",
    "JsonObject",
    "JsonValue",
    "Message",
    "NotOneObject",
    "Usage",
    "one_object",
    "tool_spec",
]
