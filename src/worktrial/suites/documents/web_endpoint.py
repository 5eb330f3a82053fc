"""A search engine's endpoint: how it is asked, where its answer has the results, and what may come back."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from worktrial.engine.proxies import proxy_for
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError, StopRun, option
from worktrial.language import JsonObject, JsonValue
from worktrial.language.untrusted import printable
from worktrial.outside.yaml_files import read_yaml
from worktrial.secrets import Redactor

MOST_BYTES = 2 << 20
"""Bytes of an answer of the search engine."""
_TIMEOUT = aiohttp.ClientTimeout(total=30)
_TRIES = 3
_PAUSE = 1.0
_LONGEST = {"title": 300, "address": 500, "text": 2_000}
"""Characters of a result that are kept."""


class WebResult(NamedTuple):
    """A page that a search engine names."""

    title: str
    address: str
    text: str
    """An excerpt of the page, as far as the engine gives one."""


class WebAdapter(BaseModel):
    """The file that describes a search engine which is not asked as SearXNG is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    method: Literal["GET", "POST"] = "GET"
    """POST sends the parameters as JSON."""
    query: str = "q"
    """Name of the parameter with the query."""
    parameters: dict[str, str | int | bool] = Field(default_factory=dict)
    key_env: str = ""
    """Variable of the environment that holds the key; the key itself stands in no file."""
    key_header: str = "Authorization"
    key_prefix: str = "Bearer "
    results: str = "results"
    """Path to the list of results, its keys joined by points."""
    title: str = "title"
    address: str = "url"
    text: str = "content"


@dataclass(frozen=True, slots=True)
class WebEndpoint:
    """Searches of the web through one endpoint.

    Args:
        adapter: How it is asked.
        name: For the manifest; without anything secret.
    """

    adapter: WebAdapter
    name: str

    async def search(self, query: str) -> list[WebResult]:
        """Ask once; results in the engine's own order, their texts cut to what is good.

        Raises:
            StopRun: the endpoint refuses, or answers with something else than results.
            InvalidSample: it cannot be reached, or is overloaded, after several tries.
        """
        trouble = ""
        for trial in range(_TRIES):
            if trial:
                await asyncio.sleep(_PAUSE * 2**trial)
            try:
                status, body = await self._ask(query)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                trouble = str(error) or type(error).__name__
                continue
            if status == 200:
                return self._results(body)
            trouble = f"it answered {status}"
            if status != 429 and status < 500:
                hint = "redirects are not followed; name the address that they lead to" if status < 400 else _HINT
                raise StopRun(f"{option('web_search')} {self.name}: {trouble} ({hint})")
        raise InvalidSample(InvalidReason.ENDPOINT_UNAVAILABLE, f"web search {self.name}: {self._hidden(trouble)}")

    async def _ask(self, query: str) -> tuple[int, bytes]:
        told = {**self.adapter.parameters, self.adapter.query: query}
        as_text = {
            name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in told.items()
        }
        headers = {"Accept": "application/json"}
        if key := self._key:
            headers[self.adapter.key_header] = f"{self.adapter.key_prefix}{key}"
        get = self.adapter.method == "GET"
        # No cookies, no credentials of a .netrc, and a session of its own: searches are few.
        async with (
            aiohttp.ClientSession(timeout=_TIMEOUT, cookie_jar=aiohttp.DummyCookieJar()) as session,
            session.request(
                self.adapter.method,
                self.adapter.url,
                params=as_text if get else None,
                json=None if get else told,
                headers=headers,
                allow_redirects=False,
                proxy=proxy_for(self.adapter.url),
            ) as answer,
        ):
            body = await answer.content.read(MOST_BYTES + 1)
            while len(body) <= MOST_BYTES and (more := await answer.content.read(MOST_BYTES + 1 - len(body))):
                body += more
            return answer.status, body

    def _results(self, body: bytes) -> list[WebResult]:
        if len(body) > MOST_BYTES:
            raise StopRun(f"{option('web_search')} {self.name}: it answered with more than {MOST_BYTES:,} bytes")
        try:
            found = at_path(msgspec.json.decode(body), self.adapter.results)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, LookupError):
            found = None
        if not isinstance(found, list):
            what = f"its answer has no list of results at {self.adapter.results!r}"
            raise StopRun(f"{option('web_search')} {self.name}: {what} ({_HINT})")
        kept = [self._result(entry) for entry in found if isinstance(entry, dict)]
        return [result for result in kept if result.address or result.text]

    def _result(self, entry: Mapping[str, JsonValue]) -> WebResult:
        told = {}
        for name, most in _LONGEST.items():
            try:
                value = at_path(entry, getattr(self.adapter, name))
            except LookupError:
                value = ""
            text = " ".join(printable(value).split()) if isinstance(value, str) else ""
            told[name] = self._hidden(text)[:most]
        return WebResult(**told)

    @property
    def _key(self) -> str:
        return os.environ.get(self.adapter.key_env, "").strip() if self.adapter.key_env else ""

    def _hidden(self, text: str) -> str:
        # An endpoint may say in an answer what it was sent.
        return Redactor([self._key]).text(text) if self._key else text


_HINT = "SearXNG gives JSON only where its settings list json among search.formats; others need an adapter file"


def at_path(value: JsonValue | Mapping[str, JsonValue], path: str) -> JsonValue:
    """The value at keys joined by points.

    Raises:
        LookupError: there is none.
    """
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise LookupError(path)
        value = value[key]
    found: JsonValue = value
    return found


def endpoint_at(told: str) -> WebEndpoint:
    """The endpoint that an address or an adapter file names.

    Raises:
        SettingError: the address holds what should not be on record, or the key is missing.
        DataError: the file is no adapter.
    """
    if told.startswith(("http://", "https://")):
        _check(told, told)
        return WebEndpoint(WebAdapter(url=told, parameters={"format": "json"}), told)
    path = Path(told)
    read = read_yaml(path)
    try:
        adapter = WebAdapter.model_validate(read)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise DataError(
            path, f"{field}: {first['msg']}", "See Run the documents suite, Searching the web"
        ) from None
    _check(adapter.url, str(path))
    if adapter.key_env and not os.environ.get(adapter.key_env, "").strip():
        raise SettingError(f"{path}: key_env {adapter.key_env}: there is no such variable in the environment")
    told_whole: JsonObject = adapter.model_dump(exclude={"key_env"})
    digest = sha256(msgspec.json.encode(told_whole, order="sorted")).hexdigest()[:12]
    return WebEndpoint(adapter, f"{adapter.url} (adapter {digest})")


def _check(url: str, where: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError(f"{option('web_search')} {where}: must begin with http:// or https://")
    if parts.username is not None or parts.query or parts.fragment:
        # Not shown: it may be a key.
        host = f"{parts.scheme}://{parts.hostname}{parts.path}"
        raise SettingError(
            f"{option('web_search')} {host}: the address would be on record, so it may hold no user and no "
            "parameters; write an adapter file that names them, and the variable that holds the key"
        )
