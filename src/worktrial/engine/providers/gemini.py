"""Gemini's generateContent: `gemini/NAME`."""

import dataclasses
import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from worktrial.engine.providers import at, shapes
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
    Request,
    count,
    decoded,
    reported,
)
from worktrial.language import Completion, JsonObject, JsonValue, Message, Usage

URL = "https://generativelanguage.googleapis.com"
VERSION = "v1beta"
NAME = "gemini"
_STOPS = {"STOP": "stop", "MAX_TOKENS": "length", "FINISH_REASON_UNSPECIFIED": "stop"}
_BLOCKED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "OTHER"}
)


def gemini(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for Gemini's endpoint, as in `gemini/NAME`."""
    return dataclasses.replace(at(settings, URL, "GEMINI_API_KEY"), speaks=GeminiWire)


class GeminiWire:
    """Requests and answers in the form of Gemini's generateContent."""

    transport = None

    def __init__(self, settings: RoleSettings, endpoint: Endpoint) -> None:
        self._settings = settings
        self._model = endpoint.model.removeprefix("models/")
        # The version stands in the address once, whether or not the user's names it.
        root = endpoint.base_url.rstrip("/").removesuffix(f"/{VERSION}").removesuffix("/v1")
        self.url = below(root, f"{VERSION}/models/{self._model}:generateContent")
        streamed = below(root, f"{VERSION}/models/{self._model}:streamGenerateContent")
        self._stream_url = f"{streamed}{'&' if '?' in streamed else '?'}alt=sse"
        self._headers = {**JSON, "x-goog-api-key": endpoint.key or NO_KEY}

    def write(self, request: Request, without: Concessions = frozenset()) -> HttpRequest:
        """The request as it is sent."""
        settings = self._settings
        is_plain = Concession.SCHEMA_WORDS in without
        system, contents = _conversation(request.messages)
        body: JsonObject = {"contents": contents}
        if system:
            body["systemInstruction"] = {"parts": [{"text": system}]}
        if request.tools:
            tools = plainer_tools(request.tools) if is_plain else request.tools
            body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in tools]}]
        how: JsonObject = {}
        if settings.temperature is not None:
            how["temperature"] = settings.temperature
        if settings.effort is not None:
            how["thinkingConfig"] = {"thinkingLevel": settings.effort}
        limit = settings.output_limit(request.max_tokens)
        if limit is not None:
            how["maxOutputTokens"] = limit
        if request.schema is not None and Concession.SCHEMA not in without:
            how["responseMimeType"] = "application/json"
            how["responseJsonSchema"] = plainer(request.schema) if is_plain else request.schema
        if request.top_logprobs:
            how["responseLogprobs"] = True
            how["logprobs"] = request.top_logprobs
        if how:
            body["generationConfig"] = how
        if settings.streams != (Concession.STREAM in without):
            body["stream"] = True
        shapes.with_extra(body, settings.extra)
        # The wire says it by the address.
        is_stream = bool(body.pop("stream", False))
        url = self._stream_url if is_stream else self.url
        return HttpRequest(url, msgspec.json.encode(body), self._headers, is_stream)

    def whole(self, events: bytes) -> bytes:
        """Body of the answer that a stream of events spells out."""
        return put_together(events, _whole)

    def read(self, data: bytes) -> Completion:
        """The completion in a response body."""
        reply = decoded(data)
        usage = _usage(reply.get("usageMetadata"))
        candidates = reply.get("candidates")
        if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], dict):
            blocked = reply.get("promptFeedback")
            if isinstance(blocked, dict) and blocked.get("blockReason"):
                said = f"the provider blocked the prompt: {blocked['blockReason']}"
                return Completion(shapes.assistant(NAME, None, text="", refusal=said), usage, "content_filter")
            if reply.get("error"):
                raise reported(reply["error"], 500)
            raise NotACompletion("no candidates")
        candidate = candidates[0]
        content = candidate.get("content") or {}
        parts = content.get("parts") or [] if isinstance(content, dict) else []
        if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
            raise NotACompletion("parts that are no objects")
        text = "".join(str(p.get("text") or "") for p in parts if not p.get("thought"))
        thoughts = "".join(str(p.get("text") or "") for p in parts if p.get("thought"))
        stop = str(candidate.get("finishReason") or "STOP")
        calls = _calls(parts, data)
        refusal = ""
        if stop in _BLOCKED:
            refusal = str(candidate.get("finishMessage") or f"the provider blocked the answer: {stop}")
        usual = "tool_calls" if calls and stop == "STOP" else _STOPS.get(stop, stop.lower())
        blocks = content if parts else None
        return Completion(
            message=shapes.assistant(NAME, blocks, text=text, thoughts=thoughts, refusal=refusal, calls=calls),
            usage=usage,
            stop_reason="content_filter" if refusal else usual,
            first_token=_first_token(candidate.get("logprobsResult")),
        )


def _whole(events: list[JsonObject]) -> JsonObject:
    """The reply that a stream of replies spells out: parts in order, the last word on everything else.

    Pieces of a text are one part again; a part with a signature, or anything else of its own, stays as it is.
    """
    whole: JsonObject = {}
    candidate: JsonObject = {}
    parts: list[JsonObject] = []
    steps: list[Any] = []
    for event in events:
        if event.get("error"):
            raise reported(event["error"], 500)
        whole.update((name, value) for name, value in event.items() if value is not None)
        for one in event.get("candidates") or ():
            if one.get("index"):
                continue
            for part in (one.get("content") or {}).get("parts") or ():
                if _is_text(part) and not part["text"]:
                    continue
                if parts and _is_text(part) and _is_text(parts[-1]) and part.keys() == parts[-1].keys():
                    parts[-1] = {**part, "text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
            steps += (one.get("logprobsResult") or {}).get("topCandidates") or ()
            candidate.update((name, value) for name, value in one.items() if value is not None)
    if not candidate.get("finishReason") and not (whole.get("promptFeedback") or {}).get("blockReason"):
        raise ConnectionError("the stream broke off")
    if candidate:
        candidate["content"] = {"role": "model", "parts": parts}
        if steps:
            candidate["logprobsResult"] = {"topCandidates": steps}
        whole["candidates"] = [candidate]
    return whole


def _is_text(part: JsonObject) -> bool:
    """Whether a part is words alone, said or thought."""
    return isinstance(part.get("text"), str) and part.keys() <= {"text", "thought"}


def _calls(parts: list[Any], data: bytes) -> list[JsonObject]:
    """Calls in order. Not every model gives them ids; ours tell those of one conversation apart."""
    mark = ""
    calls: list[JsonObject] = []
    for part in parts:
        call = part.get("functionCall")
        if not isinstance(call, dict):
            continue
        mark = mark or hashlib.blake2b(data, digest_size=6).hexdigest()
        arguments = msgspec.json.encode(call.get("args") or {}).decode()
        calls.append(
            shapes.tool_call(
                str(call.get("id") or f"call_{mark}_{len(calls)}"), str(call.get("name") or ""), arguments
            )
        )
    return calls


def _conversation(messages: Sequence[Message]) -> tuple[str, list[JsonObject]]:
    """System prompt and contents. Results of calls are told by the names of their functions."""
    system: list[str] = []
    contents: list[JsonObject] = []
    names: dict[str, str] = {}
    given_ids: set[str] = set()
    for message in messages:
        role = message.get("role")
        if role in ("system", "developer") and not contents:
            system.append(shapes.text_of(message.get("content")))
            continue
        if role == "assistant":
            kept = shapes.blocks_for(message, NAME)
            names.update((call_id, name) for call_id, name, _ in shapes.calls_of(message))
            if isinstance(kept, dict):
                given_ids.update(_ids(kept))
                contents.append(kept)
                continue
            side, parts = "model", _own_parts(message)
        elif role == "tool":
            call_id = str(message.get("tool_call_id") or "")
            result = {"name": names.get(call_id, "unknown"), "response": _result(message.get("content"))}
            if call_id in given_ids:
                result["id"] = call_id
            side, parts = "user", [{"functionResponse": result}]
        else:
            side, parts = "user", [_part(kind, value) for kind, value in shapes.parts_of(message.get("content"))]
        if not parts:
            continue
        if contents and contents[-1]["role"] == side == "user":
            contents[-1]["parts"] += parts
        else:
            contents.append({"role": side, "parts": parts})
    return "\n\n".join(part for part in system if part), contents


def _ids(content: JsonObject) -> list[str]:
    calls = [part.get("functionCall") for part in content.get("parts") or ()]
    return [str(call["id"]) for call in calls if isinstance(call, dict) and call.get("id")]


def _own_parts(message: Message) -> list[JsonObject]:
    text = shapes.text_of(message.get("content"))
    parts: list[JsonObject] = [{"text": text}] if text else []
    for _, name, arguments in shapes.calls_of(message):
        parts.append({"functionCall": {"name": name, "args": shapes.arguments_object(arguments)}})
    return parts


def _result(content: JsonValue) -> JsonObject:
    text = shapes.text_of(content)
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        value = text
    return value if isinstance(value, dict) else {"result": value}


def _part(kind: str, value: str) -> JsonObject:
    if kind == "text":
        return {"text": value}
    inline = shapes.data_url(value)
    if inline is None:
        return {"fileData": {"fileUri": value}}
    return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}


def _declaration(tool: JsonObject) -> JsonObject:
    function = tool["function"]
    own = {"name": function["name"], "description": function.get("description") or function["name"]}
    parameters = function.get("parameters")
    return {**own, "parametersJsonSchema": parameters} if parameters else own


def _usage(raw: object) -> Usage:
    if not isinstance(raw, dict):
        return Usage(requests=1)
    # Thoughts are paid like output, and are not in the count of the candidates.
    asked = count(raw.get("promptTokenCount")) + count(raw.get("toolUsePromptTokenCount"))
    written = count(raw.get("candidatesTokenCount")) + count(raw.get("thoughtsTokenCount"))
    return Usage(1, asked, written, count(raw.get("cachedContentTokenCount")))


def _first_token(result: object) -> dict[str, float] | None:
    steps = result.get("topCandidates") if isinstance(result, dict) else None
    if not isinstance(steps, list) or not steps or not isinstance(steps[0], dict):
        return None
    return likeliest(steps[0].get("candidates"), "logProbability")
