"""The HTTP side of the scripted server: one handler over aiohttp's low-level server."""

import asyncio
import itertools
import socket
import struct
import time
from dataclasses import replace
from typing import Any

import msgspec
from aiohttp import web
from tests.support.batches import Batches
from tests.support.counters import Counters
from tests.support.happy import Happy
from tests.support.request import Role, ScriptedRequest
from tests.support.script import Cast, Script
from tests.support.streams import events, send
from tests.support.wire import Body, Delivery, Reply, completion, error_reply, json_reply, usage
from tests.support.wires import ForeignWire, Refused, foreign_wire, refusal

_MAX_BACKLOG = 1024


class Service:
    """Answers chat requests as a script says. Lives in one event loop."""

    def __init__(self, script: Script, *, keep_requests: bool = True) -> None:
        self.script = script
        self.requests: list[ScriptedRequest] = []
        self.counters = Counters()
        self.trouble: list[Exception] = []
        """What steps of the script raised; always a mistake in a test."""
        self.refused: list[str] = []
        """Reasons of requests that broke a rule of their wire."""
        self.url = ""
        self._cast = Cast(script, Happy())
        self._keep_requests = keep_requests
        self._number = itertools.count()
        self._number_in_role = {role: itertools.count() for role in Role}
        self._connections: dict[asyncio.BaseTransport, int] = {}
        self._connection_number = itertools.count()
        self._memory: dict[object, Any] = {}
        self._wires = script.wires()
        self.batches = Batches(script.batching, self._alone)
        self._runner: web.ServerRunner | None = None

    async def start(self, port: int = 0) -> None:
        """Listen on 127.0.0.1; `url` is known afterwards."""
        # Handlers end with their connection: a client that gave up must not count as in flight.
        server = _Server(self._handle, on_lost=self._connection_lost, access_log=None, handler_cancellation=True)
        self._runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port, backlog=_MAX_BACKLOG).start()
        host, port = self._runner.addresses[0]
        self.url = f"http://{host}:{port}/v1"

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def _connection_lost(self, transport: asyncio.BaseTransport) -> None:
        number = self._connections.pop(transport, None)
        if number is not None:
            self.counters.connection_lost(number)

    def _connection_of(self, request: web.BaseRequest) -> int:
        transport = request.transport
        if transport is None:
            raise ConnectionResetError("the client is gone")
        number = self._connections.get(transport)
        if number is None:
            number = self._connections[transport] = next(self._connection_number)
        self.counters.connection_used(number)
        return number

    async def _handle(self, http: web.BaseRequest) -> web.StreamResponse:
        match http.method, http.path:
            case "POST", "/v1/chat/completions":
                return await self._chat(http)
            case "GET", "/v1/models":
                return await self._list_models(http)
            case "GET", "/stats":
                return _response(json_reply(self.counters.snapshot()))
            case "POST", "/stats/reset":
                self.counters.reset()
                return _response(json_reply(self.counters.snapshot()))
        batched = await self.batches.handle(http)
        if batched is not None:
            return _response(batched)
        wire = foreign_wire(http.path, self._wires) if http.method == "POST" else None
        if wire is not None:
            return await self._chat(http, wire)
        return _response(error_reply(404, f"Nothing is served at {http.method} {http.path}.", code="not_found"))

    async def _chat(self, http: web.BaseRequest, wire: ForeignWire | None = None) -> web.StreamResponse:
        connection = self._connection_of(http)
        raw = await http.content.read()
        try:
            sent = body = msgspec.json.decode(raw)
            if wire is not None:
                body = wire.chat_body(http.path, sent, http.headers)
            messages = body["messages"]
            model = body["model"]
        except Refused as e:
            assert wire is not None
            self.refused.append(str(e))
            return _response(refusal(wire, str(e)))
        except (msgspec.DecodeError, KeyError, TypeError) as e:
            return _response(error_reply(400, f"The body is not a chat request: {e!r}."))
        if not isinstance(messages, list) or not all(isinstance(m, dict) and "role" in m for m in messages):
            return _response(error_reply(400, "'messages' must be a list of messages.", param="messages"))
        role = Role.of(model)
        request = self._record(http, body, role, len(raw), connection)
        request.sent = sent
        if self._keep_requests:
            self.requests.append(request)
        self.counters.begin(request)
        try:
            reply = self._reply(request)
            if wire is not None:
                reply = wire.translated(reply, _named(request))
            delay = self.script.delay(role)
            if delay:
                await asyncio.sleep(delay - (time.monotonic() - request.arrived))
            return await self._deliver(http, reply, request, wire)
        finally:
            self.counters.end(request)

    def _alone(self, http: web.BaseRequest, path: str, sent: dict[str, Any]) -> Reply:
        """The answer to a request of a batch."""
        wire = foreign_wire(path, self._wires)
        try:
            body = sent if wire is None else wire.chat_body(path, sent, http.headers)
        except Refused as e:
            assert wire is not None
            self.refused.append(str(e))
            return refusal(wire, str(e))
        raw = msgspec.json.encode(sent)
        request = self._record(http, body, Role.of(body["model"]), len(raw), self._connection_of(http))
        request.sent = sent
        if self._keep_requests:
            self.requests.append(request)
        reply = self._reply(request)
        return reply if wire is None else wire.translated(reply, _named(request))

    def _record(
        self, http: web.BaseRequest, body: dict[str, Any], role: Role, raw_length: int, connection: int
    ) -> ScriptedRequest:
        return ScriptedRequest(
            body=body,
            raw_length=raw_length,
            headers=http.headers,
            role=role,
            number=next(self._number),
            number_in_role=next(self._number_in_role[role]),
            connection=connection,
            arrived=time.monotonic(),
            memory=self._memory,
            tool_calls=self.script.tool_calls,
        )

    def _reply(self, request: ScriptedRequest) -> Reply:
        try:
            answer = self._cast.answer(request)
        except Exception as e:  # noqa: BLE001 - kept for the test, which raises it when the server stops
            self.trouble.append(e)
            return error_reply(500, f"A step of the script failed: {e!r}", kind="server_error")
        if isinstance(answer, Reply):
            return answer
        return self._encoded(completion(answer) if isinstance(answer, str) else answer, request)

    def _encoded(self, body: Body, request: ScriptedRequest) -> Reply:
        whole = {**_named(request), **body}
        if self.script.usage and "usage" not in whole:
            whole["usage"] = usage(request, whole, self.script.cached_share)
        return json_reply(whole)

    async def _deliver(
        self, http: web.BaseRequest, reply: Reply, request: ScriptedRequest, wire: ForeignWire | None = None
    ) -> web.StreamResponse:
        match reply.delivery:
            case Delivery.WHOLE:
                request.status = reply.status
                how = self.script.stream
                if request.body.get("stream") and reply.status == 200:
                    if wire is not None and wire.is_completion(reply):
                        return await send(http, wire.events(msgspec.json.decode(reply.body), how), how)
                    if b'"chat.completion"' in reply.body:
                        return await send(http, events(msgspec.json.decode(reply.body), how), how)
            case Delivery.DROPPED:
                _close(http, reset=reply.reset)
            case Delivery.CUT:
                request.status = reply.status
                if request.body.get("stream"):
                    whole = msgspec.json.decode(reply.body)
                    made = (
                        events(whole, self.script.stream)
                        if wire is None
                        else wire.events(whole, self.script.stream)
                    )
                    return await send(http, made, replace(self.script.stream, cut_after=len(made) // 2))
                await _send_half(http, reply)
            case Delivery.TRICKLED:
                request.status = reply.status
                await _trickle(http, as_stream=bool(request.body.get("stream")))
            case Delivery.NEVER:
                await asyncio.get_running_loop().create_future()
        return _response(reply)

    async def _list_models(self, http: web.BaseRequest) -> web.StreamResponse:
        connection = self._connection_of(http)
        self.counters.listings += 1
        refused = self.script.endpoint.refusal({}, http.headers)
        if refused is not None:
            return _response(refused)
        if self.script.listing is None:
            models = [
                {"id": name, "object": "model", "created": 0, "owned_by": "tests"} for name in self.script.models
            ]
            return _response(json_reply({"object": "list", "data": models}))
        body: dict[str, Any] = {"model": "", "messages": []}
        request = ScriptedRequest(body, 0, http.headers, Role.AGENT, -1, -1, connection, time.monotonic())
        answer = self.script.listing(request)
        reply = answer if isinstance(answer, Reply) else json_reply(answer)
        return await self._deliver(http, reply, request)


class _Server(web.Server):
    """Tells when a connection is gone; aiohttp keeps that to itself."""

    def __init__(self, handler: Any, *, on_lost: Any, **options: Any) -> None:
        super().__init__(handler, **options)
        self._on_lost = on_lost

    def connection_lost(self, handler: Any, exc: BaseException | None = None) -> None:
        transport = self._connections.get(handler)
        super().connection_lost(handler, exc)
        if transport is not None:
            self._on_lost(transport)


def _named(request: ScriptedRequest) -> Body:
    return {"id": f"chatcmpl-{request.number}", "model": request.body["model"]}


def _response(reply: Reply) -> web.Response:
    return web.Response(
        body=reply.body, status=reply.status, headers={"Content-Type": reply.content_type, **reply.headers}
    )


def _close(http: web.BaseRequest, *, reset: bool) -> None:
    transport = http.transport
    if transport is None:
        return
    if reset:
        # With a linger time of zero the kernel sends RST.
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    else:
        transport.close()


async def _trickle(http: web.BaseRequest, *, as_stream: bool) -> None:
    response = web.StreamResponse()
    response.content_type = "text/event-stream" if as_stream else "application/json"
    await response.prepare(http)
    for byte in itertools.cycle(b": \n" if as_stream else b" "):
        await response.write(bytes([byte]))
        await asyncio.sleep(0.02)


async def _send_half(http: web.BaseRequest, reply: Reply) -> None:
    response = web.StreamResponse(status=reply.status)
    response.content_type = reply.content_type
    response.content_length = len(reply.body)
    await response.prepare(http)
    await response.write(reply.body[: len(reply.body) // 2])
    _close(http, reset=reply.reset)
