"""Rounds of a run: requests of samples that wait at the same time, sent as one batch."""

import asyncio
import contextlib
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import aiohttp

from worktrial.engine.batch.calls import BatchCalls
from worktrial.engine.batch.flight import Flight
from worktrial.engine.batch.ledger import BatchLedger, BatchLine
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.batch.providers import MAKERS
from worktrial.engine.providers.chat import ChatWire
from worktrial.engine.record import Key
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings, public_url
from worktrial.engine.spend import Budget, Spend
from worktrial.engine.transport import HttpAnswer
from worktrial.engine.wire import Concessions, Line, ModelWire, Request
from worktrial.language import Completion, JsonObject, Usage
from worktrial.secrets import Redactor


class _Waiting(NamedTuple):
    """A request whose answer somebody waits for."""

    future: "asyncio.Future[HttpAnswer]"
    who: Key | None


@dataclass(slots=True)
class _Queue:
    """Requests of one role that are in no batch yet."""

    flight: Flight
    pending: dict[str, bytes] = field(default_factory=dict)
    size: int = 0


_sample: ContextVar[Key | None] = ContextVar("sample", default=None)
_is_paid_for: ContextVar[bool] = ContextVar("is_paid_for", default=False)


class Rounds:
    """Requests of a run's samples, sent in batches.

    A round is closed when every running sample waits for an answer, when a batch is as large as the provider takes
    it, or when nothing more has come for a while. Use as an async context manager, around the samples.

    Args:
        ledger: Batches of the run on disk.
        policy: Patience.
        retry: Bounds on the tries of one call of a batch interface.
        redactor: Hides keys in what is said about trouble.
        tell: Told, in a sentence, what is odd about a batch.
        show: Told how the batches in flight are doing; "" where none is.
    """

    def __init__(
        self,
        ledger: BatchLedger,
        policy: BatchPolicy,
        retry: RetryPolicy,
        redactor: Redactor,
        tell: Callable[[str], None],
        show: Callable[[str], None],
    ) -> None:
        self._ledger = ledger
        self._policy = policy
        self._retry = retry
        self._redactor = redactor
        self._tell = tell
        self._show = show
        self._queues: dict[RoleName, _Queue] = {}
        self._running = 0
        self._waiting: dict[str, _Waiting] = {}
        self._waiters: Counter[Key | None] = Counter()
        self._asked: dict[Key | None, Counter[bytes]] = {}
        self._ids: dict[Key | None, list[str]] = {}
        self._in_flight: set[str] = set()
        self._progress: dict[int, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._creating: set[asyncio.Task[BatchLine]] = set()
        self._is_check_due = False
        self._quiet: asyncio.TimerHandle | None = None
        self._failure: Exception | None = None

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """The time in which samples run. At its end, batches that are being created still are, and are noted."""
        try:
            yield
        finally:
            if self._quiet is not None:
                self._quiet.cancel()
            # Who interrupts here would pay for a batch that nobody knows.
            while self._creating:
                await asyncio.wait(self._creating)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def settings_of(self, settings: RoleSettings, session: aiohttp.ClientSession) -> RoleSettings:
        """`settings` of a role whose requests go into batches: whole answers, and no pace of their own."""
        make = settings.speaks or ChatWire
        calls = BatchCalls(settings, session, self._retry, self._redactor)

        def speaks(line: Line) -> ModelWire:
            inner = make(line)
            provider = MAKERS[settings.wire](line, calls)
            flight = Flight(
                settings.role_name, public_url(inner.url), provider, calls, self._ledger, self._policy, self._tell
            )
            queue = _Queue(flight)
            self._queues[settings.role_name] = queue
            self._go_on(queue)
            return _BatchedWire(inner, self, queue)

        return replace(settings, stream="off", concurrency=None, rpm=None, tpm=None, batch=True, speaks=speaks)

    def spend(self, spend: Spend) -> Spend:
        """`spend` that leaves out answers which an earlier session has paid for, and booked."""
        return _NewSpend(spend)

    @contextlib.contextmanager
    def sample(self, key: Key) -> Iterator[None]:
        """A running sample, up to where its record is stored."""
        token = _sample.set(key)
        self._running += 1
        try:
            yield
            self._ledger.spend(self._ids.pop(key, ()))
        finally:
            _sample.reset(token)
            self._running -= 1
            self._asked.pop(key, None)
            self._check_soon()

    async def answer(self, queue: _Queue, body: bytes) -> HttpAnswer:
        """The answer to a request, from a batch.

        Raises:
            ConnectionError: the provider never got to it.
            StopRun: its batch was refused or called off, or cannot be followed.
        """
        if self._failure is not None:
            raise self._failure
        who = _sample.get()
        custom_id = self._id_of(queue, body, who)
        kept = self._ledger.kept(custom_id)
        _is_paid_for.set(kept is not None)
        if kept is not None:
            return kept
        future: asyncio.Future[HttpAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[custom_id] = _Waiting(future, who)
        self._waiters[who] += 1
        if custom_id not in self._in_flight:
            self._add(queue, custom_id, body)
        self._check_soon()
        try:
            return await future
        finally:
            # Nobody waits for it any more: it was cancelled.
            if not future.done() or future.cancelled():
                self._forget(custom_id)
                if queue.pending.pop(custom_id, None) is not None:
                    queue.size -= len(body)

    def _id_of(self, queue: _Queue, body: bytes, who: Key | None) -> str:
        """An id that the same request has when the run is resumed; one that is asked again has another."""
        digest = hashlib.sha256(body)
        digest.update(f"\0{queue.flight.address}\0{queue.flight.role}\0{who}".encode())
        asked = self._asked.setdefault(who, Counter())
        number = asked[digest.digest()]
        asked[digest.digest()] += 1
        digest.update(f"\0{number}".encode())
        custom_id = digest.hexdigest()
        self._ids.setdefault(who, []).append(custom_id)
        return custom_id

    def _add(self, queue: _Queue, custom_id: str, body: bytes) -> None:
        # Beside the body stand its id and a few words.
        size = len(body) + 200
        if queue.pending and (queue.size + size > queue.flight.provider.largest):
            self._close(queue)
        queue.pending[custom_id] = body
        queue.size += size
        if len(queue.pending) >= queue.flight.provider.most:
            self._close(queue)
        if self._quiet is not None:
            self._quiet.cancel()
        self._quiet = asyncio.get_running_loop().call_later(self._policy.quiet, self._close_all)

    def _forget(self, custom_id: str) -> _Waiting | None:
        waiting = self._waiting.pop(custom_id, None)
        if waiting is not None:
            self._waiters[waiting.who] -= 1
            if not self._waiters[waiting.who]:
                del self._waiters[waiting.who]
        return waiting

    def _check_soon(self) -> None:
        # Not at once: samples that were woken, or begin, at this moment may ask for something, too.
        if not self._is_check_due:
            self._is_check_due = True
            asyncio.get_running_loop().call_soon(self._check)

    def _check(self) -> None:
        self._is_check_due = False
        if len(self._waiters) >= self._running:
            self._close_all()

    def _close_all(self) -> None:
        for queue in self._queues.values():
            if queue.pending:
                self._close(queue)

    def _close(self, queue: _Queue) -> None:
        requests, queue.pending, queue.size = queue.pending, {}, 0
        self._in_flight.update(requests)
        self._start(self._carry(queue, requests), [*requests])

    def _go_on(self, queue: _Queue) -> None:
        """Follow the batches of earlier sessions that are still in flight."""
        for line in [*self._ledger.open.values()]:
            if line.role == queue.flight.role and line.address == queue.flight.address:
                self._in_flight.update(line.requests)
                self._start(self._follow(queue, line, is_old=True), line.requests)

    def _start(self, work: Coroutine[Any, Any, None], requests: Sequence[str]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._in_flight.difference_update(requests)
            error = None if task.cancelled() else task.exception()
            if isinstance(error, Exception):
                self._fail(error)

        task.add_done_callback(done)

    def _fail(self, error: Exception) -> None:
        """Nobody is kept waiting when a batch cannot be followed; the run ends."""
        self._failure = self._failure or error
        for custom_id in [*self._waiting]:
            self._refuse(custom_id, self._failure)

    def _refuse(self, custom_id: str, error: Exception) -> None:
        waiting = self._forget(custom_id)
        if waiting is not None and not waiting.future.done():
            waiting.future.set_exception(error)
            # Looked at once, so that nobody complains where the sample is cancelled before it can.
            waiting.future.exception()

    async def _carry(self, queue: _Queue, requests: Mapping[str, bytes]) -> None:
        creating = asyncio.get_running_loop().create_task(queue.flight.create(requests, self._note))
        self._creating.add(creating)
        creating.add_done_callback(self._creating.discard)
        await self._follow(queue, await asyncio.shield(creating), is_old=False)

    async def _follow(self, queue: _Queue, line: BatchLine, *, is_old: bool) -> None:
        """Wait for a batch, and give its answers, each stored before, to those who wait for them."""
        state = await queue.flight.ended(line, self._note, at_once=is_old)
        answers = await queue.flight.answers(line, state)
        for custom_id, answer in answers.items():
            # Of a sample that is over, nobody will ask for it.
            if is_old or custom_id in self._waiting:
                self._ledger.keep(custom_id, answer)
            waiting = self._forget(custom_id)
            if waiting is not None and not waiting.future.done():
                waiting.future.set_result(answer)
        missing = [custom_id for custom_id in line.requests if custom_id not in answers]
        self._ledger.end(line, state.trouble or f"came back, {len(missing)} of {len(line.requests)} without answer")
        self._note(line, "")
        if state.trouble:
            raise queue.flight.lost(line, state)
        for custom_id in missing:
            self._refuse(custom_id, ConnectionError(f"no answer in batch {line.batch}"))

    def _note(self, line: BatchLine, text: str) -> None:
        self._progress.pop(line.number, None)
        if text:
            self._progress[line.number] = f"batch {line.number}: {text}"
        shown = [*self._progress.values()]
        self._show("; ".join(shown[:2]) + (f"; {len(shown) - 2} more" if len(shown) > 2 else ""))


class _BatchedWire:
    """A wire whose requests go into batches."""

    def __init__(self, inner: ModelWire, rounds: Rounds, queue: _Queue) -> None:
        self._inner = inner
        self._rounds = rounds
        self._queue = queue
        self.url = inner.url

    def body(self, request: Request, without: Concessions) -> JsonObject:
        return self._inner.body(request, without)

    async def send(self, body: bytes) -> HttpAnswer:
        return await self._rounds.answer(self._queue, body)

    def read(self, data: bytes) -> Completion:
        return self._inner.read(data)


class _NewSpend(Spend):
    """Consumption of a run without answers that an earlier session has booked."""

    def __init__(self, whole: Spend) -> None:
        super().__init__(Budget())
        self._booked = whole

    def add(self, usage: Usage, cost: float | None) -> None:
        # Set where the answer was taken from the ledger, in the same task.
        if not _is_paid_for.get():
            self._booked.add(usage, cost)

    def check(self) -> None:
        self._booked.check()
