"""A run behind one port: HTTP and MCP, until somebody stops it."""

import asyncio
import contextlib
import ipaddress
import resource
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from worktrial.agents.episodes import Episodes
from worktrial.engine.interruption import cancelled_by_signals
from worktrial.engine.progress import Tally
from worktrial.engine.trial import Job
from worktrial.errors import SettingError
from worktrial.interop.episodes import drive
from worktrial.interop.serve.guard import LOOPBACK
from worktrial.interop.serve.reception import Reception
from worktrial.interop.serve.settings import ServerSettings
from worktrial.trials import PreparedRun

# Answers in flight, such as verdicts of a judge, may come to their end when the server is stopped.
_GRACE_SECONDS = 10
_HEADER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is up."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class Opening:
    """Parts that an application is made of."""

    suite: str
    """Name of the suite."""
    jobs: Sequence[Job]
    reception: Reception
    progress: Callable[[], tuple[int, int]]
    """Function that tells how many samples are stored with a verdict, and of how many."""
    token: str
    names: Sequence[str]
    """Names under which the server may be called."""


AppOf = Callable[[Opening], ASGIApp]
"""Function that makes the application of a kind of doors."""


class _Server(uvicorn.Server):
    """Server that leaves signals to the run around it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield


class _Patient(AutoHTTPProtocol):  # type: ignore[misc,valid-type]
    """Connection that is closed when no request comes of it in time, or when too many others are open."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take a connection in, and let go of the one that has waited for a request the longest."""
        super().connection_made(transport)
        self._begun, self._before = self.loop.time(), None
        self.loop.call_later(_HEADER_SECONDS, self._look)
        if len(self.connections) > most_connections():
            idle = [one for one in self.connections if isinstance(one, _Patient) and one._waits]
            min(idle, key=lambda one: one._begun, default=self).transport.abort()

    @property
    def _waits(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self._waits and self.cycle is self._before:
            self.transport.abort()
        else:
            self._before = self.cycle
            self.loop.call_later(_HEADER_SECONDS, self._look)


def most_connections() -> int:
    """Most connections that are open at once: half of the descriptors that this process may have, at most 1,000."""
    return min(1000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


async def serve(
    prepared: PreparedRun,
    episodes: Episodes,
    settings: ServerSettings,
    app_of: AppOf,
    *,
    ready: Callable[[Served], None],
    tell: Callable[[str], None] = lambda line: None,
) -> bool:
    """Serve a run until a signal, or cancellation, ends it.

    Args:
        prepared: The run, made with `episodes` as its agent.
        episodes: Hands out its samples.
        settings: Where, and to whom.
        app_of: Makes the doors.
        ready: Told when requests are answered.
        tell: Told of each episode that begins or ends, in a line.

    Returns:
        Whether every sample of the run is done.

    Raises:
        SettingError: the address cannot be used, or the run differs from the one in its folder.
        WorktrialError: the run could not start, or was stopped.
    """
    with bound(settings.host, settings.port) as at:
        async with opened(prepared, episodes, settings, at, app_of, tell) as (served, app, run):
            server = server_of(app)

            def stop(*_: object) -> None:
                server.should_exit = True

            def failed(ended: "asyncio.Task[object]") -> None:
                # A run that is merely done leaves its verdicts to be asked for.
                if not ended.cancelled() and ended.exception() is not None:
                    stop()

            run.add_done_callback(failed)
            with cancelled_by_signals(stop):
                async with answering(server, at) as up:
                    ready(served)
                    await up
            return run.done() and not run.cancelled() and run.exception() is None


@contextlib.asynccontextmanager
async def answering(server: uvicorn.Server, at: socket.socket) -> AsyncIterator["asyncio.Task[None]"]:
    """The time in which requests are answered; the task ends when the server was told to stop."""
    up = asyncio.create_task(server.serve([at]))
    try:
        while not server.started and not up.done():
            await asyncio.sleep(0.005)
        yield up
    finally:
        server.should_exit = True
        await asyncio.wait([up])


@contextlib.asynccontextmanager
async def opened(
    prepared: PreparedRun,
    episodes: Episodes,
    settings: ServerSettings,
    at: socket.socket,
    app_of: AppOf,
    tell: Callable[[str], None] = lambda line: None,
) -> AsyncIterator[tuple[Served, ASGIApp, "asyncio.Task[object]"]]:
    """The run, begun, and the application that serves it; see `serve`."""
    tallies: list[Tally] = []
    begun = asyncio.Event()
    trial = prepared.trial
    reception = Reception(episodes, finish_tool=settings.finish_tool, shows_checks=settings.shows_checks, tell=tell)

    def tell_progress(tally: Tally) -> None:
        tallies[:] = [tally]
        begun.set()

    def progress() -> tuple[int, int]:
        samples = len(trial.jobs)
        return (tallies[0].done if tallies else samples), samples

    token = settings.token or secrets.token_urlsafe(24)
    names = [*LOOPBACK, settings.host, *settings.names]
    app = app_of(Opening(trial.suite, trial.jobs, reception, progress, token, names))
    url = f"http://{_spelled(settings.host)}:{at.getsockname()[1]}"
    async with drive(prepared, episodes, progress=tell_progress) as run:
        run.add_done_callback(lambda ended: begun.set())
        await begun.wait()
        if settings.address is not None:
            await reception.open(settings.sample, address=settings.address)
        yield Served(url, token), app, run


def server_of(app: ASGIApp) -> uvicorn.Server:
    """Server of `app` that says nothing and leaves signals alone."""
    return _Server(
        uvicorn.Config(
            app,
            http=_Patient,
            # So many are accepted at a time, and it takes some turns of the loop until one is let go of.
            backlog=max(1, most_connections() // 8),
            access_log=False,
            log_level="error",
            server_header=False,
            # Nobody stands between who could say who asks, and nothing here depends on it.
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
    )


@contextlib.contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """Socket that listens.

    Raises:
        SettingError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket whose protocol is named does asyncio know that it speaks TCP, and send the second part of an
    # answer before the first is acknowledged, for which clients take 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as at:
        at.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            at.bind((host, port))
            at.listen(1024)
        except (OSError, OverflowError) as e:
            raise SettingError(f"cannot listen on {host}:{port}: {e}; name another --host or --port") from None
        yield at


def _spelled(host: str) -> str:
    """Host as addresses name it; every address of the machine is reached by its loopback."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "127.0.0.1" if address.version == 4 else "[::1]"
    return f"[{host}]" if address.version == 6 else host
