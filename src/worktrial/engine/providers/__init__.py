"""Providers of models, as in `PROVIDER/MODEL`: functions that complete the settings of a role.

Others are installed under the entry-point group `worktrial.providers`: a function of `RoleSettings` that returns
them with the address, the key's variable and the name that the model has there. One whose endpoint does not speak
chat completions also sets `speaks` to a function of a `wire.Line` that returns a `wire.ModelWire`; it is asked for
addresses of a user's own as well (`--wire NAME`), and then leaves address and name as they are.
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
    name, rest = named(settings.model)
    if not settings.is_local and not (rest and name in providers.names):
        own = settings.role.option("base_url")
        offered = ", ".join(f"{known}/NAME" for known in providers.names if known != "local")
        raise SettingError(
            f"{settings.role.option()} {settings.model}: no endpoint for this model. Name one "
            f"with {option('base_url')} (or {own}), or use {offered} or local"
        )
    if settings.is_local:
        return providers.get("local")(settings)
    complete = providers.get(name)(settings)
    return complete if complete.speaks is None else dataclasses.replace(complete, wire=name)


def with_wire(settings: RoleSettings) -> RoleSettings:
    """`settings` of a role with an address of the user's own, and the wire that `settings.wire` names.

    Raises:
        SettingError: no such provider is installed, or it speaks chat completions like everybody.
    """
    own = settings.role.option("wire")
    complete = providers.get(settings.wire or "")(settings)
    if complete.speaks is None:
        raise SettingError(f"{own} {settings.wire}: no wire of its own; leave {own} out for chat completions")
    return complete


def named(model: str) -> tuple[str, str]:
    """Provider that a model's name begins with, and the rest; `PROVIDER:NAME` is the same as `PROVIDER/NAME`."""
    name, colon, rest = model.partition(":")
    if not (colon and name in providers.names):
        name, _, rest = model.partition("/")
    return name, rest


def at(settings: RoleSettings, url: str, key_variable: str) -> RoleSettings:
    """`settings` with the provider's address and key's variable, unless the user named an address."""
    if settings.base_url is not None:
        return settings
    return dataclasses.replace(
        settings,
        model=named(settings.model)[1],
        base_url=url,
        api_key_env=settings.api_key_env or key_variable,
    )


def openai(settings: RoleSettings) -> RoleSettings:
    """Settings of a role for OpenAI's own endpoint, as in `openai/NAME`."""
    limit = settings.token_parameter or "max_completion_tokens"
    return dataclasses.replace(at(settings, OPENAI_URL, "OPENAI_API_KEY"), token_parameter=limit)


def local(settings: RoleSettings) -> RoleSettings:
    """Settings of a role that the embedded model plays, `local` or `local:NAME`; as they are."""
    return settings
