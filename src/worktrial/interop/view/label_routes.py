"""Labels over HTTP: those of a sample, and a new one."""

from http import HTTPStatus
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from worktrial.interop.serve import bodies
from worktrial.interop.serve.routes import UnreadableRequest, body_of, route
from worktrial.interop.view.library import RunLibrary
from worktrial.results.labels import Label, LabelBook, ReaderOpinion

JSON = "application/json"


class GivenOpinion(ReaderOpinion, kw_only=True, forbid_unknown_fields=True):
    """Body of a request that adds a label."""


class LabelList(msgspec.Struct):
    """Labels of one run, the last of each reader on each sample."""

    labels: list[Label]


def label_routes(library: RunLibrary) -> list[Route]:
    """Routes of `labels?run=NAME`: GET lists the run's labels, POST adds one."""

    async def listed(request: Request) -> Response:
        def read() -> list[Label]:
            run = library.run(request.query_params.get("run", ""))
            return LabelBook(run.folder, run.manifest).read(run.calls)

        return json_answer(LabelList(await run_in_threadpool(read)))

    async def added(request: Request) -> Response:
        given = bodies.read(GivenOpinion, await json_body(request))

        def add() -> Label:
            run = library.run(request.query_params.get("run", ""))
            return LabelBook(run.folder, run.manifest).add(given, run.calls)

        return json_answer(await run_in_threadpool(add), HTTPStatus.CREATED)

    return [route("/labels", GET=listed, POST=added)]


async def json_body(request: Request) -> bytes:
    """Body of a request that says that it is JSON, which no form of another page can.

    Raises:
        UnreadableRequest: it is another kind, is too long, or does not come.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise UnreadableRequest(415, f"send {JSON}, not {kind or 'a body of no kind'}")
    return await body_of(request)


def json_answer(value: Any, status: int = HTTPStatus.OK) -> Response:
    """Answer that no cache keeps."""
    return Response(msgspec.json.encode(value), status, {"Cache-Control": "no-store"}, JSON)
