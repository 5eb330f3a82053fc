"""Roles that models play in a trial, and their settings."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit, urlunsplit

from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.registry import Registry
from worktrial.secrets import HIDDEN, LIKE_A_KEY, Redactor

if TYPE_CHECKING:
    from worktrial.engine.wire import Endpoint, ModelWire


class Role(StrEnum):
    """A part that a language model plays."""

    AGENT = "agent"
    SUB_AGENT = "sub-agent"
    """The domain agents that an orchestrating agent directs."""
    SIMULATOR = "simulator"
    JUDGE = "judge"
    SYNTHESIZER = "synthesizer"
    SOLVER = "solver"
    """The second worker on a composed task, whose end is held against its author's."""

    def option(self, name: str = "") -> str:
        """Mark of this role's own option `name`, such as `judge_base_url`, in a message; see `errors.option`.

        Without a name it is the option that names the role's model.
        """
        own = self.value.replace("-", "_")
        return option(f"{own}_{name}" if name else own)


RoleName = str
"""A role's place in a run: the role's name; where several models share a role, `judge`, `judge-2`, `judge-3`, …"""


# With so much effort a model may think longer than a silent connection lives.
_LONG_EFFORTS = frozenset({"high", "xhigh", "max"})
# Capitals in words, with hardly a digit; keys have many, or small letters and hyphens.
_NAME_OF_VARIABLE = re.compile(r"(?!(?:.*\d){3})[A-Z][A-Z0-9]{0,15}(?:_[A-Z0-9]{1,16})*")


@dataclass(frozen=True, kw_only=True)
class RoleSettings:
    """Settings with which one role reaches its model. None leaves a thing to the endpoint."""

    role: Role
    number: int = 1
    """Number of this model among several in the same role, from 1."""
    model: str
    """The name at the endpoint; without `base_url`, `PROVIDER/NAME` or `local`."""
    base_url: str | None = None
    wire: str | None = None
    """Name of the provider whose wire the endpoint speaks; None is chat completions."""
    speaks: "Callable[[RoleSettings, Endpoint], ModelWire] | None" = None
    """Maker of that wire, filled in by its provider."""
    api_key_env: str | None = None
    """The environment variable that holds the key; the key itself is never a setting."""
    temperature: float | None = None
    effort: str | None = None
    """Reasoning effort, in the words of the provider."""
    max_tokens: int | None = None
    """Output tokens per request."""
    token_parameter: Literal["max_tokens", "max_completion_tokens"] | None = None
    """Name that the endpoint gives the limit; None is `max_tokens`, or what a known provider wants."""
    tool_mode: Literal["native", "json"] = "native"
    structured: Literal["auto", "schema", "off"] = "auto"
    """JSON Schema output: `auto` gives it up where the endpoint answers only without it."""
    stream: Literal["auto", "on", "off"] = "auto"
    """Streamed answers: `auto` where long thinking is asked for, or nothing else is served."""
    extra: JsonObject = field(default_factory=dict)
    """Further fields of the request body."""
    concurrency: int | None = None
    """Requests in flight for this role."""
    rpm: float | None = None
    """Requests per minute for this role."""
    tpm: int | None = None
    """Tokens per minute for this role, in and out."""
    timeout: float = 600.0
    """Seconds for one answer, from sending to the last byte; of a streamed one, between two events."""
    max_reply: float = 16.0
    """Megabytes of one answer; a larger one is refused before it is read."""
    price: tuple[float, ...] | None = None
    """US dollars per million tokens, where the price list does not know the model: of input and output, then, where
    they differ from input, of input that the provider had cached and of input that it puts into its cache."""
    batch: bool = False
    """Whether requests go through the provider's batch interface, which has prices of its own."""

    def __post_init__(self) -> None:
        """Refuse a key in the place of its variable's name, before anything repeats it.

        Raises:
            SettingError: no such variable is set, and it does not look like a name.
        """
        name = self.api_key_env
        if name is not None and name not in os.environ and not _NAME_OF_VARIABLE.fullmatch(name):
            # Not repeated here: it may well be the key.
            raise SettingError(
                f"{self.role.option('api_key_env')} (or {option('api_key_env')}): no environment variable has the "
                "name that was given. Give the name of the variable that holds the key, such as OPENAI_API_KEY, "
                "never the key itself; a key that was typed is in the shell's history, so replace it"
            )

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

    @property
    def streams(self) -> bool:
        """Whether answers are streamed, unless the endpoint minds."""
        return self.stream == "on" or (self.stream == "auto" and self.effort in _LONG_EFFORTS)

    def output_limit(self, own: int | None) -> int | None:
        """Output tokens that a request may take: the tighter of the role's limit and its own."""
        of_role = self.max_tokens
        return of_role if own is None else own if of_role is None else min(of_role, own)

    def resolved(self) -> "RoleSettings":
        """Same settings with the endpoint filled in, by the provider that the model names if there is no address.

        Raises:
            SettingError: neither the name nor a base URL says where the model is, or the URL is none.
        """
        if self.base_url is not None:
            self._check_address(self.base_url)
            if self.wire is None:
                return self
        complete = _with_endpoint(self) if self.base_url is None else _with_wire(self)
        if complete.base_url is not None:
            complete._check_address(complete.base_url)
        return complete

    def _check_address(self, url: str) -> None:
        address = f"{option('base_url')} (or {self.role.option('base_url')})"
        if not is_address(url):
            # Not repeated here: whatever it is, a password may be in it.
            raise SettingError(f"{address}: not an address such as http://localhost:8000/v1")
        if urlsplit(url).username is not None and self.api_key_env is not None:
            raise SettingError(
                f"{address} names a user, and {self.role.option('api_key_env')} a key; a request can carry only "
                "one of them"
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
                f"export it, or name another with {self.role.option('api_key_env')}"
            )
        if not value.isprintable():
            # Two lines of a file, for example; a header cannot carry them.
            raise SettingError(
                f"the environment variable {self.api_key_env} (key of the {self.role}) holds a line break or "
                f"another control character; set it to the key alone"
            )
        return value

    def hide(self, redactor: Redactor, *, needs_key: bool) -> None:
        """Make `redactor` hide what is secret in these settings.

        Raises:
            SettingError: the role needs its key, and the key is not set.
        """
        if needs_key and (key := self.key()):
            redactor.add(key)
        if self.base_url:
            redactor.add_url(self.base_url)
        redactor.with_named(self.extra)

    def share(self, runs: int) -> "RoleSettings":
        """Settings of the role in one of several `runs` side by side, which together keep to its pace."""
        return replace(
            self,
            concurrency=None if self.concurrency is None else max(1, self.concurrency // runs),
            rpm=None if self.rpm is None else self.rpm / runs,
            tpm=None if self.tpm is None else max(1, self.tpm // runs),
        )

    def fingerprint(self) -> JsonObject:
        """The settings that can change a result, for the manifest. Free of secrets and of the address."""
        wire = {} if self.wire is None else {"wire": self.wire}
        return {
            **wire,
            "model": self.model,
            "temperature": self.temperature,
            "effort": self.effort,
            "max_tokens": self.max_tokens,
            "tool_mode": self.tool_mode,
            "structured": self.structured,
            "extra": Redactor().with_named(self.extra),
        }


providers: Registry[Callable[[RoleSettings], RoleSettings]] = Registry("worktrial.providers", "provider")
"""Providers that are installed."""


def _with_endpoint(settings: RoleSettings) -> RoleSettings:
    """`settings` of a role without an address, completed by the provider that its model names.

    Raises:
        SettingError: no installed provider is named.
    """
    if settings.is_local:
        return settings
    name, rest = named(settings.model)
    if not (rest and name in providers.names):
        own = settings.role.option("base_url")
        offered = ", ".join(f"{known}/NAME" for known in providers.names if known != "local")
        raise SettingError(
            f"{settings.role.option()} {settings.model}: no endpoint for this model. Name one "
            f"with {option('base_url')} (or {own}), or use {offered} or local"
        )
    complete = providers.get(name)(settings)
    return complete if complete.speaks is None else replace(complete, wire=name)


def _with_wire(settings: RoleSettings) -> RoleSettings:
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


def is_address(url: str) -> bool:
    """Whether `url` names a host that speaks HTTP, with or without TLS."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def public_url(url: str) -> str:
    """`url` without what may be secret in it: user, password, query, keys in its path."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, LIKE_A_KEY.sub(HIDDEN, parts.path), "", ""))


def below(base_url: str, path: str) -> str:
    """The address of `path` at an endpoint; a query such as `?api-version=…` stays at the end."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path}"))
