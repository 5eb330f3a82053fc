"""A scripted OpenAI-compatible server over real HTTP: the only stand-in that tests and benchmarks use.

In a test, `with ScriptedServer(Script(...)) as server:` serves at `server.url` from a thread of the test
process. As a process, `python -m tests.support.scripted_server --help` tells the options; its first line
on stdout is its base URL.
"""

import asyncio
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from tests.support.batches import Batches
from tests.support.request import Role, ScriptedRequest
from tests.support.script import Script
from tests.support.service import Service

__all__ = ["Role", "Script", "ScriptedRequest", "ScriptedServer"]

_PATIENCE = 10.0  # seconds for the thread to start or to end


class ScriptedServer:
    """The server in a thread of this process, on a free port of 127.0.0.1.

    Leaving the `with` block stops it, and raises what a step of the script raised meanwhile.
    """

    def __init__(self, script: Script | None = None, *, keep_requests: bool = True, port: int = 0) -> None:
        self._service = Service(script or Script(), keep_requests=keep_requests)
        self._port = port
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._end: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)

    @property
    def url(self) -> str:
        """The base URL for a client, such as `http://127.0.0.1:40123/v1`."""
        return self._service.url

    @property
    def requests(self) -> list[ScriptedRequest]:
        """Chat requests in order of arrival."""
        return self._service.requests

    @property
    def batches(self) -> Batches:
        """What was submitted to the batch interfaces."""
        return self._service.batches

    @property
    def refused(self) -> list[str]:
        """Why requests were refused that broke a rule of their wire."""
        return self._service.refused

    def of(self, role: Role | str) -> list[ScriptedRequest]:
        """The requests of one role, in order of arrival."""
        return [r for r in self.requests if r.role == role]

    def count(self, role: Role | str | None = None) -> int:
        """How many requests came, of one role or in all."""
        return len(self.requests) if role is None else len(self.of(role))

    def stats(self) -> dict[str, Any]:
        """The same numbers as `GET /stats`."""
        return self._service.counters.snapshot()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._started.wait(_PATIENCE):
            raise TimeoutError("the scripted server did not start")
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._thread.join(_PATIENCE)
        if self._thread.is_alive():
            raise TimeoutError("the scripted server did not stop")
        if error is None and self._service.trouble:
            raise self._service.trouble[0]

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as e:  # noqa: BLE001 - raised again in the thread that waits for the start
            self._failure = e
            self._started.set()

    async def _serve(self) -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        self._end = lambda: loop.call_soon_threadsafe(ended.set)
        await self._service.start(self._port)
        self._started.set()
        await ended.wait()
        await self._service.stop()


if __name__ == "__main__":
    from tests.support.command import main

    main()
