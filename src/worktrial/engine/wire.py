"""The chat-completions protocol: request bodies out, completions and refusals in. No network here."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from worktrial.engine.roles import RoleSettings
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError, option
from worktrial.language import Completion, JsonObject, Message, Usage


class NotACompletion(ValueError):
    """The endpoint's answer does not follow the protocol."""


def request_body(
    settings: RoleSettings,
    model: str,
    messages: Sequence[Message],
    *,
    tools: Sequence[JsonObject],
    schema: JsonObject | None,
    top_logprobs: int,
    max_tokens: int | None,
) -> JsonObject:
    """The JSON body of one request; optional fields only where they are set."""
    body: JsonObject = {"model": model, "messages": list(messages)}
    if tools:
        body["tools"] = list(tools)
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.effort is not None:
        body["reasoning_effort"] = settings.effort
    limit = min((n for n in (settings.max_tokens, max_tokens) if n is not None), default=None)
    if limit is not None:
        body[settings.limit_name] = limit
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    if top_logprobs:
        body["logprobs"] = True
        body["top_logprobs"] = top_logprobs
    body.update(settings.extra)
    return body


def read_completion(data: bytes) -> Completion:
    """The completion in a response body.

    Raises:
        NotACompletion: the body is not JSON, has no choice, or its choice is an error or has no message.
    """
    try:
        reply: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotACompletion("not JSON") from None
    except RecursionError:
        raise NotACompletion("JSON nested too deeply") from None
    if not isinstance(reply, dict):
        raise NotACompletion("not a JSON object")
    choices = reply.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NotACompletion("no choices")
    choice = choices[0]
    # Gateways report a provider that failed in the middle of its answer like this, with status 200.
    if choice.get("error") or choice.get("finish_reason") == "error":
        raise NotACompletion("the provider behind the endpoint failed")
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NotACompletion("no message in the first choice")
    return Completion(
        message=message,
        usage=_usage(reply.get("usage")),
        stop_reason=choice.get("finish_reason") or "stop",
        first_token=_first_token(choice.get("logprobs")),
    )


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
        codes = [str(error[k]) for k in ("code", "type", "param") if error.get(k)]
        return str(message)[:500], " ".join(codes)
    return str(error)[:500], ""


def is_context_overflow(message: str, code: str) -> bool:
    """Whether a refusal means that the prompt is too long (OpenAI, llama.cpp, vLLM, Anthropic and kin)."""
    if "context_length_exceeded" in code or "exceed_context_size" in code:
        return True
    said = message.lower()
    if "prompt is too long" in said or "maximum number of tokens" in said:
        return True
    return "context" in said and any(
        w in said for w in ("exceed", "maximum context length", "too long", "too large")
    )


def excerpt(data: bytes) -> str:
    """The beginning of a body, on one line."""
    text = " ".join(data[:400].decode("utf-8", "replace").split())
    return repr(text[:200]) if text else "an empty body"


def _usage(raw: object) -> Usage:
    if not isinstance(raw, Mapping):
        return Usage(requests=1)
    details = raw.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    return Usage(1, _count(raw.get("prompt_tokens")), _count(raw.get("completion_tokens")), _count(cached))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _first_token(logprobs: object) -> dict[str, float] | None:
    if not isinstance(logprobs, Mapping):
        return None
    content = logprobs.get("content")
    if not isinstance(content, list) or not content or not isinstance(content[0], Mapping):
        return None
    likeliest = content[0].get("top_logprobs")
    if not isinstance(likeliest, list):
        return None
    return {
        c["token"]: float(c["logprob"])
        for c in likeliest
        if isinstance(c, Mapping) and isinstance(c.get("token"), str) and isinstance(c.get("logprob"), int | float)
    }


# No later sample fares better with a wrong key, an empty account or a wrong address.
_HOPELESS = frozenset({401, 402, 404})
_SCHEMA_WORDS = ("response_format", "json_schema", "json schema", "structured output")
_TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")


class SchemaRejected(WorktrialError):
    """The endpoint does not take `response_format`."""


def explain(
    settings: RoleSettings,
    where: str,
    status: int,
    said: str,
    code: str,
    *,
    has_answered: bool,
    with_schema: bool,
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
        with_schema: Whether the request asked for JSON Schema output.
    """
    told = f"{said} {code}".lower()
    # An output limit larger than the whole context is refused in the words of an overflow.
    is_limit = not has_answered and any(name in told for name in _TOKEN_PARAMETERS)
    if status == 413 or (is_context_overflow(said, code) and not is_limit):
        return ContextOverflow(f"{where}: {said}")
    if with_schema and status in (400, 422) and any(w in told for w in _SCHEMA_WORDS):
        return SchemaRejected(f"{where}: {status} {said}")
    is_one_request = has_answered or any(w in told for w in ("content_filter", "content_policy"))
    if status not in _HOPELESS and is_one_request:
        return InvalidSample(InvalidReason.ENDPOINT_REFUSED, f"{where}: {status} {said}")
    return StopRun(f"{where} refused the request with status {status}: {said}\n{_advice(settings, status, told)}")


def _advice(settings: RoleSettings, status: int, told: str) -> str:
    role = settings.role
    if status in (401, 403):
        if settings.api_key_env is None:
            return (
                f"No key was sent. Name the environment variable that holds it: {role.option('api_key_env')} NAME"
            )
        return f"Check the key in the environment variable {settings.api_key_env} and what it may use."
    if status == 402:
        return "The account behind the key cannot pay for the request."
    if status == 404:
        return f"Check the address (it usually ends in /v1) and the model's name {settings.model!r}."
    if any(name in told for name in _TOKEN_PARAMETERS):
        other = next(name for name in _TOKEN_PARAMETERS if name != settings.limit_name)
        return f"Try {role.option('token_parameter')} {other}, or another {role.option('output_tokens')}."
    if any(word in told for word in _SCHEMA_WORDS):
        extra = f"response_format in {role.option('extra')}"
        return f"Leave out {role.option('structured')} (and {option('structured')}), or {extra}."
    if "temperature" in told:
        return f"Leave out {role.option('temperature')} (and {option('temperature')})."
    if "effort" in told:
        return f"Leave out {role.option('effort')} (and {option('effort')})."
    if "logprobs" in told:
        return f"This endpoint gives no log-probabilities: use {option('judge_method')} votes."
    if "tool" in told:
        return f"Try {option('tool_mode')} json, which needs no tool support at the endpoint."
    own = role.option("base_url")
    return f"Check the settings of the {role}: model {settings.model!r} and its own options ({own}, …)."
