"""Tokens of a run, for training: of each sample a line of its work."""

from collections.abc import Mapping

from worktrial.engine.record import SampleLine
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject, TurnTokens


class SampleTokens(SampleLine, kw_only=True):
    """The tokens of one sample, as its record points at them."""

    turns: list[TurnTokens]
    """Tokens of each of the agent's messages, in order."""
    tools: list[JsonObject]
    """Tools that the agent was offered, in the chat-completions form."""


def refuse_without_tokens(roles: Mapping[RoleName, RoleSettings]) -> None:
    """Refuse roles whose endpoints cannot be asked for tokens, before anything is spent.

    Raises:
        SettingError: some cannot; the message says why.
    """
    flag = option("keep_tokens")
    for settings in roles.values():
        if not settings.keep_tokens:
            continue
        if settings.is_local:
            raise SettingError(f"{flag}: the embedded model gives no token ids; serve the model with vLLM")
        if settings.wire is not None:
            raise SettingError(f"{flag}: is for chat completions; endpoints of {settings.wire} give no token ids")
        if settings.stream == "on":
            raise SettingError(f"{flag}: streamed answers lose tokens of calls; leave out {option('stream')} on")
        if settings.batch:
            raise SettingError(f"{flag}: answers of a batch hold no token ids; leave out {option('batch')}")
