"""Talking to a language model, whoever serves it: the `Complete` protocol and the one reader of replies."""

from worktrial.language.complete import Complete, Completion, TurnTokens, Usage
from worktrial.language.extract import NotOneObject, one_object
from worktrial.language.message import JsonObject, JsonValue, Message, tool_spec
from worktrial.language.reply import ModelReply, read_reply, said_in, visible

__all__ = [
    "Complete",
    "Completion",
    "JsonObject",
    "JsonValue",
    "Message",
    "ModelReply",
    "NotOneObject",
    "TurnTokens",
    "Usage",
    "one_object",
    "read_reply",
    "said_in",
    "tool_spec",
    "visible",
]
