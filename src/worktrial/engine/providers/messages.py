"""Anthropic's Messages: `anthropic/NAME`."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import msgspec

from worktrial.engine.providers import at, shapes
from worktrial.engine.providers.streams import put_together
from worktrial.engine.roles import RoleSettings, below
from worktrial.engine.schemas import plainer, plainer_tools
from worktrial.engine.wire import (
    JSON,
    NO_KEY,
    Concession,
    Concessions,
    Endpoint,
    HttpRequest,
    NotACompletion,
    ReportedFailure,
    Request,
    count,
    decoded,
    reported,
)
from worktrial.language import Completion, JsonObject, Message, Usage

URL = "https://api.anthropic.com"
NAME = "anthropic"
VERSION = "2023-06-01"
"""Version of the wire."""
# The wire wants a limit; so much every model of the last generations may write.
OUTPUT_TOKENS = 16_384
_STOPS = {"end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "max_tokens": "length"}
_STOPS |= {"model_context_window_exceeded": "length", "tool_use": "tool_calls", "refusal": "content_filter"}


def anthropic(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for Anthropic's endpoint, as in `anthropic/NAME`."""
    return dataclasses.replace(at(settings, URL, "ANTHROPIC_API_KEY"), speaks=MessagesWire)


class MessagesWire:
    """Requests and answers in the form of Anthropic's Messages."""

    transport = None

    def __init__(self, settings: RoleSettings, endpoint: Endpoint) -> None:
        self._settings = settings
        self._model = endpoint.model
        # The version stands in the address once, whether or not the user's names it.
        self.url = below(endpoint.base_url.rstrip("/").removesuffix("/v1"), "v1/messages")
        self._headers = {**JSON, "x-api-key": endpoint.key or NO_KEY, "anthropic-version": VERSION}

    def write(self, request: Request, without: Concessions = frozenset()) -> HttpRequest:
        """The request as it is sent."""
        if request.top_logprobs:
            raise shapes.no_logprobs("the wire of anthropic")
        settings = self._settings
        is_plain = Concession.SCHEMA_WORDS in without
        limit = settings.output_limit(request.max_tokens)
        body: JsonObject = {"model": self._model, "max_tokens": OUTPUT_TOKENS if limit is None else limit}
        system, messages = _conversation(request.messages)
        if system:
            body["system"] = system
        body["messages"] = messages
        if request.tools:
            body["tools"] = [_tool(t) for t in (plainer_tools(request.tools) if is_plain else request.tools)]
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        output: JsonObject = {}
        if settings.effort is not None:
            output["effort"] = settings.effort
            body["thinking"] = {"type": "adaptive"}
        if request.schema is not None and Concession.SCHEMA not in without:
            output["format"] = {
                "type": "json_schema",
                "schema": plainer(request.schema) if is_plain else request.schema,
            }
        if output:
            body["output_config"] = output
        if settings.streams != (Concession.STREAM in without):
            body["stream"] = True
        return shapes.posted(self.url, shapes.with_extra(body, settings.extra), self._headers)

    def whole(self, events: bytes) -> bytes:
        """Body of the answer that a stream of events spells out."""
        return put_together(events, _whole)

    def read(self, data: bytes) -> Completion:
        """The completion in a response body."""
        reply = decoded(data)
        blocks = reply.get("content")
        if not isinstance(blocks, list) or not all(isinstance(b, dict) for b in blocks):
            if reply.get("error"):
                raise _failed(reply["error"])
            raise NotACompletion("no content")
        text = "".join(str(b.get("text") or "") for b in blocks if b.get("type") == "text")
        thoughts = "".join(str(b.get("thinking") or "") for b in blocks if b.get("type") == "thinking")
        calls = [
            shapes.tool_call(
                str(b.get("id")), str(b.get("name")), msgspec.json.encode(b.get("input") or {}).decode()
            )
            for b in blocks
            if b.get("type") == "tool_use"
        ]
        stop = reply.get("stop_reason") or "end_turn"
        refusal = ""
        if stop == "refusal":
            refusal = text or "the provider's safety system ended the answer"
        return Completion(
            message=shapes.assistant(NAME, blocks, text=text, thoughts=thoughts, refusal=refusal, calls=calls),
            usage=_usage(reply.get("usage")),
            stop_reason=_STOPS.get(stop, stop),
        )


ERROR_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""Statuses that kinds of errors have where they come alone; those not here are the provider's own failures, 500."""


def _failed(error: Any) -> ReportedFailure:
    kind = error.get("type") if isinstance(error, dict) else None
    return reported(error, ERROR_STATUSES.get(str(kind), 500))


def _whole(events: list[JsonObject]) -> JsonObject:
    """The message that a stream of events spells out.

    Texts of a block are joined, thoughts and signatures like words; its arguments come as pieces of JSON. The SDK's
    own accumulator costs twenty times as much, and drops what it does not know.
    """
    message: JsonObject = {}
    blocks: dict[int, JsonObject] = {}
    texts: dict[tuple[int, str], list[str]] = {}
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            message = event["message"]
        elif kind == "content_block_start":
            blocks[event["index"]] = event["content_block"]
        elif kind == "content_block_delta":
            for name, value in event["delta"].items():
                if name == "citation":
                    block = blocks[event["index"]]
                    block["citations"] = [*(block.get("citations") or ()), value]
                elif name != "type" and isinstance(value, str):
                    texts.setdefault((event["index"], name), []).append(value)
        elif kind == "message_delta":
            message.update(event["delta"])
            # Counts so far, which leave out those that have not changed.
            later = {name: value for name, value in (event.get("usage") or {}).items() if value is not None}
            message["usage"] = {**(message.get("usage") or {}), **later}
        elif kind == "error":
            raise _failed(event.get("error"))
    if not message.get("stop_reason"):
        raise ConnectionError("the stream broke off")
    for (index, name), parts in texts.items():
        text = "".join(parts)
        if name == "partial_json":
            blocks[index]["input"] = shapes.arguments_object(text)
        else:
            blocks[index][name] = (blocks[index].get(name) or "") + text
    message["content"] = [blocks[index] for index in sorted(blocks)]
    return message


def _conversation(messages: Sequence[Message]) -> tuple[str, list[JsonObject]]:
    """System prompt and turns. Turns of one side that follow each other are one turn, as the wire wants."""
    system: list[str] = []
    turns: list[JsonObject] = []
    for message in messages:
        role = message.get("role")
        if role in ("system", "developer") and not turns:
            system.append(shapes.text_of(message.get("content")))
            continue
        side = "assistant" if role == "assistant" else "user"
        blocks = _assistant_blocks(message) if side == "assistant" else _user_blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == side:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": side, "content": [*blocks]})
    return "\n\n".join(part for part in system if part), turns


def _assistant_blocks(message: Message) -> list[JsonObject]:
    kept = shapes.blocks_for(message, NAME)
    if isinstance(kept, list):
        # An answer that says nothing has no block, and an empty text is refused.
        return [block for block in kept if block.get("type") != "text" or block.get("text")]
    text = shapes.text_of(message.get("content"))
    blocks: list[JsonObject] = [{"type": "text", "text": text}] if text.strip() else []
    for call_id, name, arguments in shapes.calls_of(message):
        given = shapes.arguments_object(arguments)
        blocks.append({"type": "tool_use", "id": call_id, "name": name, "input": given})
    return blocks


def _user_blocks(message: Message) -> list[JsonObject]:
    content = [_part(kind, value) for kind, value in shapes.parts_of(message.get("content"))]
    if message.get("role") != "tool":
        return content
    return [{"type": "tool_result", "tool_use_id": message.get("tool_call_id"), "content": content}]


def _part(kind: str, value: str) -> JsonObject:
    if kind == "text":
        return {"type": "text", "text": value}
    inline = shapes.data_url(value)
    if inline is None:
        return {"type": "image", "source": {"type": "url", "url": value}}
    return {"type": "image", "source": {"type": "base64", "media_type": inline[0], "data": inline[1]}}


def _tool(tool: JsonObject) -> JsonObject:
    function = tool["function"]
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    own = {"name": function["name"], "input_schema": {"type": "object", **schema}}
    return {**own, "description": function["description"]} if function.get("description") else own


def _usage(raw: object) -> Usage:
    if not isinstance(raw, dict):
        return Usage(requests=1)
    # What came from the provider's cache, or went there, is not in its count of the input.
    cached = count(raw.get("cache_read_input_tokens"))
    stored = count(raw.get("cache_creation_input_tokens"))
    whole = count(raw.get("input_tokens")) + cached + stored
    return Usage(1, whole, count(raw.get("output_tokens")), cached, stored)
