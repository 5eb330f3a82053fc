"""What an endpoint's refusal means, and what the user can do about it."""

from worktrial.engine import wire
from worktrial.engine.roles import RoleSettings
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError

# No later sample fares better with a wrong key, an empty account or a wrong address.
_HOPELESS = frozenset({401, 402, 404})


class SchemaRejected(WorktrialError):
    """The endpoint does not take `response_format`."""


def explain(
    settings: RoleSettings, where: str, status: int, said: str, code: str, *, has_answered: bool
) -> WorktrialError:
    """The error for a refused request.

    Args:
        settings: The role that asked.
        where: Role and address, for the message.
        status: HTTP status, 4xx other than the retried ones.
        said: The endpoint's own words, already free of secrets.
        code: The endpoint's error code or type, or "".
        has_answered: Whether the endpoint has answered this role before. A refusal then concerns one
            request (a content filter, say); without any success before, it concerns the settings.
    """
    if status == 413 or (status in (400, 422) and wire.is_context_overflow(said, code)):
        return ContextOverflow(f"{where}: {said}")
    if status in (400, 422) and any(w in said for w in ("response_format", "json_schema")):
        return SchemaRejected(f"{where}: {status} {said}")
    if status not in _HOPELESS and has_answered:
        return InvalidSample(InvalidReason.ENDPOINT_REFUSED, f"{where}: {status} {said}")
    return StopRun(f"{where} refused the request with status {status}: {said}\n{_advice(settings, status, said)}")


def _advice(settings: RoleSettings, status: int, said: str) -> str:
    role = settings.role
    if status in (401, 403):
        if settings.api_key_env is None:
            return f"No key was sent. Name the environment variable that holds it: --{role}-api-key-env NAME"
        return f"Check the key in the environment variable {settings.api_key_env} and what it may use."
    if status == 402:
        return "The account behind the key cannot pay for the request."
    if status == 404:
        return f"Check the address (it usually ends in /v1) and the model's name {settings.model!r}."
    if "max_completion_tokens" in said:
        return f"Try --{role}-token-parameter max_completion_tokens"
    if "max_tokens" in said:
        return f"Try another --{role}-output-tokens, or --{role}-token-parameter max_completion_tokens"
    if "temperature" in said:
        return f"Leave out --{role}-temperature (and --temperature)."
    if "reasoning_effort" in said or "effort" in said:
        return f"Leave out --{role}-effort (and --effort)."
    if "logprobs" in said:
        return "This endpoint gives no log-probabilities: use --judge-method votes."
    if "tool" in said:
        return f"Try --{role}-tool-mode json, which needs no tool support at the endpoint."
    return f"Check the settings of the {role}: model {settings.model!r} and its --{role}-… options."
