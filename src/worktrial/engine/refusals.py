"""What an endpoint's refusal means, and what the user can do about it."""

from worktrial.engine import wire
from worktrial.engine.roles import RoleSettings
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError, option

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
    if status == 413 or (wire.is_context_overflow(said, code) and not is_limit):
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
