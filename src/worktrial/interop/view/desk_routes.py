"""The desk over HTTP: its page, and what a person does there."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from worktrial.interop.serve import bodies
from worktrial.interop.serve.routes import route
from worktrial.interop.view.desk import HumanDesk
from worktrial.interop.view.label_routes import json_answer, json_body
from worktrial.reports.page import PageFrame, render_page
from worktrial.reports.report import Report
from worktrial.reports.viewer.pages import of_suites

DESK = "desk.html"
"""Address of the page."""

_SCRIPTS = (
    "libraries.js",
    "viewer-data.js",
    "viewer-dom.js",
    "viewer-json.js",
    "viewer-markdown.js",
    "viewer-call.js",
    "viewer-work.js",
    "viewer-verdict.js",
    "desk-form.js",
    "desk-result.js",
    "desk.js",
)
_BODY = Markup("""<h1 id="heading" tabindex="-1">Desk</h1>
<noscript><p class="warning">The desk needs scripts: allow them for this page. Without them nothing is asked and
nothing is lost; an agent that is a program can do the same work over <code>worktrial serve</code>.</p></noscript>
<p id="status" class="status" role="status"></p>
<div id="viewer"></div>""")


class NoteRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Notes of the person, all of them."""

    text: str


class NothingMore(msgspec.Struct, forbid_unknown_fields=True):
    """Body of a request that says all by its address."""


def with_desk(frame: PageFrame) -> PageFrame:
    """`frame` of pages among which the desk is the first."""
    return replace(frame, pages=((DESK, "Desk"), *frame.pages))


def desk_page(report: Report, frame: PageFrame) -> str:
    """The page; see `render_page`."""
    styles = ("viewer.css", "labels.css", "desk.css")
    scripts = (*_SCRIPTS, *of_suites())
    return render_page("Desk", _BODY, scripts=scripts, styles=styles, current=DESK, report=report, frame=frame)


def desk_routes(desk: HumanDesk) -> list[Route]:
    """Routes below `desk/`; each answers with the desk as it then is."""

    async def shown(request: Request) -> Response:
        return json_answer(desk.position())

    def does(kind: Any, work: Callable[[Any], Awaitable[None] | None]) -> Callable[[Request], Awaitable[Response]]:
        async def done(request: Request) -> Response:
            asked = bodies.read(kind, await json_body(request))
            if (waits := work(asked)) is not None:
                # Whoever asked may go away; what was asked for is carried out.
                await asyncio.shield(asyncio.ensure_future(waits))
            return json_answer(desk.position())

        return done

    async def left(request: Request) -> Response:
        bodies.read(NothingMore, await json_body(request))
        answer = json_answer(desk.position())
        # Not before the page has its answer.
        answer.background = BackgroundTask(_leave, desk)
        return answer

    return [
        route("/desk/state", GET=shown),
        route("/desk/open", POST=does(NothingMore, lambda asked: desk.open())),
        route("/desk/calls", POST=does(bodies.CallRequest, lambda asked: desk.call(asked.tool, asked.arguments))),
        route("/desk/finish", POST=does(bodies.FinishRequest, lambda asked: desk.finish(asked.answer))),
        route("/desk/give-up", POST=does(NothingMore, lambda asked: desk.give_up())),
        route("/desk/pause", POST=does(NothingMore, lambda asked: desk.pause())),
        route("/desk/resume", POST=does(NothingMore, lambda asked: desk.resume())),
        route("/desk/notes", POST=does(NoteRequest, lambda asked: desk.note(asked.text))),
        route("/desk/leave", POST=left),
    ]


async def _leave(desk: HumanDesk) -> None:
    desk.leave()
