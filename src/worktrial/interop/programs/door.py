"""One sample's own door: its tools over HTTP and MCP, for an agent that this process starts or asks."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

from starlette.applications import Starlette

from worktrial.agents.assignment import Assignment
from worktrial.agents.episode import AnsweredBy, Episode
from worktrial.agents.episodes import Episodes
from worktrial.errors import extra

with extra("serve", "An agent that is a program or a service"):
    from worktrial.interop.serve.guard import LOOPBACK, Guard
    from worktrial.interop.serve.mcp_tools import McpDoor
    from worktrial.interop.serve.reception import Guest, Reception
    from worktrial.interop.serve.routes import Doors
    from worktrial.interop.serve.server import answering, bound, server_of

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
            self.guest.episode.end(answer, AnsweredBy.DRIVER)
        await self.work


@contextlib.asynccontextmanager
async def door(assignment: Assignment) -> AsyncIterator[OwnDoor]:
    """Serve `assignment` on a port of its own, on this machine only, until the block ends.

    Raises:
        NameTaken: the workplace's own tools leave no room for the one that ends the work.
    """
    # Nobody else opens anything here.
    nobody = Episodes()
    nobody.run_ended()
    reception = Reception(nobody)
    mcp = McpDoor(reception)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.sessions.run():
            yield

    app = Guard(
        Doors(reception, "one sample", lambda: (0, 1)).app(mcp, lifespan), secrets.token_urlsafe(24), LOOPBACK
    )
    episode = Episode(_KEY, idle_seconds=None)
    work = asyncio.create_task(episode(assignment))
    try:
        await episode.opened()
        guest = reception.admit(episode)
        with bound("127.0.0.1", 0) as at:
            async with answering(server_of(app), at):
                yield OwnDoor(guest, f"http://127.0.0.1:{at.getsockname()[1]}/episodes/{guest.address}", work)
    finally:
        work.cancel()
        await asyncio.wait([work])
