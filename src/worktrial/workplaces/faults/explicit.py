"""Faults that say so: the call fails, the workplace is not asked, its state stays as it was."""

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.mode import FaultKind

# What an API gateway in front of a service answers. Nothing in them tells a trial from real life.
_ERRORS: dict[FaultKind, JsonObject] = {
    FaultKind.HTTP_500: {"type": "internal_server_error", "status": 500, "message": "Internal Server Error"},
    FaultKind.TIMEOUT: {
        "type": "timeout",
        "status": 504,
        "message": "The service did not answer within 30 seconds. The request was dropped.",
    },
    FaultKind.CONNECTION_REFUSED: {
        "type": "connection_refused",
        "message": "Could not connect to the service: connection refused",
    },
    FaultKind.UNAVAILABLE: {
        "type": "service_unavailable",
        "status": 503,
        "message": "The service is temporarily unavailable",
    },
}
_TRANSIENT = frozenset(error["type"] for error in _ERRORS.values())


def failed(kind: FaultKind, tool: str) -> JsonObject:
    """What the agent sees instead of an answer of `tool`."""
    return {"error": {**_ERRORS[kind], "tool": tool}}


def is_outage(observation: JsonValue) -> bool:
    """Whether an observation reports, as far as anybody can tell from it, a failure that may pass."""
    error = observation.get("error") if isinstance(observation, dict) else None
    return isinstance(error, dict) and error.get("type") in _TRANSIENT
