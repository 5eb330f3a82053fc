"""One role's line to its model: request cache, retries, accounting, and what its endpoint does not take."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import aiohttp
import msgspec

from worktrial.engine.admission import Admission
from worktrial.engine.manifest import utc_now
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.providers.chat import ChatWire
from worktrial.engine.refusals import (
    asked_to_wait,
    error_text,
    excerpt,
    explain,
    is_account_empty,
    is_context_overflow,
)
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
from worktrial.engine.transport import HttpTransport
from worktrial.engine.wire import (
    Concession,
    Concessions,
    Endpoint,
    HttpAnswer,
    HttpRequest,
    ModelWire,
    NotACompletion,
    OversizedAnswer,
    ReportedFailure,
    Request,
    Transport,
)
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


class RefusedRequest(Exception):
    """The endpoint refused a request for what is in it; `error` says so to the user."""

    def __init__(self, error: WorktrialError, told: str = "") -> None:
        super().__init__(str(error))
        self.error = error
        self.told = told.lower()


class Client:
    """Sends one role's requests. Shared by all samples of a run.

    Args:
        settings: The role.
        endpoint: Where its model answers.
        session: Shared by all roles.
        spend: Consumption of the run.
        redactor: Hides keys that an endpoint repeats.
        retry: Bounds on the tries of one request.
        places: Requests in flight, of all roles together; None where there is no bound.
        cache: Answers of earlier requests.
        cache_only: Whether no request is sent.
        transport: Way of the requests; None is the wire's own, or HTTP.
        tell: Told, in a sentence, what the endpoint does not take.
    """

    def __init__(
        self,
        settings: RoleSettings,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        *,
        spend: Spend,
        redactor: Redactor,
        retry: RetryPolicy,
        places: asyncio.Semaphore | None = None,
        cache: RequestCache | None = None,
        cache_only: bool = False,
        transport: Transport | None = None,
        tell: Callable[[str], None] = tell_on_stderr,
    ) -> None:
        self.settings = settings
        self._where = f"{settings.role_name} at {public_url(endpoint.base_url) or endpoint.model}"
        make = settings.speaks or ChatWire
        self._wire: ModelWire = make(settings, endpoint)
        self._transport = transport or self._wire.transport or _over_http(settings, endpoint, session, redactor)
        self._admission = Admission(settings, spend, places)
        self._spend = spend
        self._redactor = redactor
        self._retry = retry
        self._cache = cache
        self._cache_only = cache_only
        self._tell = tell
        self._price = price_for(settings)
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

    async def ask(self, request: Request, meter: Meter, salt: str) -> Completion:
        """Ask as the endpoint is known to take it; where it refuses, find out what it does not take.

        The refused request itself is the probe: it is sent again without one thing, without another, and at last
        without all of them. Whichever is answered shows what the endpoint minds, in no words at all.
        """
        schema = request.schema
        given_up = self._given_up
        if self._odd_schemas and schema is not None:
            given_up |= self._odd_schemas.get(msgspec.json.encode(schema), frozenset())
        written = self._wire.write(request, given_up)
        try:
            completion = await self._answer(written, meter, salt)
        except RefusedRequest as refusal:
            for concessions in self._concessions(request, given_up, written, refusal):
                # This one, too, may be refused, and then the first refusal is what the user has to know.
                with contextlib.suppress(RefusedRequest):
                    without = self._wire.write(request, given_up | concessions)
                    completion = await self._answer(without, meter, salt)
                    self._learn(request, concessions, refusal)
                    return completion
            raise refusal.error from None
        self._took_schema |= schema is not None and Concession.SCHEMA not in given_up
        return completion

    def _concessions(
        self, request: Request, given_up: Concessions, written: HttpRequest, refusal: RefusedRequest
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
            if self._wire.write(request, given_up | {one}) != written:
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

    async def _answer(self, request: HttpRequest, meter: Meter, salt: str) -> Completion:
        """The answer in the request cache, or of the endpoint, and what it cost."""
        role_name = self.settings.role_name
        name = ""
        if self._cache is not None:
            # The model's public name stands for the embedded model, whose address changes with every run.
            address = self.settings.model if self.settings.is_local else request.url
            name = self._cache.key(address, request.body, salt)
            stored = self._replayed(self._cache, name)
            if stored is not None:
                cost = self._cost(stored.usage)
                is_new = self._cache.is_new(name)
                if is_new:
                    self._spend.add(stored.usage, cost)
                if is_new or self._cache.is_of_run:
                    meter.add(role_name, stored.usage, cost)
                else:
                    meter.replay(role_name, stored.usage, cost)
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
            data, completion = await self._delivered(request, name)
        finally:
            self.waiting -= 1
        cost = self._cost(completion.usage)
        meter.add(role_name, completion.usage, cost)
        if self._cache is not None:
            self._cache.put(name, data)
        self._spend.add(completion.usage, cost)
        return completion

    def _cost(self, usage: Usage) -> float | None:
        return None if self._price is None else self._price(usage)

    def _replayed(self, cache: RequestCache, name: str) -> Completion | None:
        """The stored answer; a damaged one is as good as none, and is written anew."""
        data = cache.get(name)
        if data is None:
            return None
        try:
            return self._wire.read(data)
        except (NotACompletion, ReportedFailure):
            return None

    async def _delivered(self, request: HttpRequest, name: str) -> tuple[bytes, Completion]:
        """Body of the answer and what it says; the request is sent again as often as the policy has it."""
        tries: Tries | None = None
        while True:
            try:
                held = await self._admission.enter(len(request.body))
                try:
                    answer = await self._transport.post(request, name)
                finally:
                    self._admission.leave()
                data, completion = self._read(answer)
            except (Retryable, TimeoutError, ConnectionError, NotACompletion) as e:
                trouble = self._retryable(e)
            except OversizedAnswer as e:
                larger = self.settings.role.option("max_reply")
                said = f"{self._where} sent {e} (bound: {larger} MB)"
                raise InvalidSample(InvalidReason.BAD_REPLY, said) from None
            else:
                self._admission.book(held, completion.usage.tokens)
                return data, completion
            tries = tries or Tries(self._retry)
            await asyncio.sleep(self._wait_after(trouble, tries))

    def _read(self, answer: HttpAnswer) -> tuple[bytes, Completion]:
        if answer.status != 200:
            raise self._trouble(answer)
        data = answer.data
        try:
            if answer.is_stream:
                data = self._wire.whole(data)
            completion = self._wire.read(data)
        except ReportedFailure as e:
            raise self._trouble(e.answer(answer.headers)) from None
        except NotACompletion as e:
            said = "" if answer.is_stream else f" in {excerpt(self._redactor.bytes(data))}"
            raise NotACompletion(f"{e}{said}") from None
        self._has_answered = True
        return data, completion

    def _retryable(self, error: Exception) -> Retryable:
        """An error on the way, as trouble that may pass."""
        if isinstance(error, Retryable):
            return error
        if isinstance(error, TimeoutError):
            return Retryable(f"{self._where}: no answer within {self.settings.timeout:g} s", silent=True)
        if isinstance(error, NotACompletion):
            return Retryable(f"{self._where} sent no completion: {error}", bad_reply=True)
        return Retryable(f"{self._where}: {self._redactor.text(str(error))}")

    def _wait_after(self, trouble: Retryable, tries: Tries) -> float:
        """Seconds to the next try.

        Raises:
            StopRun: nothing has ever come from the endpoint.
            InvalidSample: there must be no other try.
        """
        reason = tries.book(trouble)
        if reason is not None:
            detail = f"{trouble.detail} (gave up after {tries.made} tries)"
            if trouble.silent and not self._has_answered:
                raise StopRun(
                    f"{detail}, and nothing else has ever come from it. Check the endpoint, or give it "
                    f"longer with {self.settings.role.option('timeout')} SECONDS"
                )
            raise InvalidSample(reason, detail)
        self.retries += 1
        self.troubles.append(ProviderTrouble(at=utc_now(), said=trouble.detail))
        if trouble.silent and not self._has_been_silent:
            self._has_been_silent = True
            self._tell(f"{trouble.detail}; trying once more")
        if trouble.retry_after is not None:
            self._admission.pause(trouble.retry_after)
        return trouble.wait

    def _trouble(self, answer: HttpAnswer) -> Exception:
        # Hidden before the text is shortened: half a key could not be recognised any more.
        data = self._redactor.bytes(answer.data)
        said, code = error_text(data)
        status = answer.status
        if 300 <= status < 400:
            goal = self._redactor.text(public_url(answer.headers.get("Location", "")))
            said = f"redirects to {goal[:200] or 'nowhere'}, and requests are not sent on"
        # Some servers report an overflow as their own failure; no other try would fit any better.
        overflows = status >= 500 and is_context_overflow(said, code)
        is_passing = status in RETRIED_STATUSES or status >= 500
        if is_passing and not overflows and not is_account_empty(said, code):
            asked = answer.headers.get("Retry-After") or asked_to_wait(data)
            wait = retry_after_seconds(asked, endpoint_time(answer.headers.get("Date")))
            return Retryable(f"{self._where}: {status} {said}", retry_after=wait, slow_down=status == 429)
        error = explain(self.settings, self._where, status, said, code, has_answered=self._has_answered)
        if status in _REFUSALS_OF_CONTENT and not isinstance(error, ContextOverflow):
            return RefusedRequest(error, f"{said} {code}")
        return error


def _over_http(
    settings: RoleSettings, endpoint: Endpoint, session: aiohttp.ClientSession, redactor: Redactor
) -> Transport:
    transport = HttpTransport(
        session, endpoint.base_url, timeout=settings.timeout, largest=int(settings.max_reply * 1e6)
    )
    if transport.proxy is not None:
        redactor.add_url(transport.proxy)
    return transport


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
        salt = f"{self.salt}/{draw}"
        if not (tools and self.client.settings.tool_mode == "json"):
            request = Request(messages, tools, schema, top_logprobs, max_tokens)
            completion = await self.client.ask(request, self.meter, salt)
            return completion.offering(tools) if tools else completion
        # Imported here because most endpoints have native tools.
        from worktrial.engine import toolmode

        told, calls = toolmode.encode(messages, tools)
        completion = await self.client.ask(Request(told, (), calls, top_logprobs, max_tokens), self.meter, salt)
        # Ids tell calls of one conversation apart; the model never sees them.
        return toolmode.decode(completion, tools, number=len(told))
