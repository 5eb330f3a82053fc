"""The options that every role has: once for all roles, once for each."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from worktrial.cli.option_table import Option
from worktrial.engine.role_values import settings_for
from worktrial.engine.roles import Role

__all__ = [
    "Structured",
    "TokenParameter",
    "ToolMode",
    "role_options",
    "settings_for",
    "shared_options",
    "tool_mode_option",
]


class TokenParameter(StrEnum):
    """What the endpoint calls its output limit."""

    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


class ToolMode(StrEnum):
    """How tools are offered to the model."""

    NATIVE = "native"
    JSON = "json"


class Structured(StrEnum):
    """Whether JSON Schema output is asked for."""

    AUTO = "auto"
    SCHEMA = "schema"
    OFF = "off"


# (flag, type, help, metavar, minimum); `None` for "as for every role".
_ROWS: tuple[tuple[str, Any, str, str | None, float | None], ...] = (
    ("base-url", str, "Address of an OpenAI-compatible endpoint, e.g. http://localhost:8000/v1.", "URL", None),
    ("api-key-env", str, "Environment variable that holds the key. The key itself is never stored.", "NAME", None),
    ("temperature", float, "Sampling temperature.", None, 0),
    ("effort", str, "Reasoning effort, sent as reasoning_effort (e.g. low, medium, high).", "LEVEL", None),
    ("output-tokens", int, "Output tokens of one request.", None, 1),
    ("token-parameter", TokenParameter, "What the endpoint calls that limit.", None, None),
    ("structured", Structured, "JSON Schema output: auto gives it up when the endpoint rejects it.", None, None),
    ("timeout", float, "Seconds to wait for one answer.", None, 1),
    ("requests", int, "Requests in flight.", None, 1),
    ("rate", float, "Requests per minute.", None, 0.01),
    (
        "price",
        str,
        "US dollars per million input and output tokens, for a model off the price list.",
        "IN,OUT",
        None,
    ),
    ("extra", str, "Further fields of the request body, as JSON.", "JSON", None),
)

_USUAL_ROLES = (Role.AGENT, Role.SIMULATOR, Role.JUDGE)


def shared_options(roles: Sequence[Role] = _USUAL_ROLES) -> list[Option]:
    """The options that hold for every one of `roles` that has none of its own."""
    every = f"Every role (each also as {', '.join(f'--{role}-…' for role in roles)})"
    return [_option(row, "", every) for row in _ROWS]


def role_options(role: Role) -> list[Option]:
    """The options of one role."""
    return [_option(row, f"{role}-", f"Only the {role}") for row in _ROWS]


def tool_mode_option() -> Option:
    """How the agent is offered its tools."""
    return Option(
        "--tool-mode",
        ToolMode | None,
        "native tool calls, or json: tools as a JSON Schema, for endpoints and small models without native "
        "tools. Default: native; json for the embedded model.",
        panel="Agent",
    )


def _option(row: tuple[str, Any, str, str | None, float | None], prefix: str, panel: str) -> Option:
    flag, kind, help_, metavar, minimum = row
    return Option(f"--{prefix}{flag}", kind | None, help_, panel=panel, metavar=metavar, minimum=minimum)
