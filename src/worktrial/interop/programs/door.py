"""One sample's own door: its tools over HTTP and MCP, for an agent that this process starts or asks."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

from worktrial.agents.assignment import Assignment
from worktrial.agents.episode import AnsweredBy, Episode
from worktrial.agents.episodes import Episodes
from worktrial.errors import extra
from worktrial.interop.serve.settings import FINISH_TOOL

with extra("serve", "An agent that is a program or a service"):
    from worktrial.interop.serve.doors import http_and_mcp
    from worktrial.interop.serve.guard import LOOPBACK
    from worktrial.interop.serve.reception import Guest, Reception
    from worktrial.interop.serve.server import Opening, answering, bound, server_of

# The door's own sample; its name is nobody's business.
_KEY = ("assignment", 0, "E0")


@dataclass(frozen=True, slots=True)
class OwnDoor:
    """A sample that is served."""

    guest: Guest
    url: str
    """Address of the episode over HTTP: `calls` and `finish` are below it."""
    work: "asyncio.Task[None]"
    """The engine's side of the episode; ends with the work, whoever ended it."""

    @property
    def mcp(self) -> str:
        """Address of the same tools over MCP."""
        return f"{self.url}/mcp"

    async def close(self, answer: str) -> None:
        """End the work with `answer`, where the agent has not ended it, and take note of the engine's troubles.

        Raises:
            InvalidSample: whoever plays the workplace failed.
            Unstorable: the answer is no text that can be stored.
        """
        if not self.guest.episode.is_over:
            self.guest.episode.end(answer, AnsweredBy.DRIVER, is_last=True)
        await self.work


@contextlib.asynccontextmanager
async def door(assignment: Assignment) -> AsyncIterator[OwnDoor]:
    """Serve `assignment` on a port of its own, on this machine only, until the block ends.

    Raises:
        NameTaken: the workplace's own tools leave no room for the one that ends the work.
    """
    episode = Episode(_KEY, idle_seconds=None)
    work = asyncio.create_task(episode(assignment))
    try:
        await episode.opened()
        async with served_alone(episode) as (guest, url):
            yield OwnDoor(guest, url, work)
    finally:
        work.cancel()
        await asyncio.wait([work])


@contextlib.asynccontextmanager
async def served_alone(episode: Episode, finish_tool: str | None = FINISH_TOOL) -> AsyncIterator[tuple[Guest, str]]:
    """Serve one episode, whose workplace is ready, on a port of its own; yields it and its address over HTTP.

    Args:
        episode: The episode.
        finish_tool: Name of the tool that ends the work; None offers none.

    Raises:
        NameTaken: the workplace's own tools leave no room for that tool.
    """
    # Nobody else opens anything here.
    nobody = Episodes()
    nobody.run_ended()
    reception = Reception(nobody, finish_tool=finish_tool)
    guest = reception.admit(episode)
    app = http_and_mcp(Opening("one sample", (), reception, lambda: (0, 1), secrets.token_urlsafe(24), LOOPBACK))
    with bound("127.0.0.1", 0) as at:
        async with answering(server_of(app), at):
            yield guest, f"http://127.0.0.1:{at.getsockname()[1]}/episodes/{guest.address}"
