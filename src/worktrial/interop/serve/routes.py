"""Episodes over HTTP."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Lifespan, Receive, Scope, Send

from worktrial.agents.episode import EpisodeOver
from worktrial.agents.episodes import NoOpenJob, TooManyOpen
from worktrial.errors import DataError, SettingError, WorktrialError
from worktrial.interop.serve import bodies
from worktrial.interop.serve.guard import refusal
from worktrial.interop.serve.openapi import described
from worktrial.interop.serve.reception import Guest, KeyReused, NameTaken, Reception, UnknownEpisode

# No call of any tool nears it.
MOST_BYTES = 4 * 1024 * 1024
# Longer bodies are read and thrown away up to here: who is cut off while sending does not see the answer.
_MOST_DRAINED = 128 * 1024 * 1024
# Who has not sent its request by then does not mean to.
BODY_SECONDS = 30.0
_CALLS = re.compile(r"/episodes/(?P<episode>[^/]+)/calls")
_KEY = re.compile(r"[!-~]{1,200}")

_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (UnknownEpisode, 404),
    (TooManyOpen, 429),
    (NoOpenJob, 410),
    (EpisodeOver, 409),
    (NameTaken, 409),
    (KeyReused, 409),
    (SettingError, 404),
    (DataError, 409),
    (ValueError, 422),
    (WorktrialError, 503),
)

Answer = Callable[[Request], Awaitable[Response]]


class UnreadableRequest(Exception):
    """A request whose body cannot be had."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class Doors:
    """Answers to the requests of drivers.

    Args:
        reception: Hands the episodes out.
        suite: The suite's name.
        progress: Function that tells how many samples are stored with a verdict, and of how many.
    """

    def __init__(self, reception: Reception, suite: str, progress: Callable[[], tuple[int, int]]) -> None:
        self._reception = reception
        self._suite = suite
        self._progress = progress

    def app(self, mcp: Any, lifespan: Lifespan[Starlette] | None = None) -> ASGIApp:
        """The ASGI application.

        Args:
            mcp: ASGI application that speaks MCP at an episode's address.
            lifespan: What has to be up while requests are answered.
        """
        routes = [
            route("/episodes/{episode}/calls", POST=self.call),
            Route("/episodes/{episode}/mcp", mcp, name="mcp"),
            route("/health", GET=self.health),
            route("/openapi.json", GET=self.openapi),
            route("/episodes", GET=self.listed, POST=self.open),
            route("/episodes/{episode}", GET=self.show, DELETE=self.abandon),
            route("/episodes/{episode}/finish", POST=self.finish),
        ]
        rest = Starlette(routes=routes, exception_handlers={HTTPException: _http_refusal}, lifespan=lifespan)
        return _CallsFirst(_answering({"POST": self.call}), rest)

    async def health(self, request: Request) -> Response:
        """Sign of life."""
        return _answer(bodies.Health("ok", self._suite))

    async def openapi(self, request: Request) -> Response:
        """Description of all this."""
        return _answer(described())

    async def listed(self, request: Request) -> Response:
        """All open episodes, without their addresses."""
        finished, samples = self._progress()
        waiting = len(self._reception.episodes.waiting)
        states = self._reception.states()
        return _answer(bodies.EpisodeList(self._suite, states, waiting, finished, samples))

    async def open(self, request: Request) -> Response:
        """Hand out an episode."""
        body = await body_of(request)
        asked = bodies.read(bodies.OpenRequest, body)
        guest: Guest = await self._reception.once.do(
            _key(request), body, lambda: self._reception.open(asked.sample, asked.repeat, asked.condition)
        )
        episode = guest.episode
        sample, repeat, condition = episode.key
        return _answer(
            bodies.EpisodeOpened(
                guest.address,
                sample,
                repeat,
                condition,
                guest.instruction,
                episode.clock,
                guest.tools,
                guest.finish_name,
                episode.system_prompt,
                str(request.url_for("mcp", episode=guest.address)),
            ),
            HTTPStatus.CREATED,
        )

    async def show(self, request: Request) -> Response:
        """State of an episode."""
        state = self._reception.state(_address(request))
        if state.state == "open":
            self._reception.find(_address(request)).has_listed = True
        return _answer(state)

    async def abandon(self, request: Request) -> Response:
        """Give an episode up."""
        guest = self._reception.find(_address(request))
        return _answer(await self._reception.abandon(guest, "given up by whoever drove it"))

    async def call(self, request: Request) -> Response:
        """Make one call."""
        body = await body_of(request)
        asked = bodies.read(bodies.CallRequest, body)
        guest = self._reception.find(_address(request))
        seen = await guest.once.do(_key(request), body, lambda: guest.call(asked.tool, asked.arguments))
        return _answer(bodies.CallAnswer(seen.content, seen.is_error))

    async def finish(self, request: Request) -> Response:
        """Hand in the answer."""
        body = await body_of(request)
        asked = bodies.read(bodies.FinishRequest, body)
        return _answer(await self._reception.finish(_address(request), asked.answer, _key(request)))


async def body_of(request: Request) -> bytes:
    """Body of a request.

    Raises:
        UnreadableRequest: it is too long, or does not come.
    """
    body = bytearray()
    received = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                received += len(chunk)
                if received <= MOST_BYTES:
                    body += chunk
                elif received > _MOST_DRAINED:
                    break
    except TimeoutError:
        raise UnreadableRequest(408, f"the body did not come within {BODY_SECONDS:g} seconds") from None
    except ClientDisconnect:
        raise UnreadableRequest(400, "the body broke off") from None
    if received > MOST_BYTES:
        raise UnreadableRequest(413, f"a body has at most {MOST_BYTES} bytes")
    return bytes(body)


class _CallsFirst:
    """Application that answers calls itself: nearly all requests are calls, and finding a route costs as much."""

    def __init__(self, calls: Answer, rest: ASGIApp) -> None:
        self._calls = calls
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _CALLS.fullmatch(scope["path"]) if scope.get("method") == "POST" else None
        if found is None:
            await self._rest(scope, receive, send)
            return
        scope["path_params"] = found.groupdict()
        answer = await self._calls(Request(scope, receive))
        await answer(scope, receive, send)


def route(path: str, **answers: Answer) -> Route:
    """Path with an answer for each method."""
    return Route(path, _answering(answers), methods=[*answers])


def _answering(answers: Mapping[str, Answer]) -> Answer:
    """The answer by method; what one raises becomes a refusal."""

    async def answered(request: Request) -> Response:
        # HEAD is a GET whose answer is cut.
        answer = answers.get(request.method) or answers["GET"]
        try:
            return await answer(request)
        except UnreadableRequest as e:
            return refusal(e.status, str(e), {"connection": "close"})
        except (WorktrialError, ValueError) as e:
            status = next(status for kind, status in _STATUS if isinstance(e, kind))
            return refusal(status, str(e), {"retry-after": "5"} if status == HTTPStatus.TOO_MANY_REQUESTS else None)

    return answered


async def _http_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail, dict(error.headers or {}))


def _address(request: Request) -> str:
    address: str = request.path_params["episode"]
    return address


def _key(request: Request) -> str | None:
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise ValueError("Idempotency-Key: has to have 1 to 200 visible characters of ASCII")
    return key


def _answer(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")
