"""What the engine's tests share: one client at a scripted server, and a trial of a few lines."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from worktrial.engine.client import Client
from worktrial.engine.progress import display
from worktrial.engine.record import SampleResult
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.run import RunEnd, run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.spend import Budget, Meter, Spend
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.engine.wire import Endpoint
from worktrial.grading import Outcome
from worktrial.language import Completion
from worktrial.secrets import Redactor

KEY = "sk-planted-7f3a9c1e55"
QUICK = RetryPolicy(attempts=4, total_seconds=30, first_wait=0.01, longest_wait=0.02)
HELLO = [{"role": "user", "content": "Hello"}]


def role_settings(url: str, role: Role = Role.AGENT, **more: Any) -> RoleSettings:
    return RoleSettings(role=role, model=f"{role}-1", base_url=url, **more)


@asynccontextmanager
async def client_at(
    url: str,
    *,
    role: Role = Role.AGENT,
    retry: RetryPolicy = QUICK,
    budget: Budget | None = None,
    spend: Spend | None = None,
    cache: Path | None = None,
    cache_only: bool = False,
    **settings: Any,
) -> AsyncIterator[Client]:
    """A client with its own session."""
    chosen = role_settings(url, role, **settings).resolved()
    redactor = Redactor()
    chosen.hide(redactor, needs_key=True)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=100)) as session:
        yield Client(
            chosen,
            Endpoint(url, chosen.model, chosen.key()),
            session,
            spend=spend or Spend(budget or Budget()),
            redactor=redactor,
            retry=retry,
            cache=RequestCache(cache, redactor) if cache else None,
            cache_only=cache_only,
        )


def with_client(url: str, work: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
    """What `work` returns, given a client at `url`."""

    async def run() -> Any:
        async with client_at(url, **options) as client:
            return await work(client)

    return asyncio.run(run())


def ask(
    url: str, *, meter: Meter | None = None, request: Mapping[str, Any] | None = None, **options: Any
) -> Completion:
    """The answer to one request."""
    booked = meter if meter is not None else Meter()
    answer: Completion = with_client(url, lambda client: client.model(booked)(HELLO, **(request or {})), **options)
    return answer


Do = Callable[[Job, SampleContext], Awaitable[SampleResult]]


async def ask_once(job: Job, context: SampleContext) -> SampleResult:
    """A sample of one request; passes."""
    messages = [{"role": "user", "content": job.sample}]
    completion = await context.model(Role.AGENT)(messages)
    messages.append(completion.message)
    return SampleResult(outcome=Outcome.PASS, reason=completion.text, trajectory={"messages": messages})


@dataclass
class TinyTrial:
    """Samples `0`, `1`, …, each done by `do`."""

    count: int = 4
    do: Do = ask_once
    repeats: int = 1
    settings: dict[str, Any] = field(default_factory=lambda: {"level": 1})
    data: dict[str, Any] = field(default_factory=lambda: {"fingerprint": "f00d"})
    suite: str = "tiny"

    @property
    def jobs(self) -> list[Job]:
        return [Job(str(n), r, {"even": n % 2 == 0}) for r in range(self.repeats) for n in range(self.count)]

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        return await self.do(job, context)


def run_tiny(folder: Path, url: str, trial: Trial | None = None, *, role: Any = None, **settings: Any) -> RunEnd:
    """Run a tiny trial whose only role is the agent."""
    settings.setdefault("retry", QUICK)
    settings.setdefault("concurrency", 4)
    roles: dict[str, RoleSettings] = {Role.AGENT: role or role_settings(url)}
    with display() as progress:
        chosen = RunSettings(folder=folder, **settings)
        return run_trial(trial or TinyTrial(), roles, chosen, progress=progress, signals=True)


def all_bytes(folder: Path) -> bytes:
    """Everything in the files of a folder, and their names."""
    files = [p for p in sorted(folder.rglob("*")) if p.is_file()]
    return b"".join(str(p).encode() + p.read_bytes() for p in files)
