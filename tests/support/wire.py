"""What goes back over the wire: replies, and completions in the OpenAI shape."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import msgspec
from tests.support.request import ScriptedRequest

Body = dict[str, Any]
"""A completion before it is encoded; the server adds `id`, `model` and `usage` where they are missing."""


class Delivery(StrEnum):
    """How a reply reaches the client, if it does."""

    WHOLE = "whole"
    DROPPED = "dropped"  # the connection closes before any header
    CUT = "cut"  # the connection closes after the headers and half of the body
    TRICKLED = "trickled"  # a byte at a time, without end
    NEVER = "never"  # nothing comes, the connection stays open


@dataclass(frozen=True, slots=True)
class Reply:
    """Bytes with a status, and how they are delivered."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delivery: Delivery = Delivery.WHOLE
    reset: bool = False
    """A dropped or cut connection ends with TCP RST instead of FIN."""


def json_reply(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(msgspec.json.encode(value), status, headers=headers or {})


def error_reply(
    status: int,
    message: str,
    *,
    code: str | int | None = None,
    kind: str = "invalid_request_error",
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Reply:
    """An error in the OpenAI shape."""
    error = {"message": message, "type": kind, "param": param, "code": code, **more}
    return json_reply({"error": error}, status, headers)


def completion(
    content: Any,
    *,
    tool_calls: Sequence[dict[str, Any]] = (),
    finish_reason: str = "stop",
    logprobs: dict[str, Any] | None = None,
) -> Body:
    """A chat completion with one choice."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if tool_calls:
        message["tool_calls"] = list(tool_calls)
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish_reason}
    if logprobs is not None:
        choice["logprobs"] = logprobs
    return {"object": "chat.completion", "created": 0, "choices": [choice]}


def tool_call(name: str, arguments: Any, call_id: str) -> dict[str, Any]:
    """A tool call with its arguments encoded as the protocol wants them."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json_text(arguments)}}


def json_text(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def usage(request: ScriptedRequest, body: Body, cached_share: float) -> dict[str, Any]:
    """Tokens at four characters each."""
    prompt = max(1, request.characters // 4)
    written = max(1, _characters_written(body) // 4)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
        "prompt_tokens_details": {"cached_tokens": int(prompt * cached_share)},
    }


def _characters_written(body: Body) -> int:
    total = 0
    for choice in body.get("choices") or ():
        message = choice.get("message") or {}
        content = message.get("content")
        total += len(content) if isinstance(content, str) else 0
        for call in message.get("tool_calls") or ():
            arguments = (call.get("function") or {}).get("arguments")
            total += len(arguments) if isinstance(arguments, str) else 0
    return total
