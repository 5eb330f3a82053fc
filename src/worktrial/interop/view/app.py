"""Answers of the viewer: pages, their assets and their data, all below an address that is a secret."""

import asyncio
import hashlib
import hmac
import threading
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from worktrial.errors import DataError
from worktrial.interop.view.desk import HumanDesk
from worktrial.interop.view.desk_routes import DESK, desk_page, desk_routes, with_desk
from worktrial.interop.view.label_routes import label_routes
from worktrial.interop.view.labels_page import LABELS, labels_page
from worktrial.interop.view.library import RunLibrary
from worktrial.interop.view.picture_routes import picture_routes
from worktrial.interop.view.stop_route import stop_route
from worktrial.reports.links import HOME, SAMPLES, TASKS, TRAJECTORY, section_page
from worktrial.reports.live_page import live_page
from worktrial.reports.page import POLICY, PageFrame, render_page
from worktrial.reports.report import Report
from worktrial.reports.sections import first_screen, sections
from worktrial.reports.shelf_page import shelf_page
from worktrial.reports.site import render_index, render_sections
from worktrial.reports.viewer.pages import PAGES, assets, viewer_page

REPORT = "report.html"
"""Page that compares runs."""

LIVE = "live.html"
"""Page that follows one run."""

_SECONDS = 1.0  # between looks at the runs that somebody watches
_SEARCHES = 5  # looks after which new runs are looked for, too

_FRAME = PageFrame(
    pages=((HOME, "Runs"), (REPORT, "Overview"), (TASKS, "Tasks"), (SAMPLES, "Samples"), (LABELS, "Labels")),
    policy=POLICY.replace("form-action 'none'", "form-action 'self'; connect-src 'self'"),
    more={TRAJECTORY: ("labels.css", "labels.js", "pictures.js")},
)
_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
# What is shown here is nobody else's, and a run may grow at any time.
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}


class ViewerApp:
    """The viewer's application.

    Args:
        library: Runs to show.
        token: Secret that every address begins with.
        desk: Desk of a person who works on one of the runs; None without one.
    """

    def __init__(self, library: RunLibrary, token: str, *, desk: HumanDesk | None = None) -> None:
        self._library = library
        self._token = token.encode()
        self._frame = _FRAME if desk is None else with_desk(_FRAME)
        self._assets = dict(assets())
        self._reports: dict[tuple[object, ...], dict[str, str]] = {}
        self._making = threading.Lock()
        self.stopping = threading.Event()
        """Set when the server is about to end, which no watcher may hold up."""
        inside = [
            Route("/", self._home),
            Route(f"/{HOME}", self._home),
            Route(f"/{REPORT}", self._report),
            Route(f"/{LIVE}", self._live),
            Route("/events", self._events),
            Route("/assets/{name}", self._asset),
            Route("/data/{name:path}.js", self._data),
            Route(f"/{section_page('{section}')}", self._section),
            *(Route(f"/{page}", self._page(page)) for page in PAGES),
            Route(f"/{LABELS}", self._labels),
            *label_routes(library),
            *picture_routes(library),
            stop_route(library),
            *([] if desk is None else [Route(f"/{DESK}", self._desk), *desk_routes(desk)]),
        ]
        self._app = Starlette(
            routes=[Mount("/{token}", routes=inside)],
            exception_handlers={DataError: _damaged, KeyError: _missing},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; whoever does not know the address learns nothing."""
        app: ASGIApp = self._app
        if scope["type"] == "http":
            first = scope["path"].lstrip("/").partition("/")[0]
            if not hmac.compare_digest(first.encode(), self._token):
                app = PlainTextResponse("Not found: open the whole address that `worktrial view` printed.\n", 404)
            elif scope["path"] == f"/{first}":
                app = RedirectResponse(f"/{first}/")
        await app(scope, receive, send)

    def _home(self, request: Request) -> Response:
        # First: what changes while the page is made shows up at the next look.
        state = self._state(search=True)
        runs = self._library.runs(search=False)
        body = shelf_page(runs, self._library.names(runs.items()), REPORT, LIVE, datetime.now(UTC))
        return _html(self._followed(self._library.title, body, HOME, state))

    def _live(self, request: Request) -> Response:
        slug = request.query_params.get("run", "")
        state = self._state(search=True, of=slug)
        runs = self._library.runs(search=False)
        run = runs[slug]
        name = self._library.names(runs.items())[slug]
        return _html(self._followed(name, live_page(slug, name, run, datetime.now(UTC)), LIVE, state))

    def _followed(self, title: str, body: Markup, current: str, state: str) -> str:
        """A page that its script reads anew when the runs change."""
        live = Markup('<div id="live" data-state="{}">\n{}\n</div>').format(state, body)
        styles, scripts = ("viewer.css",), ("live.js",)
        return render_page(
            title, live, scripts=scripts, styles=styles, current=current, report=self._empty, frame=self._frame
        )

    def _state(self, *, search: bool, of: str = "") -> str:
        """Text that changes whenever a run does; with `of`, what that one has in flight, too."""
        runs, now = self._library.runs(search=search), datetime.now(UTC)
        stamps = repr([(slug, run.stamp, run.problem, run.state(now)) for slug, run in runs.items()])
        if of in runs:
            stamps += repr(runs[of].heartbeat())
        return hashlib.sha256(stamps.encode()).hexdigest()[:16]

    async def _events(self, request: Request) -> Response:
        of = request.query_params.get("run", "")

        async def told() -> AsyncIterator[str]:
            known, looks = "", 0
            while not self.stopping.is_set():
                state = await run_in_threadpool(self._state, search=looks % _SEARCHES == 0, of=of)
                # Something is said at each look: so the end of who watches is noticed.
                yield f"data: {state}\n\n" if state != known else ": still here\n\n"
                known, looks = state, looks + 1
                await asyncio.sleep(_SECONDS)

        return StreamingResponse(told(), headers=_HEADERS, media_type="text/event-stream")

    def _report(self, request: Request) -> Response:
        return _html(self._pages(tuple(request.query_params.getlist("run")))[REPORT])

    def _section(self, request: Request) -> Response:
        chosen = tuple(request.query_params.getlist("run"))
        return _html(self._pages(chosen)[section_page(request.path_params["section"])])

    def _pages(self, slugs: tuple[str, ...]) -> dict[str, str]:
        """Pages of the report about some runs, by their names."""
        # One after the other: a second reader of the same runs need not reckon them again.
        with self._making:
            runs = self._library.runs()
            state = (slugs, *((slug, run.stamp) for slug, run in runs.items() if not slugs or slug in slugs))
            if state not in self._reports:
                self._reports = {state: _pages_of(self._library.report(slugs), self._frame)}
            return self._reports[state]

    def _labels(self, request: Request) -> Response:
        page = render_page(
            "Labels",
            labels_page(self._library),
            scripts=(),
            styles=("viewer.css",),
            current=LABELS,
            report=self._empty,
            frame=self._frame,
        )
        return _html(page)

    def _desk(self, request: Request) -> Response:
        return _html(desk_page(self._empty, self._frame))

    def _page(self, page: str) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            return _html(viewer_page(page, self._empty, self._frame))

        return answer

    def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        return Response(self._assets[name], headers=_HEADERS, media_type=_TYPES[name.rpartition(".")[2]])

    def _data(self, request: Request) -> Response:
        content = self._library.data(request.path_params["name"])
        return Response(content, headers=_HEADERS, media_type=_TYPES["js"])

    @property
    def _empty(self) -> Report:
        return Report(self._library.title, ())


def _pages_of(report: Report, frame: PageFrame) -> dict[str, str]:
    parts = list(sections(report))
    index = render_index(report, first_screen(report), parts, None, current=REPORT, frame=frame)
    return {REPORT: index, **dict(render_sections(report, parts, home=REPORT, frame=frame))}


def _html(page: str) -> Response:
    return Response(page, headers=_HEADERS, media_type="text/html")


def _missing(request: Request, error: Exception) -> Response:
    return PlainTextResponse("There is no such page or file.\n", 404, _HEADERS)


def _damaged(request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{error}\n", 409, _HEADERS)
