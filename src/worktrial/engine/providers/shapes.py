"""Pieces of chat-completions messages, as the other wires need them."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from worktrial.engine.wire import PROVIDER_BLOCKS, HttpRequest
from worktrial.errors import StopRun, option
from worktrial.language import JsonObject, JsonValue, Message


def blocks_for(message: Message, wire: str) -> Any:
    """The blocks of `message` in the form of `wire`, exactly as they came; None where they came over another."""
    kept = message.get(PROVIDER_BLOCKS)
    return kept.get("blocks") if isinstance(kept, Mapping) and kept.get("wire") == wire else None


def assistant(
    wire: str,
    blocks: Any,
    *,
    text: str,
    thoughts: str = "",
    refusal: str = "",
    calls: list[JsonObject] | None = None,
) -> Message:
    """An assistant's message with the blocks that it was read from; only the fields that say something."""
    message: Message = {"role": "assistant", "content": text or None}
    if thoughts:
        message["reasoning_content"] = thoughts
    if refusal:
        message["refusal"] = refusal
    if calls:
        message["tool_calls"] = calls
    message[PROVIDER_BLOCKS] = {"wire": wire, "blocks": blocks}
    return message


def tool_call(call_id: str, name: str, arguments: str) -> JsonObject:
    """A call; `arguments` is JSON text."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls_of(message: Message) -> Iterator[tuple[str, str, JsonValue]]:
    """`(id, name, arguments)` of each call; arguments as text where they are no JSON object."""
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield str(call.get("id") or ""), str(function.get("name") or ""), function.get("arguments")


def arguments_object(arguments: JsonValue) -> JsonObject:
    """Arguments as the object that most wires want; what is none goes in as text."""
    value = arguments
    if isinstance(arguments, str):
        try:
            value = msgspec.json.decode(arguments) if arguments.strip() else {}
        except (msgspec.DecodeError, RecursionError):
            value = None
    if isinstance(value, dict):
        return value
    return {"arguments": arguments} if arguments else {}


def text_of(content: JsonValue) -> str:
    """The text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, list):
        return "".join(str(p.get("text") or "") for p in content if isinstance(p, dict))
    return content if isinstance(content, str) else ""


def parts_of(content: JsonValue) -> Iterator[tuple[str, str]]:
    """`("text", TEXT)` and `("picture", URL)` in order, without empty texts."""
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content or ():
        if not isinstance(part, dict):
            continue
        if part.get("type") == "image_url":
            picture = part.get("image_url")
            yield "picture", str(picture.get("url") if isinstance(picture, dict) else picture)
        elif isinstance(part.get("text"), str) and part["text"]:
            yield "text", part["text"]


def data_url(url: str) -> tuple[str, str] | None:
    """`(media type, base64)` of a `data:` URL; None for any other."""
    head, comma, data = url.partition(",")
    if not (url.startswith("data:") and comma and head.endswith(";base64")):
        return None
    return head.removeprefix("data:").removesuffix(";base64"), data


def no_logprobs(wire: str) -> StopRun:
    """The error for log-probabilities on a wire that has none."""
    return StopRun(f"{wire} gives no log-probabilities: use {option('judge_method')} votes.")


def posted(url: str, body: JsonObject, headers: Mapping[str, str]) -> HttpRequest:
    """A request of which the body itself says whether the answer is to be streamed."""
    return HttpRequest(url, msgspec.json.encode(body), headers, body.get("stream") is True)


def with_extra(body: JsonObject, extra: Mapping[str, Any]) -> JsonObject:
    """`body` with the user's further fields; an object in both is one object with the fields of both."""
    for name, value in extra.items():
        known = body.get(name)
        body[name] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return body
