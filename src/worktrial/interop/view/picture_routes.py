"""Pictures of pages over HTTP: which a sample's calls are about, and each of them when somebody unfolds it."""

from collections.abc import Mapping, Sequence

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from worktrial.engine.record import CLEAN
from worktrial.interop.serve.routes import route
from worktrial.interop.view.label_routes import json_answer
from worktrial.interop.view.library import RunLibrary
from worktrial.suite import PagePicture

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class PictureList(msgspec.Struct):
    """Pictures that belong to a sample."""

    calls: Mapping[int, Sequence[PagePicture]]
    """Index of a call to the pages that it was about; -1 stands for the answer."""


def picture_routes(library: RunLibrary) -> list[Route]:
    """Routes of `pictures?run=NAME&sample=…&repeat=…&condition=…` and `picture?run=NAME&name=…`."""

    async def listed(request: Request) -> Response:
        asked = request.query_params
        repeat = asked.get("repeat") or "0"
        if not repeat.isascii() or not repeat.isdigit() or len(repeat) > 9:
            raise KeyError(repeat)
        key = (asked.get("sample", ""), int(repeat), asked.get("condition") or CLEAN)
        return json_answer(PictureList(await run_in_threadpool(library.pictures, asked.get("run", ""), key)))

    async def drawn(request: Request) -> Response:
        asked = request.query_params
        content = await run_in_threadpool(library.picture, asked.get("run", ""), asked.get("name", ""))
        return Response(content, headers=_HEADERS, media_type="image/png")

    return [route("/pictures", GET=listed), route("/picture", GET=drawn)]
