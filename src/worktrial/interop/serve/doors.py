"""The doors of `worktrial serve`: HTTP and MCP behind one guard."""

import contextlib
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.types import ASGIApp

from worktrial.interop.serve.guard import Guard
from worktrial.interop.serve.mcp_tools import McpDoor
from worktrial.interop.serve.routes import Doors
from worktrial.interop.serve.server import Opening


def http_and_mcp(opening: Opening) -> ASGIApp:
    """Application that serves episodes over HTTP, and each one's tools over MCP."""
    mcp = McpDoor(opening.reception)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.sessions.run():
            yield

    doors = Doors(opening.reception, opening.suite, opening.progress)
    return Guard(doors.app(mcp, lifespan), opening.token, opening.names)
