"""One chat request as the scripted server saw it."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from tests.support.votes import code_of


class Role(StrEnum):
    """Who of the product asked, told by the first word of the model's name."""

    AGENT = "agent"
    SIMULATOR = "simulator"
    JUDGE = "judge"
    SYNTHESIZER = "synthesizer"
    SOLVER = "solver"

    @classmethod
    def of(cls, model: object) -> "Role":
        """The role whose name `model` starts with; anything else is an agent."""
        if isinstance(model, str):
            for role in cls:
                if model.startswith(role.value):
                    return role
        return cls.AGENT


@dataclass
class ScriptedRequest:
    """A request to `/v1/chat/completions`, with what behaviours ask about it."""

    body: dict[str, Any]
    raw_length: int
    """Bytes of the request body on the wire."""
    headers: Mapping[str, str]
    """Case-insensitive."""
    role: Role
    number: int
    """0-based over all roles, in order of arrival."""
    number_in_role: int
    connection: int
    """0-based; requests with the same number came over the same connection."""
    arrived: float
    """`time.monotonic()` when the whole body was there."""
    memory: dict[object, Any] = field(default_factory=dict, repr=False)
    """Shared by all requests of one server, for behaviours that count."""
    tool_calls: int = 2
    """How many tool results an agent of this script collects before it answers."""
    sent: dict[str, Any] = field(default_factory=dict, repr=False)
    """The body as it came, in its own wire's shape."""
    status: int | None = None
    """The status that went back; None while unanswered, or when the connection was dropped or left open."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self.body.get("tools") or []

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema that the answer must satisfy, in either spelling that endpoints know."""
        wanted = self.body.get("response_format")
        if not isinstance(wanted, dict):
            return None
        nested = wanted.get("json_schema")
        schema = nested.get("schema") if isinstance(nested, dict) else wanted.get("schema")
        return schema if isinstance(schema, dict) else None

    @property
    def steps_done(self) -> int:
        """Tool results so far; without offered tools, the assistant's messages so far."""
        counted = "tool" if self.tools else "assistant"
        return sum(1 for m in self.messages if m.get("role") == counted)

    @property
    def turn(self) -> int:
        """0-based index of the assistant message that is asked for."""
        return sum(1 for m in self.messages if m.get("role") == "assistant")

    @property
    def last_user_text(self) -> str:
        for message in reversed(self.messages):
            if message.get("role") == "user":
                return text_of(message)
        return ""

    @cached_property
    def characters(self) -> int:
        """Characters of all messages: contents and the arguments of tool calls."""
        total = 0
        for message in self.messages:
            total += len(text_of(message))
            for call in message.get("tool_calls") or ():
                arguments = call.get("function", {}).get("arguments")
                total += len(arguments) if isinstance(arguments, str) else 0
        return total

    @cached_property
    def _texts(self) -> list[bytes]:
        """Texts of the messages without the code of a vote, which is at the end of the last."""
        code = code_of(self.messages)
        texts = (text_of(message) for message in self.messages)
        return [(text if code is None else text.replace(code, "")).encode(errors="surrogatepass") for text in texts]

    @cached_property
    def opening(self) -> int:
        """A number that all requests of one conversation share: a hash of the messages up to the first user's."""
        crc = zlib.crc32(self.role.encode())
        for message, text in zip(self.messages, self._texts, strict=True):
            crc = zlib.crc32(text, crc)
            if message.get("role") == "user":
                break
        return crc

    @cached_property
    def fingerprint(self) -> int:
        """A hash of the text of all messages."""
        crc = 0
        for text in self._texts:
            crc = zlib.crc32(text, crc)
        return crc


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whether its content is a string, a list of parts, or missing."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return ""
