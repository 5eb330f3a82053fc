"""Roles whose requests can go through a batch interface."""

from collections.abc import Mapping

from worktrial.engine.batch.providers import MAKERS
from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option


def refuse_unfit(roles: Mapping[RoleName, RoleSettings]) -> None:
    """Refuse roles whose requests cannot go through a batch interface.

    Raises:
        SettingError: some cannot; the message says which, and why.
    """
    for settings in roles.values():
        if settings.role is Role.SIMULATOR:
            raise SettingError(
                f"{option('batch')}: a simulated workplace answers each call of an agent before the next, and an "
                f"answer of a batch may take a day. Leave {option('batch')} out, or take a suite whose workplaces "
                "are code"
            )
        if settings.is_local:
            raise SettingError(f"{option('batch')}: {settings.role.option()} {settings.model} has no batches")
        if settings.wire not in MAKERS:
            raise SettingError(
                f"{option('batch')}: {settings.role.option()} {settings.model}: there are batches for chat "
                f"completions, anthropic, gemini and responses, and none for {settings.wire}"
            )
        if settings.stream == "on":
            raise SettingError(f"{settings.role.option('stream')} on: the answers of a {option('batch')} are whole")
