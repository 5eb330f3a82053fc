"""The viewer behind a port of this machine, until somebody stops it."""

import secrets
from collections.abc import Callable

from worktrial.engine.interruption import cancelled_by_signals
from worktrial.interop.serve.guard import LOOPBACK, Guard
from worktrial.interop.serve.server import answering, bound, server_of
from worktrial.interop.view.app import ViewerApp
from worktrial.interop.view.library import RunLibrary


async def view(library: RunLibrary, port: int, *, ready: Callable[[str], None]) -> None:
    """Serve the viewer on the loopback until a signal, or cancellation, ends it.

    Args:
        library: Runs to show.
        port: Port to listen on; 0 takes a free one.
        ready: Told the address, its secret included, when requests are answered.

    Raises:
        SettingError: the port cannot be used.
    """
    token = secrets.token_urlsafe(18)
    with bound("127.0.0.1", port) as at:
        # The secret is in the address; who comes from another page, or by another name, is refused all the same.
        app = ViewerApp(library, token)
        server = server_of(Guard(app, None, LOOPBACK))

        def stop(*_: object) -> None:
            app.stopping.set()
            server.should_exit = True

        with cancelled_by_signals(stop):
            async with answering(server, at) as up:
                ready(f"http://127.0.0.1:{at.getsockname()[1]}/{token}/")
                await up
