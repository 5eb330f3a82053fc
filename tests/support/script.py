"""A script: what the server does with each request, by role and in order."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from tests.support.batches import Batching
from tests.support.request import Role, ScriptedRequest
from tests.support.streams import Streaming
from tests.support.votes import with_code
from tests.support.wire import Body, Reply, error_reply
from tests.support.wires import ForeignWire, all_wires

Answer = Reply | Body | str | None
"""What a step may return: bytes, a completion, the text of a completion, or None to leave it to the next step."""

Step = Callable[[ScriptedRequest], Answer]


@dataclass(frozen=True)
class Behaviour:
    """A step with a name. Subclasses define `answer`."""

    times: int | None = field(default=None, kw_only=True)
    """How many requests it answers before the next step's turn comes; None for all of them."""

    def answer(self, request: ScriptedRequest) -> Answer:
        raise NotImplementedError

    def __call__(self, request: ScriptedRequest) -> Answer:
        return self.answer(request)


@dataclass(frozen=True)
class Endpoint:
    """What the emulated endpoint can do; a request that asks for more is refused with status 400."""

    supports_json_schema: bool = True
    supports_temperature: bool = True
    supports_tools: bool = True
    supports_logprobs: bool = True
    streams: Literal["never", "can", "only"] = "can"
    known_fields: frozenset[str] | None = None
    """Fields of an assistant's message that it takes; None for any."""
    known_words: frozenset[str] | None = None
    """Keywords of JSON Schema that it takes; None for any."""
    says: str | None = None
    """What it says of a request that it refuses, whatever it minds; None for the plain truth."""
    token_parameter: str | None = None
    """The only accepted one of `max_tokens` and `max_completion_tokens`; None for both."""
    key: str | None = None
    """The only accepted bearer key; None for any or none."""

    _tokens: ClassVar = ("max_tokens", "max_completion_tokens")

    def refusal(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reply | None:
        """The refusal of a request, if it asks for more than the endpoint can do."""
        refused = self._refusal(body, headers)
        if refused is None or self.says is None or refused.status == 401:
            return refused
        return error_reply(400, self.says)

    def _refusal(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> Reply | None:
        if self.key is not None and headers.get("Authorization") != f"Bearer {self.key}":
            return error_reply(401, "This key is not known here.", code="invalid_api_key")
        unsupported = [
            ("response_format", self.supports_json_schema),
            ("temperature", self.supports_temperature),
            ("tools", self.supports_tools),
            ("logprobs", self.supports_logprobs),
            ("top_logprobs", self.supports_logprobs),
            *((name, self.token_parameter in (None, name)) for name in self._tokens),
            ("stream", self.streams != "never"),
        ]
        for name, supported in unsupported:
            value = body.get(name)
            # Compared by identity: a temperature of 0 is equal to False.
            if not supported and value is not None and value is not False:
                hint = f" Use '{self.token_parameter}' instead." if name in self._tokens else ""
                message = f"Unsupported parameter: '{name}' cannot be used with this model.{hint}"
                return error_reply(400, message, code="unsupported_parameter", param=name)
        if self.streams == "only" and not body.get("stream") and "messages" in body:
            return error_reply(400, "This model serves streams alone.", param="stream")
        return self._strict_refusal(body)

    def _strict_refusal(self, body: Mapping[str, Any]) -> Reply | None:
        for number, message in enumerate(body.get("messages") or ()):
            if self.known_fields is not None and message["role"] == "assistant":
                for name in sorted(message.keys() - self.known_fields):
                    said = f"messages.{number}.assistant.{name}: Extra inputs are not permitted"
                    return error_reply(422, said, kind="validation_error")
        if self.known_words is None:
            return None
        schemas = [tool["function"].get("parameters") for tool in body.get("tools") or ()]
        schemas.append(((body.get("response_format") or {}).get("json_schema") or {}).get("schema"))
        for schema in schemas:
            for word in words_of(schema):
                if word not in self.known_words:
                    return error_reply(400, f"Invalid JSON payload received. Unknown name {word!r}")
        return None


def words_of(schema: Any) -> Iterator[str]:
    """Keywords of a JSON Schema; an object without fields counts as `empty object`."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("properties") == {}:
        yield "empty object"
    for word, value in schema.items():
        yield word
        if word == "properties":
            for inner in value.values():
                yield from words_of(inner)
        for inner in value if isinstance(value, list) else [value]:
            if word not in ("properties", "enum", "const", "default", "examples"):
                yield from words_of(inner)


@dataclass
class _Turn:
    """A step and how many requests it may still answer; None for any number."""

    step: Step
    left: int | None


@dataclass(frozen=True)
class Script:
    """What the server does. Each role's steps are asked in order until one answers; after the last, `Happy`."""

    agent: Sequence[Step] | Step = ()
    simulator: Sequence[Step] | Step = ()
    judge: Sequence[Step] | Step = ()
    synthesizer: Sequence[Step] | Step = ()
    solver: Sequence[Step] | Step = ()
    listing: Step | None = None
    """Answers `GET /v1/models` instead of the list of `models`."""

    tool_calls: int = 2
    """How many tool results a happy agent collects before it answers."""
    latency: float | Mapping[str, float] = 0.0
    """Seconds before every reply, or seconds by role."""
    burst_429: int = 0
    """The first so many requests, over all roles, are answered 429."""
    burst_retry_after: str | None = None
    """The `Retry-After` header of the burst, as it stands on the wire."""
    usage: bool = True
    """Whether completions report tokens."""
    cached_share: float = 0.5
    """The part of the prompt tokens that is reported as read from the provider's cache."""
    endpoint: Endpoint = Endpoint()
    stream: Streaming = field(default_factory=Streaming)
    """Manner of streaming, for requests that ask for it."""
    batching: Batching = field(default_factory=Batching)
    """Manner of working off batches."""
    wires: Callable[[], Mapping[str, ForeignWire]] = all_wires
    """Makes the wires beside chat completions."""
    models: Sequence[str] = ("agent-1", "simulator-1", "judge-1", "synthesizer-1", "solver-1")

    def steps(self, role: Role) -> list[Step]:
        steps = getattr(self, role.value)
        return [steps] if callable(steps) else list(steps)

    def delay(self, role: Role) -> float:
        """Seconds to wait before a reply to `role`."""
        if isinstance(self.latency, Mapping):
            return self.latency.get(role.value, 0.0)
        return self.latency


class Cast:
    """A script in play: remembers which steps are spent."""

    def __init__(self, script: Script, otherwise: Step) -> None:
        self._script = script
        self._otherwise = otherwise
        self._turns = {
            role: [_Turn(step, getattr(step, "times", None)) for step in script.steps(role)] for role in Role
        }

    def answer(self, request: ScriptedRequest) -> Reply | Body | str:
        """The first answer among the burst, the endpoint's refusal, the role's steps and the default."""
        if request.number < self._script.burst_429:
            after = self._script.burst_retry_after
            headers = {} if after is None else {"Retry-After": after}
            return error_reply(429, "Too many requests.", code="rate_limit_exceeded", headers=headers)
        refused = self._script.endpoint.refusal(request.body, request.headers)
        if refused is not None:
            return refused
        for turn in self._turns[request.role]:
            if turn.left == 0:
                continue
            answer = turn.step(request)
            if answer is not None:
                if turn.left is not None:
                    turn.left -= 1
                return _coded(answer, request)
        answer = self._otherwise(request)
        if answer is None:
            raise TypeError("the default step must answer every request")
        return _coded(answer, request)


def _coded(answer: Reply | Body | str, request: ScriptedRequest) -> Reply | Body | str:
    """A judge's answer with the code that it was asked for."""
    if request.role is not Role.JUDGE or isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        return str(with_code(answer, request.messages))
    for choice in answer.get("choices", ()):
        message = choice.get("message", {})
        message["content"] = with_code(message.get("content"), request.messages)
    return answer
