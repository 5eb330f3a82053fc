"""Batches as a way to a model: requests are collected, submitted together, and answered within a day."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from worktrial.engine.batch.calls import BatchCalls
from worktrial.engine.batch.ledger import BatchLedger, BatchLine
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.batch.providers import MAKERS, BatchState
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings, public_url
from worktrial.engine.wire import Endpoint, HttpAnswer, HttpRequest
from worktrial.errors import StopRun
from worktrial.secrets import Redactor


@dataclass(slots=True)
class Batches:
    """All batches of one run."""

    roles: frozenset[RoleName]
    """Roles whose requests go into batches."""
    ledger: BatchLedger
    cache: RequestCache
    """Answers, which are there before their batch is noted as ended."""
    policy: BatchPolicy
    retry: RetryPolicy
    """Bounds on the tries of one call of a batch interface."""
    redactor: Redactor
    tell: Callable[[str], None]
    """Told, in a sentence, what is odd about a batch."""
    show: Callable[[str], None]
    """Told how the batches in flight are doing; "" where none is."""
    _ways: list["BatchTransport"] = field(default_factory=list)
    _progress: dict[int, str] = field(default_factory=dict)

    def transport(
        self, settings: RoleSettings, endpoint: Endpoint, session: aiohttp.ClientSession
    ) -> "BatchTransport":
        """The way of one role's requests. Its batches of earlier sessions that are in flight are followed."""
        way = BatchTransport(self, settings, endpoint, session)
        self._ways.append(way)
        return way

    @contextlib.asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """The time in which samples run. At its end, batches that are being created still are, and are noted."""
        try:
            yield
        finally:
            for way in self._ways:
                await way.close()

    def fail(self, error: Exception) -> None:
        """Keep nobody waiting when a batch cannot be followed: the run ends."""
        for way in self._ways:
            way.fail(error)

    def note(self, line: BatchLine, text: str) -> None:
        """Show how a batch is doing; "" where it is done with."""
        self._progress.pop(line.number, None)
        if text:
            self._progress[line.number] = f"batch {line.number}: {text}"
        shown = [*self._progress.values()]
        self.show("; ".join(shown[:2]) + (f"; {len(shown) - 2} more" if len(shown) > 2 else ""))


class BatchTransport:
    """Sends the requests of one role in batches; see `wire.Transport`.

    A batch is closed when it is as large as the provider takes it, or when no request has come for a while.
    """

    def __init__(
        self, batches: Batches, settings: RoleSettings, endpoint: Endpoint, session: aiohttp.ClientSession
    ) -> None:
        self._run = batches
        self._role = settings.role_name
        self._address = public_url(endpoint.base_url)
        self._calls = BatchCalls(settings, session, batches.retry, batches.redactor)
        self._provider = MAKERS[settings.wire](endpoint, self._calls)
        self._pending: dict[str, bytes] = {}
        self._size = 0
        self._waiting: dict[str, asyncio.Future[HttpAnswer]] = {}
        self._in_flight: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._creating: set[asyncio.Task[BatchLine]] = set()
        self._quiet: asyncio.TimerHandle | None = None
        self._failure: Exception | None = None
        for line in [*batches.ledger.open.values()]:
            if (line.role, line.address) == (self._role, self._address):
                self._start(self._follow(line, is_old=True), line.requests)

    async def post(self, request: HttpRequest, name: str) -> HttpAnswer:
        """The answer to a request, from a batch.

        Raises:
            ConnectionError: the provider never got to it.
            StopRun: its batch was refused or called off, or cannot be followed.
        """
        if self._failure is not None:
            raise self._failure
        future: asyncio.Future[HttpAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[name] = future
        if name not in self._in_flight:
            self._add(name, request.body)
        try:
            return await future
        finally:
            # Where it was cancelled, nobody waits for it any more.
            self._waiting.pop(name, None)
            self._pending.pop(name, None)

    async def close(self) -> None:
        """Create what is being created, and follow nothing any more."""
        if self._quiet is not None:
            self._quiet.cancel()
        # Who interrupts here would pay for a batch that nobody knows.
        while self._creating:
            await asyncio.wait(self._creating)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def fail(self, error: Exception) -> None:
        """Tell all who wait, and all who ask from now on."""
        self._failure = self._failure or error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._failure)
                # Looked at once, so that nobody complains where the sample is cancelled before it can.
                future.exception()

    def _add(self, name: str, body: bytes) -> None:
        # Beside the body stand its name and a few words.
        size = len(body) + 200
        if self._pending and self._size + size > self._provider.largest:
            self._send()
        self._pending[name] = body
        self._size += size
        if self._quiet is not None:
            self._quiet.cancel()
        if len(self._pending) >= self._provider.most:
            self._send()
        else:
            self._quiet = asyncio.get_running_loop().call_later(self._run.policy.quiet, self._send)

    def _send(self) -> None:
        requests, self._pending, self._size = self._pending, {}, 0
        if requests:
            self._start(self._carry(requests), requests)

    def _start(self, work: Coroutine[Any, Any, None], names: "list[str] | Mapping[str, bytes]") -> None:
        self._in_flight.update(names)
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._in_flight.difference_update(names)
            error = None if task.cancelled() else task.exception()
            if isinstance(error, Exception):
                self._run.fail(error)

        task.add_done_callback(done)

    async def _carry(self, requests: Mapping[str, bytes]) -> None:
        creating = asyncio.get_running_loop().create_task(self._created(requests))
        self._creating.add(creating)
        creating.add_done_callback(self._creating.discard)
        await self._follow(await asyncio.shield(creating), is_old=False)

    async def _created(self, requests: Mapping[str, bytes]) -> BatchLine:
        """A batch that was submitted and is on record."""
        ledger = self._run.ledger
        line = BatchLine(number=ledger.next_number(), role=self._role, address=self._address, batch="")
        self._run.note(line, f"sending {len(requests):,}")
        line.batch = await self._provider.create([*requests.items()])
        line.requests = [*requests]
        # Before the wait: who is interrupted in it pays for the batch once.
        ledger.begin(line)
        return line

    async def _follow(self, line: BatchLine, *, is_old: bool) -> None:
        """Wait for a batch, and hand its answers to those who wait for them."""
        state = await self._ended(line, at_once=is_old)
        answers = await self._answers(line, state)
        for name, answer in answers.items():
            future = self._waiting.get(name)
            if answer.status == 200:
                self._run.cache.put(name, answer.data, is_booked=future is not None)
            if future is not None and not future.done():
                future.set_result(answer)
        missing = [name for name in line.requests if name not in answers]
        came = f"came back, {len(missing)} of {len(line.requests)} without answer"
        self._run.ledger.end(line, state.trouble or came)
        self._run.note(line, "")
        if state.trouble:
            trouble = self._calls.redacted(state.trouble)
            raise StopRun(
                f"{self._calls.where}: batch {line.batch} {trouble}. What came back is kept, and the same command "
                "asks for the rest anew"
            )
        for name in missing:
            future = self._waiting.get(name)
            if future is not None and not future.done():
                future.set_exception(ConnectionError(f"no answer in batch {line.batch}"))

    async def _ended(self, line: BatchLine, *, at_once: bool) -> BatchState:
        """Look at a batch now and then until it has ended."""
        policy = self._run.policy
        wait = 0.0 if at_once else policy.first_look
        for _ in range(policy.looks):
            await asyncio.sleep(wait)
            state = await self._provider.state(line.batch)
            self._run.note(line, f"{state.done:,} of {len(line.requests):,} back")
            if state.ended:
                return state
            wait = min(max(wait, policy.first_look) * 1.5, policy.longest_wait)
        raise StopRun(
            f"{self._calls.where}: batch {line.batch} has not ended after {policy.looks} looks. It stays in "
            "flight, and the same command goes on waiting for it"
        )

    async def _answers(self, line: BatchLine, state: BatchState) -> dict[str, HttpAnswer]:
        """Answers of a batch that has ended, by the names of their requests; those that got none are left out."""
        files = [await self._calls.body("GET", url, self._provider.headers) for url in state.files]
        asked = frozenset(line.requests)
        answers: dict[str, HttpAnswer] = {}
        strangers = damaged = 0
        for text in (*(text for file in files for text in file.splitlines() if text.strip()), *state.lines):
            try:
                result = self._provider.result(text)
            except (ValueError, TypeError, KeyError, AttributeError):
                damaged += 1
                continue
            if result.custom_id not in asked:
                strangers += 1
            elif result.answer is not None:
                answers.setdefault(result.custom_id, result.answer)
        for count, what in ((strangers, "are of requests that it did not hold"), (damaged, "cannot be read")):
            if count:
                said = f"{count} results of batch {line.batch} {what}; they are left out"
                self._run.tell(f"{self._calls.where}: {said}")
        return answers
