"""Providers of models, as in `PROVIDER/MODEL`: functions that complete the settings of a role.

Others are installed under the entry-point group `worktrial.providers`: a function of `RoleSettings` that returns
them with the address, the key's variable and the name that the model has there.
"""

import dataclasses
from collections.abc import Callable

from worktrial.engine.roles import RoleSettings
from worktrial.errors import SettingError, option
from worktrial.registry import Registry

OPENAI_URL = "https://api.openai.com/v1"

providers: Registry[Callable[[RoleSettings], RoleSettings]] = Registry("worktrial.providers", "provider")
"""Providers that are installed."""


def with_endpoint(settings: RoleSettings) -> RoleSettings:
    """`settings` of a role without an address, completed by the provider that its model names.

    Raises:
        SettingError: no installed provider is named.
    """
    name, _, rest = settings.model.partition("/")
    if not settings.is_local and not (rest and name in providers.names):
        own = settings.role.option("base_url")
        offered = ", ".join(f"{known}/NAME" for known in providers.names if known != "local")
        raise SettingError(
            f"{settings.role.option()} {settings.model}: no endpoint for this model. Name one "
            f"with {option('base_url')} (or {own}), or use {offered} or local"
        )
    return providers.get("local" if settings.is_local else name)(settings)


def openai(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for OpenAI's own endpoint, as in `openai/NAME`."""
    return dataclasses.replace(
        settings,
        model=settings.model.partition("/")[2],
        base_url=OPENAI_URL,
        api_key_env=settings.api_key_env or "OPENAI_API_KEY",
        token_parameter=settings.token_parameter or "max_completion_tokens",
    )


def local(settings: RoleSettings) -> RoleSettings:
    """Settings of a role that the embedded model plays, `local` or `local:NAME`; as they are."""
    return settings
