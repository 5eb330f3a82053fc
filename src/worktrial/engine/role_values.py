"""Settings of a role, read from the values that a user gave."""

import json
import math
from collections.abc import Mapping
from typing import Any

from worktrial.engine.roles import Role, RoleSettings
from worktrial.errors import SettingError, option

ROLE_VALUES = frozenset(
    {
        "base_url",
        "api_key_env",
        "temperature",
        "effort",
        "output_tokens",
        "token_parameter",
        "structured",
        "timeout",
        "requests",
        "rpm",
        "tpm",
        "stream",
        "wire",
        "max_reply",
        "price",
        "extra",
    }
)
"""Options that can be given for every role, as `base_url`, and for one, as `judge_base_url`."""

# Enough for any observation or call; a small model that runs on would cost minutes.
LOCAL_OUTPUT_TOKENS = 768


def settings_for(
    role: Role, model: str, given: Mapping[str, Any], *, stands_in_for: Role | None = None
) -> RoleSettings:
    """The settings of `role` from a user's values.

    Args:
        role: Whose.
        model: As the user wrote it.
        given: Values by option, such as `base_url` for every role and `judge_base_url` for one; missing or None is
            not given.
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
    tool_mode: Any = given.get("tool_mode") or ("json" if local else "native")
    return RoleSettings(
        role=role,
        model=model,
        base_url=None if local else value("base_url"),
        api_key_env=None if local else value("api_key_env"),
        temperature=value("temperature") if not local or value("temperature") is not None else 0.0,
        effort=None if local else value("effort"),
        max_tokens=value("output_tokens") or (LOCAL_OUTPUT_TOKENS if local else None),
        token_parameter=value("token_parameter"),
        tool_mode=tool_mode,
        structured=value("structured") or "auto",
        extra=_extra(role, value("extra")),
        concurrency=value("requests"),
        rpm=value("rpm"),
        tpm=value("tpm"),
        stream=value("stream") or "auto",
        wire=None if local else value("wire"),
        timeout=value("timeout") or RoleSettings.timeout,
        max_reply=value("max_reply") or RoleSettings.max_reply,
        price=_price(role, value("price")),
    )


def _extra(role: Role, text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except json.JSONDecodeError as e:
        raise SettingError(f"{role.option('extra')} (or {option('extra')}): not JSON ({e})") from None
    if not isinstance(value, dict):
        raise SettingError(
            f'{role.option("extra")} (or {option("extra")}): must be a JSON object, e.g. {{"top_p": 0.9}}'
        )
    return value


def _price(role: Role, text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        figures = tuple(float(part) for part in text.split(","))
    except ValueError:
        figures = ()
    # A comparison with NaN is false, so this catches it too.
    if not (2 <= len(figures) <= 4 and all(0 <= figure < math.inf for figure in figures)):
        raise SettingError(
            f"{role.option('price')} (or {option('price')}) {text!r}: write two figures, e.g. 1.25,10, or up to "
            "two more for input from the provider's cache and into it"
        )
    return figures
