"""One episode's tools over MCP, of either protocol age.

The address is the episode, never the MCP session: newer revisions of the protocol have none.
"""

import json
import logging
from collections.abc import Callable
from inspect import signature
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from worktrial.agents.episode import EpisodeOver
from worktrial.errors import WorktrialError
from worktrial.interop.serve.bodies import read
from worktrial.interop.serve.guard import refusal
from worktrial.interop.serve.reception import Guest, Reception
from worktrial.interop.serve.routes import MOST_BYTES, UnreadableRequest, body_of
from worktrial.language import JsonObject
from worktrial.version import __version__

Find = Callable[[Any], Guest]
"""Function that finds the episode that a request of MCP is about."""

# An episode's tools never change.
_TOOLS_STAY_MS = 3_600_000
_NO_MESSAGE = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
_TELLS = frozenset({"initialize", "server/discover"})


def mcp_server(find: Find) -> Server[Any]:
    """MCP server whose tools are those of the episode that `find` finds."""

    async def on_list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        guest = _present(find, ctx)
        guest.has_listed = True
        return types.ListToolsResult(tools=[_as_mcp(tool["function"]) for tool in guest.tools])

    async def on_call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await _called(find, ctx, params)

    # Arguments are never sent as headers here, so nobody has to look for them in the schemas at every call. The SDK
    # that verifiers pins, 2.0, does not look yet.
    looks = "get_tool_input_schema" in signature(Server).parameters
    looking: dict[str, Any] = {"get_tool_input_schema": lambda name: None} if looks else {}
    server: Server[Any] = Server(
        "worktrial",
        version=__version__,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        **looking,
        cache_hints={"tools/list": CacheHint(ttl_ms=_TOOLS_STAY_MS, scope="private")},
    )

    async def with_task(ctx: Any, call_next: Callable[[Any], Any]) -> Any:
        """Tell whoever begins its task."""
        result = await call_next(ctx)
        return {**result, "instructions": _present(find, ctx).instruction} if ctx.method in _TELLS else result

    # In place of the SDK's spans for OpenTelemetry: what happens in an episode is in its record.
    server.middleware[:] = [with_task]
    return server


def _present(find: Find, ctx: Any) -> Guest:
    try:
        guest = find(ctx)
        guest.has_knocked = True
        return guest
    except WorktrialError as e:
        raise MCPError(types.INVALID_REQUEST, str(e)) from None


async def _called(find: Find, ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = {} if params.arguments is None else params.arguments
    try:
        # Python's reader of JSON takes NaN for a number; nothing that stores or sends this does.
        json.dumps(arguments, allow_nan=False)
        seen = await find(ctx).call(params.name, arguments)
    except (EpisodeOver, ValueError) as e:
        return types.CallToolResult(content=[types.TextContent(text=str(e))], is_error=True)
    return types.CallToolResult(
        content=[types.TextContent(text=seen.text)], structured_content=seen.content, is_error=seen.is_error
    )


def _as_mcp(function: JsonObject) -> types.Tool:
    return types.Tool(
        name=function["name"],
        description=function.get("description") or None,
        input_schema=function["parameters"],
    )


class McpDoor:
    """ASGI application at `/episodes/ID/mcp`.

    Args:
        reception: Knows the episodes.
    """

    def __init__(self, reception: Reception) -> None:
        self._reception = reception
        logging.getLogger("mcp").setLevel(logging.ERROR)
        self.sessions = StreamableHTTPSessionManager(
            mcp_server(self._found), json_response=True, stateless=True, max_request_body_size=MOST_BYTES
        )
        """Manager of the protocol, to be up (`run`) while requests are answered."""

    def _found(self, ctx: Any) -> Guest:
        request: Request = ctx.request
        return self._reception.find(request.path_params["episode"])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await (await self._answer(Request(scope, receive)))(scope, receive, send)

    async def _answer(self, request: Request) -> ASGIApp:
        if request.method != "POST":
            # Nothing is ever sent unasked, so there is no stream to listen to, and no session to end.
            return refusal(405, "MCP is served by POST alone", {"allow": "POST"})
        try:
            if not self._reception.knows(request.path_params["episode"]):
                return refusal(404, "no such episode")
            body = await body_of(request)
            read(Any, body)
        except UnreadableRequest as e:
            return refusal(e.status, str(e), {"connection": "close"})
        except ValueError:
            return Response(_NO_MESSAGE, 400, media_type="application/json")
        return _Replayed(self.sessions.handle_request, body)


class _Replayed:
    """ASGI application that is given a body which was read already."""

    def __init__(self, app: ASGIApp, body: bytes) -> None:
        self._app = app
        self._message: Message | None = {"type": "http.request", "body": body, "more_body": False}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def replay() -> Message:
            message, self._message = self._message, None
            return message or await receive()

        await self._app(scope, replay, send)
