"""The contract of a wire, and the reading of refusals, which all wires share. No network here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from worktrial.engine.roles import RoleSettings
from worktrial.engine.transport import HttpAnswer, Transport
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError, option
from worktrial.language import Completion, JsonObject, Message

PROVIDER_BLOCKS = "provider_blocks"
"""Field of an assistant message that holds the provider's own form of it, `{"wire": NAME, "blocks": …}`.

Goes back to that wire in place of the message, unchanged, and to no other: signatures of thoughts are in it.
"""

JSON = {"Content-Type": "application/json"}
"""Headers of a body of JSON."""
NO_KEY = "none"
"""Key that is sent where there is none: these wires want one, and who needs none looks at none."""


class NotACompletion(ValueError):
    """The endpoint's answer does not follow the protocol."""


class ReportedFailure(Exception):
    """The endpoint reports an error with status 200, in the middle of a stream or in place of an answer.

    Args:
        status: HTTP status that the error would have had by itself.
        error: The error as the endpoint tells it.
    """

    def __init__(self, status: int, error: Any) -> None:
        super().__init__(str(error))
        self.status = status
        self.error = error

    def answer(self, headers: Mapping[str, str]) -> HttpAnswer:
        """The same error as if it had come with its status."""
        return HttpAnswer(self.status, msgspec.json.encode({"error": self.error}), headers)


def reported(error: Any, otherwise: int = 502) -> ReportedFailure:
    """The failure that an error object stands for.

    Args:
        error: The error as the endpoint tells it.
        otherwise: Status of one that names none in its `code`.
    """
    code = error.get("code") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int | str) and re.fullmatch("[0-9]{3}", str(code)) else 0
    told = error or "the provider behind the endpoint failed"
    return ReportedFailure(status if 400 <= status < 600 else otherwise, told)


class Concession(StrEnum):
    """A part of a request that an endpoint may not take, and that can be left out or put in simpler words."""

    SCHEMA_WORDS = "schema words"
    """Keywords of JSON Schema that not every endpoint knows."""
    MESSAGE_FIELDS = "message fields"
    """Fields of an assistant message beyond the protocol's own."""
    ENCRYPTED_THOUGHTS = "encrypted thoughts"
    """The wish for thoughts that can be sent back."""
    SCHEMA = "schema"
    """JSON Schema output."""
    STREAM = "stream"
    """The way of the answer: streamed where it was whole, whole where it was streamed."""


Concessions = frozenset[Concession]


@dataclass(frozen=True, slots=True)
class Request:
    """One request, as `worktrial.language.Complete` is asked."""

    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    schema: JsonObject | None = None
    top_logprobs: int = 0
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Everything that a wire is made of."""

    settings: RoleSettings
    base_url: str
    model: str
    """Name that the endpoint knows."""
    key: str | None
    transport: Transport


class ModelWire(Protocol):
    """Form in which one kind of endpoint is asked and answers."""

    url: str
    """Address of the requests, which tells answers of several endpoints apart in the request cache."""

    def body(self, request: Request, without: Concessions) -> JsonObject:
        """Body of a request; the same for the same request.

        Raises:
            StopRun: the wire has no such thing.
        """
        ...

    async def send(self, body: bytes) -> HttpAnswer:
        """Send an encoded body; see `Transport.post` for what it raises.

        Raises:
            NotACompletion: a streamed answer cannot be put together.
        """
        ...

    def read(self, data: bytes) -> Completion:
        """The completion in the data of an answer with status 200.

        Its message has the shape of chat completions: `content`, `reasoning_content`, `tool_calls`, `refusal`, and
        the wire's own blocks under `PROVIDER_BLOCKS`.

        Raises:
            NotACompletion: there is none.
            ReportedFailure: the body reports an error.
        """
        ...


# With so much effort a model may think longer than a silent connection lives.
_LONG_EFFORTS = frozenset({"high", "xhigh", "max"})


def streams_by_itself(settings: RoleSettings) -> bool:
    """Whether a role's answers are streamed, unless its endpoint minds."""
    return settings.stream == "on" or (settings.stream == "auto" and settings.effort in _LONG_EFFORTS)


def output_limit(settings: RoleSettings, request: Request) -> int | None:
    """Output tokens that a request may take: the tighter of the role's limit and its own."""
    of_role, own = settings.max_tokens, request.max_tokens
    return of_role if own is None else own if of_role is None else min(of_role, own)


def decoded(data: bytes) -> JsonObject:
    """The JSON object in a response body.

    Raises:
        NotACompletion: it is none.
    """
    try:
        reply: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotACompletion("not JSON") from None
    except RecursionError:
        raise NotACompletion("JSON nested too deeply") from None
    if not isinstance(reply, dict):
        raise NotACompletion("not a JSON object")
    return reply


MOST_TOKENS = 10**9
"""Tokens of one answer that are believed."""


def count(value: object) -> int:
    """Tokens in a field of a usage report; 0 for what is no count, or one that cannot be."""
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0


def error_text(data: bytes) -> tuple[str, str]:
    """`(message, code)` of an error body; the code (with type and parameter) is "" where there is none.

    Gateways disagree on the shape, so this looks in the usual places and falls back to an excerpt.
    """
    try:
        reply: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return excerpt(data), ""
    error = reply.get("error", reply) if isinstance(reply, dict) else reply
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail") or excerpt(data)
        codes = [str(error[k]) for k in ("code", "type", "param", "status") if error.get(k)]
        return str(message)[:500], " ".join([*codes, *_details(error.get("details"), "reason")])
    return str(error)[:500], ""


def asked_to_wait(data: bytes) -> str | None:
    """Seconds that an error's own details ask for (google.rpc.RetryInfo), as in a Retry-After header."""
    try:
        reply: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    error = reply.get("error") if isinstance(reply, dict) else None
    delays = _details(error.get("details"), "retryDelay") if isinstance(error, dict) else []
    return next((delay.removesuffix("s") for delay in delays), None)


def _details(details: object, field: str) -> list[str]:
    """Texts in `field` of the details of an error (google.rpc.Status)."""
    if not isinstance(details, list):
        return []
    return [d[field] for d in details if isinstance(d, Mapping) and isinstance(d.get(field), str)]


def is_context_overflow(message: str, code: str) -> bool:
    """Whether a refusal means that the prompt is too long (OpenAI, llama.cpp, vLLM, Anthropic, Gemini and kin)."""
    if "context_length_exceeded" in code or "exceed_context_size" in code:
        return True
    said = message.lower()
    if any(w in said for w in ("prompt is too long", "maximum number of tokens", "input token count")):
        return True
    return "context" in said and any(
        w in said for w in ("exceed", "maximum context length", "too long", "too large")
    )


def excerpt(data: bytes) -> str:
    """The beginning of a body, on one line."""
    text = " ".join(data[:400].decode("utf-8", "replace").split())
    return repr(text[:200]) if text else "an empty body"


# No later sample fares better with a wrong key, an empty account or a wrong address.
_HOPELESS = frozenset({401, 402, 404})
_TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")
# An account that is used up, whatever the status: waiting does not fill it.
_EMPTY_ACCOUNT = ("insufficient_quota", "billing_hard_limit", "billing_error", "credit balance is too low")


def is_account_empty(said: str, code: str) -> bool:
    """Whether a refusal means that nobody pays for the requests any more."""
    told = f"{said} {code}".lower()
    return any(word in told for word in _EMPTY_ACCOUNT)


def explain(
    settings: RoleSettings,
    where: str,
    status: int,
    said: str,
    code: str,
    *,
    has_answered: bool,
) -> WorktrialError:
    """The error for a refused request.

    Args:
        settings: The role that asked.
        where: Role and address, for the message.
        status: HTTP status, 4xx other than the retried ones.
        said: The endpoint's own words, already free of secrets.
        code: The endpoint's error code, type and parameter, or "".
        has_answered: Whether the endpoint has answered this role before. A refusal then concerns one
            request; without any success before, it concerns the settings.
    """
    told = f"{said} {code}".lower()
    # An output limit larger than the whole context is refused in the words of an overflow.
    is_limit = not has_answered and any(name in told for name in _TOKEN_PARAMETERS)
    if status == 413 or (is_context_overflow(said, code) and not is_limit):
        return ContextOverflow(f"{where}: {said}")
    if is_account_empty(said, code):
        return StopRun(f"{where} refused the request with status {status}: {said}\n{_NO_MONEY}")
    # One provider calls a wrong key a bad request.
    is_hopeless = status in _HOPELESS or "api_key_invalid" in told
    if not is_hopeless and any(words in told for words in ("content_filter", "content_policy")):
        return InvalidSample(InvalidReason.CONTENT_FILTER, f"{where}: {status} {said}")
    if not is_hopeless and has_answered:
        return InvalidSample(InvalidReason.ENDPOINT_REFUSED, f"{where}: {status} {said}")
    return StopRun(f"{where} refused the request with status {status}: {said}\n{_advice(settings, status, told)}")


_NO_MONEY = "The account behind the key cannot pay for the request."


def _advice(settings: RoleSettings, status: int, told: str) -> str:
    role = settings.role
    if status in (401, 403) or "api_key_invalid" in told:
        if settings.api_key_env is None:
            return (
                f"No key was sent. Name the environment variable that holds it: {role.option('api_key_env')} NAME"
            )
        return f"Check the key in the environment variable {settings.api_key_env} and what it may use."
    if status == 402:
        return _NO_MONEY
    if 300 <= status < 400:
        return f"If that is where requests shall go, name that address: {role.option('base_url')} URL"
    if status == 404:
        return f"Check the address (it usually ends in /v1) and the model's name {settings.model!r}."
    if settings.wire is None and any(name in told for name in _TOKEN_PARAMETERS):
        other = next(name for name in _TOKEN_PARAMETERS if name != settings.limit_name)
        return f"Try {role.option('token_parameter')} {other}, or another {role.option('output_tokens')}."
    if any(name in told for name in ("max_tokens", "max_output_tokens", "maxoutputtokens")):
        return f"Try another {role.option('output_tokens')}."
    if "response_format" in told and "response_format" in settings.extra:
        return f"Leave response_format out of {role.option('extra')} (and {option('extra')})."
    if settings.structured == "schema" and any(word in told for word in ("response_format", "schema")):
        return f"Leave out {role.option('structured')} schema (and {option('structured')})."
    if "stream" in told:
        return f"Leave out {role.option('stream')} (and {option('stream')}), or set the other way of it."
    if "temperature" in told:
        return f"Leave out {role.option('temperature')} (and {option('temperature')})."
    if "effort" in told:
        return f"Leave out {role.option('effort')} (and {option('effort')})."
    if settings.keep_tokens and ("logprobs" in told or "token_ids" in told):
        return f"This endpoint gives no tokens to train on: leave out {option('keep_tokens')}."
    if "logprobs" in told:
        return f"This endpoint gives no log-probabilities: use {option('judge_method')} votes."
    if "tool" in told:
        return f"Try {option('tool_mode')} json, which needs no tool support at the endpoint."
    own = role.option("base_url")
    return f"Check the settings of the {role}: model {settings.model!r} and its own options ({own}, …)."
