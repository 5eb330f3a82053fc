"""The embedded model as a child process: started, watched, restarted after a crash, and always stopped."""

import asyncio
import contextlib
import dataclasses
import json
import logging
import os
import secrets
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from worktrial.engine.local.catalogue import LOCAL_CONTEXT, LocalFile
from worktrial.engine.local.cores import physical_cores
from worktrial.engine.local.serve import ServeOrder
from worktrial.errors import SettingError, option
from worktrial.sandbox.child import usual_environment

MAX_RESTARTS = 3

_GRACE_SECONDS = 1.0
_TAIL_BYTES = 2000
_log = logging.getLogger(__name__)


class LocalModel:
    """A served model file, for the length of an `async with` block.

    The server runs in a process of its own, so that a native crash does not take the run with it: it comes back
    at the same address with the same key, at most `MAX_RESTARTS` times. It listens on 127.0.0.1 only, and it
    ends with this process, however this process ends.
    """

    def __init__(
        self,
        file: LocalFile,
        *,
        n_ctx: int = LOCAL_CONTEXT,
        threads: int | None = None,
        start_seconds: float = 120.0,
    ) -> None:
        """Prepare the server; it starts with the context.

        Args:
            file: What to serve; see `resolve`.
            n_ctx: Tokens of prompt and answer together.
            threads: Processor threads; None means one per physical core.
            start_seconds: How long loading may take.
        """
        self.model_name = file.name
        self.n_ctx = n_ctx
        self.api_key = secrets.token_urlsafe(24)
        self.restarts = 0
        self._order = ServeOrder(
            model=str(file.path.resolve()),
            name=file.name,
            key=self.api_key,
            n_ctx=n_ctx,
            threads=threads or physical_cores(),
            port=0,
            parent=os.getpid(),
        )
        self._start_seconds = start_seconds
        self._child: asyncio.subprocess.Process | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def base_url(self) -> str:
        """Address of the OpenAI-compatible API; the same across restarts."""
        return f"http://127.0.0.1:{self._order.port}/v1"

    @property
    def pid(self) -> int | None:
        """Process id of the server that runs now."""
        return self._child.pid if self._child is not None else None

    async def __aenter__(self) -> "LocalModel":
        """Start, and wait until the model answers.

        Raises:
            SettingError: the runtime is not installed, or the file cannot be loaded.
        """
        if find_spec("xllamacpp") is None:
            raise SettingError(
                "the embedded model needs the package xllamacpp, which is not installed: pip install "
                "'worktrial[local]'. If there is no wheel for this platform, serve a model with any "
                f"OpenAI-compatible server and name it with {option('base_url')}"
            )
        self._folder = tempfile.TemporaryDirectory(prefix="worktrial-local-")
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        self._keeper = asyncio.create_task(self._keep_alive(), name="embedded model")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        await self._stop()

    async def _start(self) -> None:
        with self._log_file.open("ab") as log:
            child = self._child = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "worktrial.engine.local.serve"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # Spinning threads slow a shared machine down to a crawl; the library reads this when it loads.
                env={**usual_environment("PYTHONPATH", "OMP_NUM_THREADS"), "GOMP_SPINCOUNT": "0"},
                # The terminal's Ctrl-C is for the run, which still finishes the answers under way.
                start_new_session=True,
            )
        assert child.stdin is not None and child.stdout is not None
        try:
            async with asyncio.timeout(self._start_seconds):
                # The key travels here, where no process list shows it.
                child.stdin.write(json.dumps(dataclasses.asdict(self._order)).encode() + b"\n")
                with contextlib.suppress(ConnectionError):
                    await child.stdin.drain()
                ready = await child.stdout.readline()
        except TimeoutError:
            await _end(child)
            raise SettingError(
                f"the embedded model {self.model_name} was not ready within {self._start_seconds:.0f} s. "
                f"{self._last_words()}"
            ) from None
        if not ready:
            code = await child.wait()
            raise SettingError(
                f"the embedded model {self.model_name} did not start (exit code {code}). {self._last_words()} "
                f"Another model can be named with {option('base_url')}"
            )
        self._order = dataclasses.replace(self._order, port=json.loads(ready)["port"])

    async def _keep_alive(self) -> None:
        while self._child is not None:
            code = await self._child.wait()
            if self.restarts >= MAX_RESTARTS:
                _log.error(
                    "the embedded model ended again (exit code %s); no further restart. %s",
                    code,
                    self._last_words(),
                )
                return
            self.restarts += 1
            _log.warning(
                "the embedded model ended (exit code %s) and is restarted, %d of %d. %s",
                code,
                self.restarts,
                MAX_RESTARTS,
                self._last_words(),
            )
            try:
                await self._start()
            except SettingError as e:
                _log.warning("%s", e)

    async def _stop(self) -> None:
        if self._child is not None:
            await _end(self._child)
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def _log_file(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "server.log"

    def _last_words(self) -> str:
        tail = self._log_file.read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace")
        lines = [line.strip() for line in tail.splitlines() if line.strip()]
        return f"Its last words: {' | '.join(lines[-5:])}." if lines else "It left no message."


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.stdin is not None:
        child.stdin.close()
    if child.returncode is None:
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()
