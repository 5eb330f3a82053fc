"""Bringing up the models of a run: one client per role, and the embedded model when a role wants it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from worktrial.engine.client import Client
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.proxies import proxy_for
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleName, RoleSettings, below, public_url
from worktrial.engine.spend import Spend
from worktrial.engine.wire import Endpoint
from worktrial.errors import SettingError, StopRun, option
from worktrial.secrets import Redactor

if TYPE_CHECKING:
    from worktrial.engine.batch.transport import Batches

try:
    import resource
except ImportError:  # a system without such limits
    resource = None  # type: ignore[assignment]

# Beside connections: the run's own files, pipes of agents, and what libraries open for a moment.
SPARE_FILES = 24
PROBE_TIMEOUT = aiohttp.ClientTimeout(total=15, sock_connect=5)
PROBE_PAUSES = (0.5, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Wiring:
    """Behaviour of all clients of a run, beside their roles' own settings."""

    requests: int
    """Requests in flight, of all roles together."""
    retry: RetryPolicy
    cache: RequestCache | None = None
    cache_only: bool = False
    batches: "Batches | None" = None
    """Way of requests that go into batches; None sends each alone."""
    tell: Callable[[str], None] = tell_on_stderr
    """Told, a sentence each, what the run has to do otherwise than it was asked to."""


@asynccontextmanager
async def connect(
    roles: Mapping[RoleName, RoleSettings], wiring: Wiring, *, spend: Spend, redactor: Redactor
) -> AsyncIterator[dict[RoleName, Client]]:
    """Clients for `roles`, whose endpoints were seen to answer. Everything is closed at the end.

    Raises:
        SettingError: a key is missing, or an embedded model is not there.
        StopRun: an endpoint does not answer at all.
    """
    async with AsyncExitStack() as stack:
        started: dict[str, Endpoint] = {}
        endpoints = {
            role: await _endpoint(settings, stack, wiring, redactor, started) for role, settings in roles.items()
        }
        requests = affordable(wiring.requests, wiring.tell)
        connector = aiohttp.TCPConnector(limit=requests)
        # Queueing for a connection would count as waiting for an answer; who has a place finds one free.
        places = asyncio.Semaphore(requests)
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        if not wiring.cache_only:
            # A provider that sends requests by itself has no address to knock at.
            addresses = {endpoints[name].base_url: settings.role for name, settings in roles.items()}
            await _probe(session, {address: role for address, role in addresses.items() if address})
        yield {
            role: _client(settings, endpoints[role], session, places, wiring, spend=spend, redactor=redactor)
            for role, settings in roles.items()
        }


def _client(
    settings: RoleSettings,
    endpoint: Endpoint,
    session: aiohttp.ClientSession,
    places: asyncio.Semaphore,
    wiring: Wiring,
    *,
    spend: Spend,
    redactor: Redactor,
) -> Client:
    batches = wiring.batches
    is_batched = batches is not None and settings.role_name in batches.roles
    if is_batched:
        # Whole answers, and no pace of their own.
        settings = replace(settings, stream="off", concurrency=None, rpm=None, tpm=None, batch=True)
    return Client(
        settings,
        endpoint,
        session,
        spend=spend,
        redactor=redactor,
        retry=wiring.retry,
        # Who waits for a batch keeps no place from others.
        places=None if is_batched else places,
        cache=wiring.cache,
        cache_only=wiring.cache_only,
        transport=batches.transport(settings, endpoint, session) if batches is not None and is_batched else None,
        tell=wiring.tell,
    )


def affordable(requests: int, tell: Callable[[str], None]) -> int:
    """Requests in flight that the process has file descriptors for, at most `requests`.

    The limit of the process is raised as far as the system lets it.

    Raises:
        StopRun: there are none left even for one.
    """
    if resource is None:
        return requests
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return requests
    used = _open_files()
    wanted = used + SPARE_FILES + requests
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            limit = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            soft = limit
    possible = soft - used - SPARE_FILES
    if possible >= requests:
        return requests
    if possible < 1:
        raise StopRun(
            f"this process may open {soft} files, which is too few for a run. Raise the limit, as with "
            f"`ulimit -n {max(256, wanted)}`"
        )
    tell(
        f"this process may open {soft} files: {possible} requests are sent at a time instead of {requests}. "
        f"`ulimit -n {wanted}` before the start lets all of them go"
    )
    return possible


def _open_files() -> int:
    """Files that this process has open; a guess where the system does not tell."""
    try:
        return len(list(Path("/dev/fd").iterdir()))
    except OSError:
        return SPARE_FILES


async def _endpoint(
    settings: RoleSettings, stack: AsyncExitStack, wiring: Wiring, redactor: Redactor, started: dict[str, Endpoint]
) -> Endpoint:
    if not settings.is_local:
        return Endpoint(settings.base_url or "", settings.model, None if wiring.cache_only else settings.key())
    from worktrial.engine.local.catalogue import resolve
    from worktrial.engine.local.serve import LocalModel

    if wiring.cache_only:
        # The name under which the answers were recorded.
        return Endpoint("http://local", resolve(settings.model).name)
    if settings.model not in started:
        model = await stack.enter_async_context(LocalModel(resolve(settings.model)))
        redactor.add(model.api_key)
        started[settings.model] = Endpoint(model.base_url, model.model_name, model.api_key)
    return started[settings.model]


async def _probe(session: aiohttp.ClientSession, addresses: Mapping[str, Role]) -> None:
    """Ask every endpoint for a sign of life, so that a wrong address is told before anything is paid for."""
    await asyncio.gather(*(_wait_for_life(session, address, role) for address, role in addresses.items()))


async def _wait_for_life(session: aiohttp.ClientSession, address: str, role: Role) -> None:
    trouble = ""
    for pause in PROBE_PAUSES:
        try:
            async with session.get(
                below(address, "models"), timeout=PROBE_TIMEOUT, proxy=proxy_for(address), allow_redirects=False
            ):
                # Any HTTP answer will do: not every endpoint lists its models.
                return
        except aiohttp.InvalidURL:
            raise SettingError(
                f"{role.option('base_url')} {public_url(address)!r} is not an http(s) address"
            ) from None
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as e:
            trouble = str(e)
            await asyncio.sleep(pause)
        except (aiohttp.ClientError, OSError):
            # Something is there, if not in a good state; the requests have their own retries.
            return
    raise StopRun(
        f"the endpoint of the {role} does not answer: {public_url(address)} ({trouble}). "
        f"Start it, or correct {option('base_url')} / {role.option('base_url')}"
    )
