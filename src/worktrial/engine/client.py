"""One role's line to its model over HTTP: limits, retries, request cache, accounting."""

import asyncio
import contextlib
import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import aiohttp
import msgspec
from aiolimiter import AsyncLimiter

from worktrial.engine import wire
from worktrial.engine.proxies import proxy_for
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RETRIED_STATUSES, Retryable, RetryPolicy, Tries, retry_after_seconds
from worktrial.engine.roles import RoleSettings, below, public_url
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import Meter, Spend, price_for
from worktrial.errors import InvalidSample, StopRun, option
from worktrial.language import Completion, JsonObject, Message


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, name and key under which a role's model answers."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)


class Client:
    """Sends one role's requests. Shared by all samples of a run."""

    def __init__(
        self,
        settings: RoleSettings,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        *,
        spend: Spend,
        redactor: Redactor,
        retry: RetryPolicy,
        gate: asyncio.Semaphore | None = None,
        cache: RequestCache | None = None,
        cache_only: bool = False,
    ) -> None:
        self.settings = settings
        self._endpoint = endpoint
        self._url = below(endpoint.base_url, "chat/completions")
        self._where = f"{settings.role_name} at {public_url(endpoint.base_url)}"
        self._session = session
        self._proxy = proxy_for(self._url)
        if self._proxy is not None:
            redactor.add_url(self._proxy)
        self._headers = {"Content-Type": "application/json"}
        if endpoint.key:
            self._headers["Authorization"] = f"Bearer {endpoint.key}"
        self._timeout = aiohttp.ClientTimeout(total=settings.timeout)
        self._spend = spend
        self._redactor = redactor
        self._retry = retry
        self._cache = cache
        self._cache_only = cache_only
        self._price = price_for(settings)
        self._slots = asyncio.Semaphore(settings.concurrency) if settings.concurrency else contextlib.nullcontext()
        self._gate = gate or contextlib.nullcontext()
        self._rate = AsyncLimiter(1, 60 / settings.rate) if settings.rate else None
        self._quiet_until = 0.0
        self._has_answered = False
        self._send_schema = settings.structured != "off"
        self.retries = 0

    @property
    def is_priced(self) -> bool:
        """Whether the cost of this role's requests is known."""
        return self._price is not None

    def model(self, meter: Meter, salt: str = "") -> "BoundModel":
        """The `Complete` of one sample, booking on `meter`; `salt` tells repeats apart in the request cache."""
        return BoundModel(self, meter, salt)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[JsonObject],
        schema: JsonObject | None,
        draw: int,
        top_logprobs: int,
        max_tokens: int | None,
        meter: Meter,
        salt: str,
    ) -> Completion:
        """Answer one request; see `worktrial.language.Complete`."""
        offered = tools
        json_tools = bool(tools) and self.settings.tool_mode == "json"
        if json_tools:
            # Imported here because most endpoints have native tools.
            from worktrial.engine import toolmode

            messages, schema = toolmode.encode(messages, tools)
            tools = ()
        while True:
            with_schema = schema is not None and self._send_schema
            body = msgspec.json.encode(
                wire.request_body(
                    self.settings,
                    self._endpoint.model,
                    messages,
                    tools=tools,
                    schema=schema if with_schema else None,
                    top_logprobs=top_logprobs,
                    max_tokens=max_tokens,
                )
            )
            try:
                completion = await self._answer(body, meter, f"{salt}/{draw}", with_schema=with_schema)
            except wire.SchemaRejected as rejected:
                if self.settings.structured == "schema":
                    raise StopRun(
                        f"{rejected} ({self.settings.role.option('structured')} schema asks for it)"
                    ) from None
                # Other samples may have found out in the meantime; the next round goes without either way.
                self._send_schema = False
                continue
            break
        if json_tools:
            # Ids tell calls of one conversation apart; the model never sees them.
            return toolmode.decode(completion, offered, number=len(messages))
        return replace(completion, tools=offered) if offered else completion

    async def _answer(self, body: bytes, meter: Meter, salt: str, *, with_schema: bool) -> Completion:
        role_name = self.settings.role_name
        key = ""
        if self._cache is not None:
            # The model's public name stands for the embedded model, whose address changes with every run.
            address = self.settings.model if self.settings.is_local else self._url
            key = self._cache.key(address, body, salt)
            stored = _replayed(self._cache, key)
            if stored is not None:
                meter.add(role_name, stored.usage, 0.0)
                meter.replayed += 1
                return stored
        if self._cache_only:
            if with_schema and self.settings.structured == "auto":
                # The endpoint may have rejected the schema when the answers were recorded.
                raise wire.SchemaRejected("no answer in the cache")
            raise StopRun(
                f"{role_name}: {option('cache_only')}, but the cache holds no answer to a request of this run"
            )
        data, completion = await self._persist(body, with_schema=with_schema)
        cost = self._price(completion.usage) if self._price is not None else None
        meter.add(role_name, completion.usage, cost)
        if self._cache is not None:
            self._cache.put(key, data)
        self._spend.add(completion.usage, cost)
        return completion

    async def _persist(self, body: bytes, *, with_schema: bool) -> tuple[bytes, Completion]:
        tries = Tries(self._retry)
        while True:
            try:
                return await self._attempt(body, with_schema=with_schema)
            except Retryable as trouble:
                reason = tries.book(trouble)
                if reason is not None:
                    detail = f"{trouble.detail} (gave up after {tries.made} tries)"
                    raise InvalidSample(reason, detail) from None
                self.retries += 1
                if trouble.retry_after is not None:
                    self._quiet_until = max(self._quiet_until, time.monotonic() + trouble.retry_after)
                wait = trouble.wait
            await asyncio.sleep(wait)

    async def _attempt(self, body: bytes, *, with_schema: bool) -> tuple[bytes, Completion]:
        # The role's own slot first: who waits for it must not hold a place that another role could use.
        async with self._slots, self._gate:
            # Inside the slot, so that who queued for it does not break a pause that began meanwhile.
            while (pause := self._quiet_until - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            if self._rate is not None:
                await self._rate.acquire()
            return await self._post(body, with_schema=with_schema)

    async def _post(self, body: bytes, *, with_schema: bool) -> tuple[bytes, Completion]:
        self._spend.check()
        try:
            async with self._session.post(
                self._url, data=body, headers=self._headers, timeout=self._timeout, proxy=self._proxy
            ) as response:
                data = await response.read()
        except TimeoutError:
            raise Retryable(f"{self._where}: no answer within {self.settings.timeout:g} s") from None
        except (aiohttp.ClientError, OSError) as e:
            raise Retryable(f"{self._where}: {self._redactor.text(str(e) or type(e).__name__)}") from None
        if response.status != 200:
            raise self._trouble(response, data, with_schema=with_schema)
        try:
            completion = wire.read_completion(data)
        except wire.NotACompletion as e:
            said = wire.excerpt(self._redactor.bytes(data))
            raise Retryable(f"{self._where} sent no completion: {e} in {said}", bad_reply=True) from None
        self._has_answered = True
        return data, completion

    def _trouble(self, response: aiohttp.ClientResponse, data: bytes, *, with_schema: bool) -> Exception:
        # Hidden before the text is shortened: half a key could not be recognised any more.
        said, code = wire.error_text(self._redactor.bytes(data))
        # Some servers report an overflow as their own failure; no other try would fit any better.
        overflows = response.status >= 500 and wire.is_context_overflow(said, code)
        if (response.status in RETRIED_STATUSES or response.status >= 500) and not overflows:
            wait = retry_after_seconds(response.headers.get("Retry-After"), dt.datetime.now(dt.UTC))
            return Retryable(
                f"{self._where}: {response.status} {said}", retry_after=wait, slow_down=response.status == 429
            )
        return wire.explain(
            self.settings,
            self._where,
            response.status,
            said,
            code,
            has_answered=self._has_answered,
            with_schema=with_schema,
        )


@dataclass(frozen=True, slots=True)
class BoundModel:
    """One sample's way to one role's model: a `Complete`."""

    client: Client
    meter: Meter
    salt: str

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[JsonObject] = (),
        schema: JsonObject | None = None,
        draw: int = 0,
        top_logprobs: int = 0,
        max_tokens: int | None = None,
    ) -> Completion:
        """Answer `messages`; see `worktrial.language.Complete`."""
        return await self.client.complete(
            messages,
            tools=tools,
            schema=schema,
            draw=draw,
            top_logprobs=top_logprobs,
            max_tokens=max_tokens,
            meter=self.meter,
            salt=self.salt,
        )


def _replayed(cache: RequestCache, key: str) -> Completion | None:
    """The stored answer; a damaged one is as good as none, and is written anew."""
    data = cache.get(key)
    if data is None:
        return None
    try:
        return wire.read_completion(data)
    except wire.NotACompletion:
        return None
