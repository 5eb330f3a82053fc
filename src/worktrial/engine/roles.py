"""Who plays which role in a trial, and with which settings."""

import dataclasses
import os
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal
from urllib.parse import urlsplit, urlunsplit

from worktrial.errors import SettingError
from worktrial.language import JsonObject

OPENAI_URL = "https://api.openai.com/v1"


class Role(StrEnum):
    """A part that a language model plays."""

    AGENT = "agent"
    SUB_AGENT = "sub-agent"
    """The domain agents that an orchestrating agent directs."""
    SIMULATOR = "simulator"
    JUDGE = "judge"
    SYNTHESIZER = "synthesizer"


RoleName = str
"""A role's place in a run: the role's name; where several models share a role, `judge`, `judge-2`, `judge-3`, …"""


@dataclass(frozen=True, kw_only=True)
class RoleSettings:
    """How one role reaches its model. None means: leave it to the endpoint."""

    role: Role
    number: int = 1
    """Which of several models in the same role, from 1."""
    model: str
    """The name at the endpoint; without `base_url`, `openai/NAME` or `local`."""
    base_url: str | None = None
    api_key_env: str | None = None
    """The environment variable that holds the key; the key itself is never a setting."""
    temperature: float | None = None
    effort: str | None = None
    """Sent as `reasoning_effort`."""
    max_tokens: int | None = None
    """Output tokens per request."""
    token_parameter: Literal["max_tokens", "max_completion_tokens"] | None = None
    """What the endpoint calls the limit; None is `max_tokens`, or what a known provider wants."""
    tool_mode: Literal["native", "json"] = "native"
    structured: Literal["auto", "schema", "off"] = "auto"
    """JSON Schema output: `auto` gives it up when the endpoint rejects it."""
    extra: JsonObject = field(default_factory=dict)
    """Further fields of the request body."""
    concurrency: int | None = None
    """Requests in flight for this role."""
    rate: float | None = None
    """Requests per minute for this role."""
    timeout: float = 600.0
    """Seconds for one request, from sending to the last byte."""
    price: tuple[float, float] | None = None
    """US dollars per million input and output tokens, where the price list does not know the model."""

    @property
    def role_name(self) -> RoleName:
        """The role's place in the run."""
        return self.role.value if self.number == 1 else f"{self.role}-{self.number}"

    @property
    def limit_name(self) -> str:
        """The field of a request that bounds its output."""
        return self.token_parameter or "max_tokens"

    @property
    def is_local(self) -> bool:
        """Whether the embedded model plays this role."""
        return self.base_url is None and (self.model == "local" or self.model.startswith("local:"))

    def resolved(self) -> "RoleSettings":
        """These settings with the endpoint filled in from the model's name.

        Raises:
            SettingError: neither the name nor a base URL says where the model is, or the URL is none.
        """
        if self.base_url is not None:
            self._check_address(self.base_url)
            return self
        if self.is_local:
            return self
        provider, _, name = self.model.partition("/")
        if provider == "openai" and name:
            return dataclasses.replace(
                self,
                model=name,
                base_url=OPENAI_URL,
                api_key_env=self.api_key_env or "OPENAI_API_KEY",
                token_parameter=self.token_parameter or "max_completion_tokens",
            )
        raise SettingError(
            f"--{self.role} {self.model}: no endpoint for this model. Name one with --base-url (or "
            f"--{self.role}-base-url), or use openai/NAME or local"
        )

    def _check_address(self, url: str) -> None:
        option = f"--base-url (or --{self.role}-base-url)"
        try:
            parts = urlsplit(url)
            fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            fits = False
        if not fits:
            # Not repeated here: whatever it is, a password may be in it.
            raise SettingError(f"{option}: not an address such as http://localhost:8000/v1")
        if parts.username is not None and self.api_key_env is not None:
            raise SettingError(
                f"{option} names a user, and --{self.role}-api-key-env a key; a request can carry only one of them"
            )

    def key(self) -> str | None:
        """The secret, read from the environment.

        Raises:
            SettingError: the named variable is not set, or holds what cannot be a key.
        """
        if self.api_key_env is None:
            return None
        value = os.environ.get(self.api_key_env, "").strip()
        if not value:
            raise SettingError(
                f"the environment variable {self.api_key_env} (key of the {self.role}) is not set; "
                f"export it, or name another with --{self.role}-api-key-env"
            )
        if not value.isprintable():
            # Two lines of a file, for example; a header cannot carry them.
            raise SettingError(
                f"the environment variable {self.api_key_env} (key of the {self.role}) holds a line break or "
                f"another control character; set it to the key alone"
            )
        return value

    def fingerprint(self) -> JsonObject:
        """The settings that can change a result, for the manifest. Free of secrets and of the address."""
        return {
            "model": self.model,
            "temperature": self.temperature,
            "effort": self.effort,
            "max_tokens": self.max_tokens,
            "tool_mode": self.tool_mode,
            "structured": self.structured,
            "extra": self.extra,
        }


def public_url(url: str) -> str:
    """`url` without what may be secret in it: user, password, query."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def below(base_url: str, path: str) -> str:
    """The address of `path` at an endpoint; a query such as `?api-version=…` stays at the end."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}"))
