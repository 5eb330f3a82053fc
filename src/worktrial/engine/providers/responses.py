"""OpenAI's Responses: `responses/NAME`."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from worktrial.engine.providers import OPENAI_URL, at, shapes
from worktrial.engine.providers.chat import likeliest
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

NAME = "responses"


def responses(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for OpenAI's Responses, as in `responses/NAME`."""
    return dataclasses.replace(at(settings, OPENAI_URL, "OPENAI_API_KEY"), speaks=ResponsesWire)


class ResponsesWire:
    """Requests and answers in the form of OpenAI's Responses; nothing is stored at the provider."""

    transport = None

    def __init__(self, settings: RoleSettings, endpoint: Endpoint) -> None:
        self._settings = settings
        self._model = endpoint.model
        self.url = below(endpoint.base_url, "responses")
        self._headers = {**JSON, "Authorization": f"Bearer {endpoint.key or NO_KEY}"}

    def write(self, request: Request, without: Concessions = frozenset()) -> HttpRequest:
        """The request as it is sent."""
        settings = self._settings
        is_plain = Concession.SCHEMA_WORDS in without
        body: JsonObject = {"model": self._model, "input": [*_items(request.messages)], "store": False}
        include: list[str] = []
        if Concession.ENCRYPTED_THOUGHTS not in without:
            include.append("reasoning.encrypted_content")
        if request.tools:
            body["tools"] = [_tool(t) for t in (plainer_tools(request.tools) if is_plain else request.tools)]
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.effort is not None:
            body["reasoning"] = {"effort": settings.effort}
        limit = settings.output_limit(request.max_tokens)
        if limit is not None:
            body["max_output_tokens"] = limit
        if request.schema is not None and Concession.SCHEMA not in without:
            schema = plainer(request.schema) if is_plain else request.schema
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": schema, "strict": False}}
        if request.top_logprobs:
            body["top_logprobs"] = request.top_logprobs
            include.append("message.output_text.logprobs")
        if include:
            body["include"] = include
        if settings.streams != (Concession.STREAM in without):
            body["stream"] = True
        return shapes.posted(self.url, shapes.with_extra(body, settings.extra), self._headers)

    def whole(self, events: bytes) -> bytes:
        """Body of the answer that a stream of events spells out."""
        return put_together(events, _whole)

    def read(self, data: bytes) -> Completion:
        """The completion in a response body."""
        reply = decoded(data)
        items = reply.get("output")
        status = reply.get("status") or "completed"
        if status == "failed" or (items is None and reply.get("error")):
            raise _failed(reply.get("error"))
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            raise NotACompletion("no output")
        if status not in ("completed", "incomplete"):
            raise NotACompletion(f"a response that is {status}")
        parts = [part for item in items if item.get("type") == "message" for part in item.get("content") or ()]
        text = "".join(str(part.get("text") or "") for part in parts if part.get("type") == "output_text")
        refusal = "".join(str(part.get("refusal") or "") for part in parts if part.get("type") == "refusal")
        calls = [
            shapes.tool_call(str(i.get("call_id")), str(i.get("name")), str(i.get("arguments") or ""))
            for i in items
            if i.get("type") == "function_call"
        ]
        return Completion(
            message=shapes.assistant(
                NAME, items, text=text, thoughts="".join(_thoughts(items)), refusal=refusal, calls=calls
            ),
            usage=_usage(reply.get("usage")),
            stop_reason=_stop(reply, calls),
            first_token=_first_token(parts),
        )


_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})
# Statuses that errors have where they come before the first event; the others are the provider's own failures.
_STATUSES = {"rate_limit_exceeded": 429, "insufficient_quota": 429, "invalid_prompt": 400}
_STATUSES |= {"context_length_exceeded": 400, "server_is_overloaded": 503}


def _whole(events: list[JsonObject]) -> JsonObject:
    """The response that a stream of events ends with."""
    items: dict[int, JsonObject] = {}
    for event in events:
        kind = event.get("type")
        if kind == "response.output_item.done":
            items[event["output_index"]] = event["item"]
        elif kind in _ENDS:
            response: JsonObject = event["response"]
            if kind == "response.failed":
                raise _failed(response.get("error"))
            if not response.get("output"):
                # Some only sum up at the end, and tell each item as it is done.
                response["output"] = [items[place] for place in sorted(items)]
            return response
        elif kind == "error":
            raise _failed(event.get("error") or event)
    raise ConnectionError("the stream broke off")


def _failed(error: Any) -> ReportedFailure:
    code = str(error.get("code") or "") if isinstance(error, dict) else ""
    return reported(error, _STATUSES.get(code, 500))


def _stop(reply: JsonObject, calls: list[JsonObject]) -> str:
    details = reply.get("incomplete_details")
    why = details.get("reason") if isinstance(details, dict) else None
    if why is not None:
        return "length" if why == "max_output_tokens" else str(why)
    return "tool_calls" if calls else "stop"


def _thoughts(items: list[JsonObject]) -> Iterator[str]:
    for item in items:
        if item.get("type") == "reasoning":
            for part in item.get("content") or item.get("summary") or ():
                if isinstance(part, dict) and part.get("text"):
                    yield str(part["text"])


def _items(messages: Sequence[Message]) -> Iterator[JsonObject]:
    for message in messages:
        role = message.get("role")
        if role == "assistant":
            kept = shapes.blocks_for(message, NAME)
            yield from kept if isinstance(kept, list) else _own_items(message)
        elif role == "tool":
            output = shapes.text_of(message.get("content"))
            yield {"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": output}
        elif isinstance(message.get("content"), list):
            parts = [_part(kind, value) for kind, value in shapes.parts_of(message["content"])]
            yield {"role": role, "content": parts}
        else:
            yield {"role": role, "content": message.get("content") or ""}


def _own_items(message: Message) -> Iterator[JsonObject]:
    text = shapes.text_of(message.get("content"))
    if text:
        yield {"role": "assistant", "content": text}
    for call_id, name, arguments in shapes.calls_of(message):
        given = arguments if isinstance(arguments, str) else ""
        yield {"type": "function_call", "call_id": call_id, "name": name, "arguments": given or "{}"}


def _part(kind: str, value: str) -> JsonObject:
    if kind == "text":
        return {"type": "input_text", "text": value}
    return {"type": "input_image", "image_url": value, "detail": "auto"}


def _tool(tool: JsonObject) -> JsonObject:
    function = tool["function"]
    # Strict schemas are this wire's default, and no tool of a workplace was written for them.
    own = {"type": "function", "name": function["name"], "strict": False}
    own["parameters"] = function.get("parameters") or {"type": "object", "properties": {}}
    return {**own, "description": function["description"]} if function.get("description") else own


def _usage(raw: object) -> Usage:
    if not isinstance(raw, dict):
        return Usage(requests=1)
    details = raw.get("input_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(1, count(raw.get("input_tokens")), count(raw.get("output_tokens")), count(cached))


def _first_token(parts: list[JsonObject]) -> dict[str, float] | None:
    for part in parts:
        tokens = part.get("logprobs")
        if isinstance(tokens, list) and tokens and isinstance(tokens[0], dict):
            return likeliest(tokens[0].get("top_logprobs"), "logprob")
    return None
