"""Chat completions, spoken by our own client: the wire of OpenAI-compatible endpoints."""

from collections.abc import Mapping

from worktrial.engine.providers.shapes import posted
from worktrial.engine.providers.streams import chat_completion
from worktrial.engine.roles import RoleSettings, below
from worktrial.engine.schemas import plainer, plainer_tools
from worktrial.engine.wire import (
    JSON,
    PROVIDER_BLOCKS,
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
from worktrial.language import Completion, JsonObject, Message, Usage

# What the protocol itself says of an assistant's message; the rest is the provider's.
_KNOWN = frozenset({"role", "content", "name", "tool_calls", "refusal", "audio", "function_call"})
_KNOWN_OF_CALLS = frozenset({"id", "type", "function", "custom"})


class ChatWire:
    """Requests and answers in the form of chat completions."""

    transport = None

    def __init__(self, settings: RoleSettings, endpoint: Endpoint) -> None:
        self._settings = settings
        self._model = endpoint.model
        self.url = below(endpoint.base_url, "chat/completions")
        self._headers = {**JSON, "Authorization": f"Bearer {endpoint.key}"} if endpoint.key else JSON
        self._streams = settings.streams

    def write(self, request: Request, without: Concessions = frozenset()) -> HttpRequest:
        """The request as it is sent; optional fields only where they are set."""
        settings = self._settings
        messages = [_for_this_wire(m) if PROVIDER_BLOCKS in m else m for m in request.messages]
        if Concession.MESSAGE_FIELDS in without:
            messages = [_known_fields(m) for m in messages]
        is_plain = Concession.SCHEMA_WORDS in without
        body: JsonObject = {"model": self._model, "messages": messages}
        if request.tools:
            body["tools"] = plainer_tools(request.tools) if is_plain else list(request.tools)
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.effort is not None:
            body["reasoning_effort"] = settings.effort
        limit = settings.output_limit(request.max_tokens)
        if limit is not None:
            body[settings.limit_name] = limit
        if request.schema is not None and Concession.SCHEMA not in without:
            schema = plainer(request.schema) if is_plain else request.schema
            body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        if request.top_logprobs:
            body["logprobs"] = True
            body["top_logprobs"] = request.top_logprobs
        if self._streams != (Concession.STREAM in without):
            body["stream"] = True
            body["stream_options"] = {"include_usage": True}
        body.update(settings.extra)
        return posted(self.url, body, self._headers)

    def whole(self, events: bytes) -> bytes:
        """Body of the completion that a stream of chunks spells out."""
        return chat_completion(events)

    def read(self, data: bytes) -> Completion:
        """The completion in a response body; its message is exactly what the endpoint sent."""
        return read_completion(data)


def read_completion(data: bytes) -> Completion:
    """The completion in a response body.

    Raises:
        NotACompletion: the body is not JSON, has no choice, or its choice has no message.
        ReportedFailure: it reports an error in place of a choice, or its choice is one.
    """
    reply = decoded(data)
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        if reply.get("error"):
            raise reported(reply["error"])
        raise NotACompletion("no choices")
    choice = choices[0]
    # Gateways report a provider that failed in the middle of its answer like this, with status 200.
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise reported(choice.get("error"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NotACompletion("no message in the first choice")
    return Completion(
        message=message,
        usage=_usage(reply.get("usage")),
        stop_reason=stop if isinstance(stop := choice.get("finish_reason"), str) and stop else "stop",
        first_token=_first_token(choice.get("logprobs")),
    )


def _for_this_wire(message: Message) -> Message:
    return {name: value for name, value in message.items() if name != PROVIDER_BLOCKS}


def _known_fields(message: Message) -> Message:
    if message.get("role") != "assistant":
        return message
    known = {name: value for name, value in message.items() if name in _KNOWN and value is not None}
    # Strict endpoints want the field, and take null only beside calls.
    known.setdefault("content", None if known.get("tool_calls") else "")
    calls = known.get("tool_calls")
    if isinstance(calls, list):
        known["tool_calls"] = [
            {name: value for name, value in call.items() if name in _KNOWN_OF_CALLS}
            if isinstance(call, dict)
            else call
            for call in calls
        ]
    return known


def _usage(raw: object) -> Usage:
    if not isinstance(raw, Mapping):
        return Usage(requests=1)
    details = raw.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(1, count(raw.get("prompt_tokens")), count(raw.get("completion_tokens")), count(cached))


def _first_token(logprobs: object) -> dict[str, float] | None:
    if not isinstance(logprobs, Mapping):
        return None
    content = logprobs.get("content")
    if not isinstance(content, list) or not content or not isinstance(content[0], Mapping):
        return None
    return likeliest(content[0].get("top_logprobs"), "logprob")


def likeliest(candidates: object, field: str) -> dict[str, float] | None:
    """Log-probabilities by token, from a list of candidates that keep theirs in `field`."""
    if not isinstance(candidates, list):
        return None
    return {
        c["token"]: float(c[field])
        for c in candidates
        if isinstance(c, Mapping) and isinstance(c.get("token"), str) and isinstance(c.get(field), int | float)
    }
