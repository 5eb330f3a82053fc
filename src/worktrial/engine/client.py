"""One role's line to its model: limits, retries, request cache, accounting, and what its endpoint does not take."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import aiohttp
import msgspec

from worktrial.engine import wire
from worktrial.engine.manifest import utc_now
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.pace import Pace
from worktrial.engine.providers.chat import ChatWire
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import (
    RETRIED_STATUSES,
    ProviderTrouble,
    Retryable,
    RetryPolicy,
    Tries,
    endpoint_time,
    retry_after_seconds,
)
from worktrial.engine.roles import RoleSettings, public_url
from worktrial.engine.spend import Meter, Spend, price_for
from worktrial.engine.transport import HttpAnswer, OversizedAnswer, Transport
from worktrial.engine.wire import Concession, Concessions, Request
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun, WorktrialError, option
from worktrial.language import Completion, JsonObject, Message, Usage
from worktrial.secrets import Redactor

# Statuses with which endpoints refuse a request for what is in it.
_REFUSALS_OF_CONTENT = frozenset({400, 422})
# What to try first where a refusal names it; which one it was, the next answer tells.
_HINTS = {
    Concession.SCHEMA_WORDS: ("anyof", "const", "keyword", "properties", "parameters"),
    Concession.MESSAGE_FIELDS: ("reasoning", "extra", "messages"),
    Concession.ENCRYPTED_THOUGHTS: ("encrypted",),
    Concession.SCHEMA: ("response_format", "json_schema", "structured"),
}
_SAID = {
    Concession.SCHEMA_WORDS: "takes only plain JSON Schemas: they are sent in simpler words",
    Concession.MESSAGE_FIELDS: "refuses fields of its own messages: those beyond the protocol are not sent back",
    Concession.ENCRYPTED_THOUGHTS: "gives no encrypted thoughts: none are asked for",
    Concession.SCHEMA: "takes no JSON Schema for answers: replies are asked for in words alone",
    Concession.STREAM: "answers only the other way, streamed or whole: it is asked that way",
}


_TROUBLES = 5  # of a role that are remembered


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, name and key under which a role's model answers."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)


class RefusedRequest(Exception):
    """The endpoint refused a request for what is in it; `error` says so to the user."""

    def __init__(self, error: WorktrialError, told: str = "") -> None:
        super().__init__(str(error))
        self.error = error
        self.told = told.lower()


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
        tell: Callable[[str], None] = tell_on_stderr,
    ) -> None:
        self.settings = settings
        self._where = f"{settings.role_name} at {public_url(endpoint.base_url) or endpoint.model}"
        transport = Transport(
            session, endpoint.base_url, timeout=settings.timeout, largest=int(settings.max_reply * 1e6)
        )
        if transport.proxy is not None:
            redactor.add_url(transport.proxy)
        line = wire.Line(settings, endpoint.base_url, endpoint.model, endpoint.key, transport)
        self._wire: wire.ModelWire = ChatWire(line) if settings.speaks is None else settings.speaks(line)
        self._spend = spend
        self._redactor = redactor
        self._retry = retry
        self._cache = cache
        self._cache_only = cache_only
        self._tell = tell
        self._price = price_for(settings)
        self._slots = asyncio.Semaphore(settings.concurrency) if settings.concurrency else contextlib.nullcontext()
        self._gate = gate or contextlib.nullcontext()
        self._pace = Pace(settings.rpm, settings.tpm)
        self._quiet_until = 0.0
        self._has_answered = False
        self._has_been_silent = False
        self._given_up: Concessions = frozenset()
        if settings.structured == "off":
            self._given_up |= {Concession.SCHEMA}
        self._took_schema = False
        self._odd_schemas: dict[bytes, Concessions] = {}
        """Schemas that were refused where others are taken, and what each took instead."""
        self.waiting = 0
        """Requests that are sent, or about to be, and not yet answered."""
        self.retries = 0
        self.troubles: deque[ProviderTrouble] = deque(maxlen=_TROUBLES)
        """The last answers for which a request was sent again."""

    @property
    def is_priced(self) -> bool:
        """Whether the cost of this role's requests is known."""
        return self._price is not None

    def model(self, meter: Meter, salt: str = "") -> "BoundModel":
        """The `Complete` of one sample, booking on `meter`; `salt` tells repeats apart in the request cache."""
        return BoundModel(self, meter, salt)

    async def complete(self, request: Request, *, draw: int, meter: Meter, salt: str) -> Completion:
        """Answer one request; see `worktrial.language.Complete`."""
        if not (request.tools and self.settings.tool_mode == "json"):
            completion = await self._complete(request, meter, f"{salt}/{draw}")
            return completion.offering(request.tools) if request.tools else completion
        # Imported here because most endpoints have native tools.
        from worktrial.engine import toolmode

        messages, schema = toolmode.encode(request.messages, request.tools)
        plain = Request(messages, (), schema, request.top_logprobs, request.max_tokens)
        completion = await self._complete(plain, meter, f"{salt}/{draw}")
        # Ids tell calls of one conversation apart; the model never sees them.
        return toolmode.decode(completion, request.tools, number=len(messages))

    async def _complete(self, request: Request, meter: Meter, salt: str) -> Completion:
        """Ask as the endpoint is known to take it; where it refuses, find out what it does not take.

        The refused request itself is the probe: it is sent again without one thing, without another, and at last
        without all of them. Whichever is answered shows what the endpoint minds, in no words at all.
        """
        given_up = self._given_up | self._known_of(request.schema)
        body = msgspec.json.encode(self._wire.body(request, given_up))
        try:
            completion = await self._answer(body, meter, salt)
        except RefusedRequest as refusal:
            for concessions in self._concessions(request, given_up, body, refusal):
                body = msgspec.json.encode(self._wire.body(request, given_up | concessions))
                # This one, too, may be refused, and then the first refusal is what the user has to know.
                with contextlib.suppress(RefusedRequest):
                    completion = await self._answer(body, meter, salt)
                    self._learn(request, concessions, refusal)
                    break
            else:
                raise refusal.error from None
        else:
            self._took_schema |= request.schema is not None and Concession.SCHEMA not in given_up
        return completion

    def _known_of(self, schema: JsonObject | None) -> Concessions:
        if not self._odd_schemas or schema is None:
            return frozenset()
        return self._odd_schemas.get(msgspec.json.encode(schema), frozenset())

    def _concessions(
        self, request: Request, given_up: Concessions, body: bytes, refusal: RefusedRequest
    ) -> Iterator[Concessions]:
        """Things to leave out of a refused request: each alone, then all together."""
        offered = []
        # A parameter's name stands in any language's refusal.
        is_about_stream = "stream" in refusal.told and not self.settings.extra.get("stream")
        for one in Concession:
            if one in given_up or (one is Concession.SCHEMA and self.settings.structured == "schema"):
                continue
            if one is Concession.STREAM and not (is_about_stream and self.settings.stream == "auto"):
                continue
            if msgspec.json.encode(self._wire.body(request, given_up | {one})) != body:
                offered.append(one)
        offered.sort(key=lambda one: not any(hint in refusal.told for hint in _HINTS.get(one, ())))
        if is_about_stream:
            offered.sort(key=lambda one: one is not Concession.STREAM)
        yield from (frozenset({one}) for one in offered)
        if len(offered) > 1:
            yield frozenset(offered)

    def _learn(self, request: Request, concessions: Concessions, refusal: RefusedRequest) -> None:
        """Keep to what was answered; a schema that is refused where others were taken is alone in that."""
        about_schema = {Concession.SCHEMA, Concession.SCHEMA_WORDS}
        if self._took_schema and request.schema is not None and concessions & about_schema:
            self._odd_schemas[msgspec.json.encode(request.schema)] = concessions & about_schema
            concessions -= about_schema
        for one in () if self._cache_only else sorted(concessions - self._given_up):
            self._tell(f"{self._where} {_SAID[one]} ({refusal.error})")
        self._given_up |= concessions

    async def _answer(self, body: bytes, meter: Meter, salt: str) -> Completion:
        role_name = self.settings.role_name
        key = ""
        if self._cache is not None:
            # The model's public name stands for the embedded model, whose address changes with every run.
            address = self.settings.model if self.settings.is_local else self._wire.url
            key = self._cache.key(address, body, salt)
            stored = self._replayed(self._cache, key)
            if stored is not None:
                meter.replay(role_name, stored.usage, self._cost(stored.usage))
                return stored
        if self._cache_only:
            # The endpoint may have refused the request in this form when the answers were recorded.
            raise RefusedRequest(
                StopRun(
                    f"{role_name}: {option('cache_only')}, but the cache holds no answer to a request of this run"
                ),
                told="stream",
            )
        self.waiting += 1
        try:
            data, completion = await self._persist(body)
        finally:
            self.waiting -= 1
        cost = self._cost(completion.usage)
        meter.add(role_name, completion.usage, cost)
        if self._cache is not None:
            self._cache.put(key, data)
        self._spend.add(completion.usage, cost)
        return completion

    def _cost(self, usage: Usage) -> float | None:
        return None if self._price is None else self._price(usage)

    def _replayed(self, cache: RequestCache, key: str) -> Completion | None:
        """The stored answer; a damaged one is as good as none, and is written anew."""
        data = cache.get(key)
        if data is None:
            return None
        try:
            return self._wire.read(data)
        except (wire.NotACompletion, wire.ReportedFailure):
            return None

    async def _persist(self, body: bytes) -> tuple[bytes, Completion]:
        tries = Tries(self._retry)
        while True:
            try:
                return await self._attempt(body)
            except Retryable as trouble:
                reason = tries.book(trouble)
                if reason is not None:
                    detail = f"{trouble.detail} (gave up after {tries.made} tries)"
                    if trouble.silent and not self._has_answered:
                        raise StopRun(
                            f"{detail}, and nothing else has ever come from it. Check the endpoint, or give it "
                            f"longer with {self.settings.role.option('timeout')} SECONDS"
                        ) from None
                    raise InvalidSample(reason, detail) from None
                self.retries += 1
                self.troubles.append(ProviderTrouble(at=utc_now(), said=trouble.detail))
                if trouble.silent and not self._has_been_silent:
                    self._has_been_silent = True
                    self._tell(f"{trouble.detail}; trying once more")
                if trouble.retry_after is not None:
                    self._quiet_until = max(self._quiet_until, time.monotonic() + trouble.retry_after)
                wait = trouble.wait
            await asyncio.sleep(wait)

    async def _attempt(self, body: bytes) -> tuple[bytes, Completion]:
        # All that is the role's own first: who waits for it must not hold a place that another role could use.
        async with self._slots:
            await self._calm()
            held = await self._pace.wait(len(body))
            while True:
                async with self._gate:
                    # Who queued for a place does not break a pause that began meanwhile.
                    if not self._pause:
                        answered = await self._post(body)
                        break
                await self._calm()
            self._pace.book(held, answered[1].usage.tokens)
            return answered

    @property
    def _pause(self) -> float:
        """Seconds for which the endpoint has asked to be left alone."""
        return max(0.0, self._quiet_until - time.monotonic())

    async def _calm(self) -> None:
        while pause := self._pause:
            await asyncio.sleep(pause)

    async def _post(self, body: bytes) -> tuple[bytes, Completion]:
        self._spend.check()
        answer = await self._sent(body)
        if answer.status != 200:
            raise self._trouble(answer)
        try:
            completion = self._wire.read(answer.data)
        except wire.ReportedFailure as e:
            raise self._trouble(e.answer(answer.headers)) from None
        except wire.NotACompletion as e:
            said = wire.excerpt(self._redactor.bytes(answer.data))
            raise Retryable(f"{self._where} sent no completion: {e} in {said}", bad_reply=True) from None
        if self.settings.keep_tokens and completion.tokens is None:
            said = f"{self._where} gave no token ids and log-probabilities with its answer"
            if self._has_answered:
                raise InvalidSample(InvalidReason.BAD_REPLY, said)
            raise StopRun(
                f"{said}, which {option('keep_tokens')} asks for (prompt_token_ids, token_ids and logprobs, as "
                f"vLLM sends them for return_token_ids). Leave {option('keep_tokens')} out, or serve the model so "
                "that it gives them"
            )
        self._has_answered = True
        return answer.data, completion

    async def _sent(self, body: bytes) -> HttpAnswer:
        try:
            return await self._wire.send(body)
        except TimeoutError:
            raise Retryable(f"{self._where}: no answer within {self.settings.timeout:g} s", silent=True) from None
        except ConnectionError as e:
            raise Retryable(f"{self._where}: {self._redactor.text(str(e))}") from None
        except wire.NotACompletion as e:
            raise Retryable(f"{self._where} sent no completion: {e}", bad_reply=True) from None
        except OversizedAnswer as e:
            larger = self.settings.role.option("max_reply")
            raise InvalidSample(InvalidReason.BAD_REPLY, f"{self._where} sent {e} (bound: {larger} MB)") from None

    def _trouble(self, answer: HttpAnswer) -> Exception:
        # Hidden before the text is shortened: half a key could not be recognised any more.
        data = self._redactor.bytes(answer.data)
        said, code = wire.error_text(data)
        status = answer.status
        if 300 <= status < 400:
            goal = self._redactor.text(public_url(answer.headers.get("Location", "")))
            said = f"redirects to {goal[:200] or 'nowhere'}, and requests are not sent on"
        # Some servers report an overflow as their own failure; no other try would fit any better.
        overflows = status >= 500 and wire.is_context_overflow(said, code)
        is_passing = status in RETRIED_STATUSES or status >= 500
        if is_passing and not overflows and not wire.is_account_empty(said, code):
            asked = answer.headers.get("Retry-After") or wire.asked_to_wait(data)
            wait = retry_after_seconds(asked, endpoint_time(answer.headers.get("Date")))
            return Retryable(f"{self._where}: {status} {said}", retry_after=wait, slow_down=status == 429)
        error = wire.explain(self.settings, self._where, status, said, code, has_answered=self._has_answered)
        if status in _REFUSALS_OF_CONTENT and not isinstance(error, ContextOverflow):
            return RefusedRequest(error, f"{said} {code}")
        return error


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
        request = Request(messages, tools, schema, top_logprobs, max_tokens)
        return await self.client.complete(request, draw=draw, meter=self.meter, salt=self.salt)
