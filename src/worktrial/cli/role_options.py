"""The options that every role has: once for all roles, once for each."""

import json
import math
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from worktrial.cli.option_table import Option
from worktrial.engine.roles import Role, RoleSettings
from worktrial.errors import SettingError


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


def settings_for(
    role: Role, model: str, given: Mapping[str, Any], *, stands_in_for: Role | None = None
) -> RoleSettings:
    """The settings of `role` from the command line's values.

    Args:
        role: Whose.
        model: As the user wrote it.
        given: The values of all options.
        stands_in_for: The role whose own options hold where `role` has none: that of the same model.

    Raises:
        SettingError: a value cannot be read.
    """

    def value(name: str) -> Any:
        for owner in owners:
            own = given.get(f"{owner.value.replace('-', '_')}_{name}")
            if own is not None:
                return own
        return given.get(name)

    owners = [role] if stands_in_for is None else [role, stands_in_for]
    # A base URL for every role is not meant for the one that runs in this machine.
    has_address = any(given.get(f"{owner.value.replace('-', '_')}_base_url") is not None for owner in owners)
    local = not has_address and (model == "local" or model.startswith("local:"))
    tool_mode = given.get("tool_mode") or (ToolMode.JSON if local else ToolMode.NATIVE)
    return RoleSettings(
        role=role,
        model=model,
        base_url=None if local else value("base_url"),
        api_key_env=None if local else value("api_key_env"),
        temperature=value("temperature") if not local or value("temperature") is not None else 0.0,
        effort=None if local else value("effort"),
        max_tokens=value("output_tokens") or (LOCAL_OUTPUT_TOKENS if local else None),
        token_parameter=_plain(value("token_parameter")),
        tool_mode=_plain(tool_mode),
        structured=_plain(value("structured")) or "auto",
        extra=_extra(role, value("extra")),
        concurrency=value("requests"),
        rate=value("rate"),
        timeout=value("timeout") or 600.0,
        price=_price(role, value("price")),
    )


# Enough for any observation or call; a small model that runs on would cost minutes.
LOCAL_OUTPUT_TOKENS = 768


def _option(row: tuple[str, Any, str, str | None, float | None], prefix: str, panel: str) -> Option:
    flag, kind, help_, metavar, minimum = row
    return Option(f"--{prefix}{flag}", kind | None, help_, panel=panel, metavar=metavar, minimum=minimum)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value


def _extra(role: Role, text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except json.JSONDecodeError as e:
        raise SettingError(f"--{role}-extra (or --extra): not JSON ({e})") from None
    if not isinstance(value, dict):
        raise SettingError(f'--{role}-extra (or --extra): must be a JSON object, e.g. {{"top_p": 0.9}}')
    return value


def _price(role: Role, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        dollars_in, dollars_out = (float(part) for part in text.split(","))
    except ValueError:
        dollars_in = dollars_out = math.nan
    # A comparison with NaN is false, so this catches it too.
    if not (0 <= dollars_in < math.inf and 0 <= dollars_out < math.inf):
        raise SettingError(f"--{role}-price (or --price) {text!r}: write two figures, e.g. 1.25,10")
    return dollars_in, dollars_out
