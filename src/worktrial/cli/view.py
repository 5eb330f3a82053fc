"""`worktrial view [RUN…]`: running and finished work in a browser."""

from pathlib import Path
from typing import Annotated

import typer

from worktrial.cli.places import run_at
from worktrial.engine.notices import say


def view(
    places: Annotated[
        list[Path] | None,
        run_at("Folders or addresses of runs, or folders that hold some. Default: runs.", "[RUN|FOLDER...]"),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on; 0 takes a free one.", min=0, max=65535)
    ] = 0,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    title: Annotated[str, typer.Option(help="Heading of the pages.")] = "Work trials",
) -> None:
    """Look at runs in a browser, running or finished: a local web app, for this machine alone.

    The address that it prints holds a secret: whoever has it can read the runs. Ctrl-C ends it.

    Example: worktrial view runs --open
    """
    from worktrial.errors import DataError, extra

    with extra("view", "Viewing"):
        import starlette as _  # noqa: F401 - what the pages are answered with
        import uvicorn  # noqa: F401
    import asyncio

    from worktrial.interop.view.library import RunLibrary
    from worktrial.interop.view.server import view as served

    chosen = places or [Path("runs")]
    for place in chosen:
        if not place.is_dir():
            raise DataError(place, "no such folder", "Name folders that `worktrial run -o` wrote")

    def ready(address: str) -> None:
        say(address)
        if open_browser:
            typer.launch(address)

    asyncio.run(served(RunLibrary(chosen, title), port, ready=ready))
