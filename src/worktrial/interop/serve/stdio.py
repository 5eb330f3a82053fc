"""One sample over the standard streams, as programs that speak MCP start their servers."""

import asyncio
import io
import os
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.stdio import stdio_server

from worktrial.agents.episode import AnsweredBy, EpisodeOver
from worktrial.agents.episodes import Episodes
from worktrial.engine.interruption import cancelled_by_signals
from worktrial.interop.episodes import drive
from worktrial.interop.serve.bodies import EpisodeState
from worktrial.interop.serve.mcp_tools import mcp_server
from worktrial.interop.serve.reception import Reception
from worktrial.interop.serve.routes import MOST_BYTES
from worktrial.interop.serve.settings import ServerSettings
from worktrial.trials import PreparedRun

"""Longest line that is read."""


async def serve_stdio(
    prepared: PreparedRun, episodes: Episodes, settings: ServerSettings, sample: str | None
) -> EpisodeState:
    """Serve a sample of a run on the standard streams until its input ends.

    An agent that has made a call and says nothing more is judged with an empty answer; one that never made any is
    taken for one that never came.

    Args:
        prepared: The run, made with `episodes` as its agent.
        episodes: Hands out its samples.
        settings: Tool that hands in the answer, and whether checks are shown; the rest is not looked at.
        sample: Task; None for the run's next open sample.

    Returns:
        The verdict.

    Raises:
        WorktrialError: there is no such open sample, or the run could not start or was stopped.
    """
    heard_out = asyncio.Event()
    task = asyncio.current_task()
    assert task is not None

    def halt() -> None:
        """Stop, unless nothing is left to do but the verdict: clients end a server soon after its input."""
        if not heard_out.is_set():
            task.cancel()

    with cancelled_by_signals(halt):
        return await _serve(prepared, episodes, settings, sample, heard_out)


async def _serve(
    prepared: PreparedRun,
    episodes: Episodes,
    settings: ServerSettings,
    sample: str | None,
    heard_out: asyncio.Event,
) -> EpisodeState:
    async with drive(prepared, episodes):
        reception = Reception(episodes, finish_tool=settings.finish_tool, shows_checks=settings.shows_checks)
        guest = await reception.open(sample)
        server = mcp_server(lambda ctx: guest)
        async with _input() as lines, stdio_server(stdin=lines) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
        heard_out.set()
        episode = guest.episode
        try:
            if not episode.calls:
                await episode.abandon("the agent went away without a call")
            else:
                await episode.finish("", AnsweredBy.END)
        except EpisodeOver:
            # The agent has handed in its answer, or a limit ended its work.
            await episode.verdict()
        return reception.state(guest.address)


@asynccontextmanager
async def _input() -> AsyncIterator[Any]:
    """Lines of standard input that a signal can break off, which a thread that waits for some would outlast.

    None for what is no pipe, socket or terminal: it ends by itself. Meanwhile, children read nothing.
    """
    if not (os.isatty(0) or stat.S_ISFIFO(mode := os.fstat(0).st_mode) or stat.S_ISSOCK(mode)):
        yield None
        return
    own, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    blocks = os.get_blocking(own)
    os.dup2(nothing, 0)
    os.close(nothing)
    reader = asyncio.StreamReader(limit=MOST_BYTES)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), io.FileIO(own, closefd=False)
    )
    try:
        yield _lines(reader)
    finally:
        transport.close()
        os.set_blocking(own, blocks)
        os.dup2(own, 0)
        os.close(own)


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await reader.readline()
        except ValueError:
            # No JSON either, which is what the sender is told.
            line = b"a line of over 64 MiB\n"
        if not line:
            return
        yield line.decode("utf-8", "replace")
