"""Talking to a language model, whoever serves it: the `Complete` protocol and the one reader of replies."""

from worktrial.language.complete import Complete, Completion, Usage
from worktrial.language.extract import NotOneObject, one_object
from worktrial.language.message import JsonObject, JsonValue, Message, tool_spec
from worktrial.language.reply import (
    ModelReply,
    may_be_mixed,
    read_reply,
    replies_in,
    said_in,
    tools_called,
    visible,
)

__all__ = [
    "Complete",
    "Completion",
    "JsonObject",
    "JsonValue",
    "Message",
    "ModelReply",
    "NotOneObject",
    "Usage",
    "may_be_mixed",
    "one_object",
    "read_reply",
    "replies_in",
    "said_in",
    "tool_spec",
    "tools_called",
    "visible",
]
