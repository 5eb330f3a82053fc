"""A server that answers every call with the same observation: `python -m benchmarks.echo_door KIND JSON`.

It stands on the libraries of `worktrial serve`, with nothing of ours between: what is left of the product's figure
beside it is ours. Prints its address.
"""

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

OBSERVATION = json.loads(sys.argv[2])
TOOL = {
    "type": "object",
    "properties": {"sample_id": {"type": "string", "description": "The sample."}},
    "required": ["sample_id"],
}


def http_app() -> Starlette:
    async def call(request: Request) -> JSONResponse:
        asked = json.loads(await request.body())
        assert asked["tool"]
        return JSONResponse({"observation": OBSERVATION, "is_error": False})

    return Starlette(routes=[Route("/episodes/{episode}/calls", call, methods=["POST"])])


def mcp_app() -> Starlette:
    async def on_list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool(name="get_sample", input_schema=TOOL)])

    async def on_call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(
            content=[types.TextContent(text=json.dumps(OBSERVATION))], structured_content=OBSERVATION
        )

    server: Server[Any] = Server("echo", on_list_tools=on_list_tools, on_call_tool=on_call_tool)
    sessions = StreamableHTTPSessionManager(server, json_response=True, stateless=True)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    return Starlette(routes=[Route("/mcp", StreamableHTTPASGIApp(sessions))], lifespan=lifespan)


def main() -> None:
    app = {"http": http_app, "mcp": mcp_app}[sys.argv[1]]()
    with socket.socket(proto=socket.IPPROTO_TCP) as at:  # see `worktrial.interop.serve.server`
        at.bind(("127.0.0.1", 0))
        at.listen()
        print(f"http://127.0.0.1:{at.getsockname()[1]}", flush=True)
        config = uvicorn.Config(app, access_log=False, log_level="error", server_header=False, proxy_headers=False)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(uvicorn.Server(config).serve([at]))


if __name__ == "__main__":
    main()
