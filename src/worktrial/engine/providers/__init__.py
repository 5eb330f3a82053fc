"""Providers of models, as in `PROVIDER/MODEL`: functions that complete the settings of a role.

Others are installed under the entry-point group `worktrial.providers`: a function of `RoleSettings` that returns
them with the address, the key's variable and the name that the model has there. One whose endpoint does not speak
chat completions also sets `speaks` to what makes a `wire.ModelWire` of the settings and a `wire.Endpoint`; it is
asked for addresses of a user's own as well (`--wire NAME`), and then leaves address and name as they are.
"""

import dataclasses

from worktrial.engine.roles import RoleSettings, named

OPENAI_URL = "https://api.openai.com/v1"


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
