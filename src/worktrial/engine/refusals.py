"""Reading of refusals, which all wires share: what an endpoint minds, and what a user can do about it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from worktrial.engine.roles import RoleSettings
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError, option


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
    if "logprobs" in told:
        return f"This endpoint gives no log-probabilities: use {option('judge_method')} votes."
    if "tool" in told:
        return f"Try {option('tool_mode')} json, which needs no tool support at the endpoint."
    own = role.option("base_url")
    return f"Check the settings of the {role}: model {settings.model!r} and its own options ({own}, …)."
