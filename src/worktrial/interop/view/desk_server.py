"""The viewer with a desk: a run whose agent is a person, until it is done or somebody stops it."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from worktrial.agents.episodes import Episodes
from worktrial.engine.interruption import cancelled_by_signals
from worktrial.interop.serve.guard import LOOPBACK, Guard
from worktrial.interop.serve.server import Opening, answering, bound, opened, server_of
from worktrial.interop.serve.settings import ServerSettings
from worktrial.interop.view.app import ViewerApp
from worktrial.interop.view.desk import HumanDesk
from worktrial.interop.view.desk_routes import DESK
from worktrial.interop.view.library import RunLibrary
from worktrial.trials import PreparedRun


def person(agent: str) -> Episodes:
    """Whoever hands out the samples of a run to a person; nobody waits for a person with a clock in hand."""
    return Episodes(agent, idle_seconds=None, most=1)


async def seat(
    prepared: PreparedRun,
    episodes: Episodes,
    port: int,
    *,
    shows_verdict: bool,
    ready: Callable[[str], None],
) -> bool:
    """Serve the desk of a run on the loopback until the person leaves, or a signal ends it.

    Args:
        prepared: The run, made with `episodes` as its agent.
        episodes: From `person`.
        port: Port to listen on; 0 takes a free one.
        shows_verdict: Whether the person is told what came of each sample; else the viewer shows no run either.
        ready: Told the address, its secret included, when requests are answered.

    Returns:
        Whether every sample of the run is done.

    Raises:
        SettingError: the port cannot be used, or the run differs from the one in its folder.
        WorktrialError: the run could not start, or was stopped.
    """
    folder = prepared.settings.folder
    apps: list[ViewerApp] = []
    desks: list[HumanDesk] = []
    servers: list[uvicorn.Server] = []

    def stop(*_: object) -> None:
        for app in apps:
            app.stopping.set()
        for server in servers:
            server.should_exit = True

    def app_of(opening: Opening) -> ASGIApp:
        desk = HumanDesk(
            opening.reception,
            prepared.suite.title,
            opening.progress,
            folder,
            shows_verdict=shows_verdict,
            leave=stop,
        )
        places: list[Path] = [folder] if shows_verdict else []
        desks.append(desk)
        apps.append(ViewerApp(RunLibrary(places, "Work trial"), opening.token, desk=desk))
        return Guard(apps[0], None, LOOPBACK)

    def failed(ended: "asyncio.Task[object]") -> None:
        # A run that is merely done leaves its last verdict to be looked at.
        if not ended.cancelled() and ended.exception() is not None:
            stop()

    settings = ServerSettings(port=port, finish_tool=None, shows_checks=shows_verdict)
    with bound(settings.host, port) as at:
        async with opened(prepared, episodes, settings, at, app_of) as (served, app, run):
            servers.append(server_of(app))
            run.add_done_callback(failed)
            with cancelled_by_signals(stop):
                async with answering(servers[0], at) as up:
                    ready(f"{served.url}/{served.token}/{DESK}")
                    await up
            # Time has gone on since the last call.
            desks[0].keep()
            return run.done() and not run.cancelled() and run.exception() is None
