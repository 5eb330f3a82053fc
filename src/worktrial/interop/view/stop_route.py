"""Ending a run from its page, as Ctrl-C would where it runs."""

from datetime import UTC, datetime
from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from worktrial.engine.heartbeat import STOP, ask_to_stop
from worktrial.interop.serve.guard import refusal
from worktrial.interop.serve.routes import route
from worktrial.interop.view.label_routes import json_body
from worktrial.interop.view.library import RunLibrary


def stop_route(library: RunLibrary) -> Route:
    """Route of `POST stop?run=NAME`; its body is JSON, so that no form of another page can send it."""

    async def stopped(request: Request) -> Response:
        await json_body(request)
        return await run_in_threadpool(stop, request.query_params.get("run", ""))

    def stop(slug: str) -> Response:
        run = library.run(slug)
        beat = run.heartbeat()
        if beat is None or not beat.is_alive(datetime.now(UTC)):
            return refusal(HTTPStatus.CONFLICT, "nobody works on this run: it has no sign of life")
        try:
            ask_to_stop(run.folder)
        except OSError as e:
            return refusal(HTTPStatus.CONFLICT, f"the run's folder cannot be written: {e.strerror}")
        return Response(status_code=HTTPStatus.ACCEPTED)

    return route(f"/{STOP}", POST=stopped)
