"""The embedded model as a child process: started, restarted after a crash, and always stopped.

The child is this module, too. Its standard input carries one line of JSON (what to serve) and then stays open as a
lifeline: its end means that the parent is gone. Its standard output carries one line, `{"port": …}`, when the model
answers; all else goes to standard error.
"""

import asyncio
import contextlib
import json
import logging
import os
import secrets
import sys
import tempfile
import threading
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worktrial.engine.local.catalogue import LOCAL_CONTEXT, LocalFile
from worktrial.errors import SettingError, option
from worktrial.sandbox.child import usual_environment

MAX_RESTARTS = 3

_GRACE_SECONDS = 1.0
_HEALTH_SECONDS = 60.0
_TAIL_BYTES = 2000
# Prompts that were computed before, kept in memory: enough for three roles at full context.
_PROMPT_CACHE_MIB = 1024
_TOPOLOGY = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
_QUOTA = Path("/sys/fs/cgroup/cpu.max")
_log = logging.getLogger(__name__)


class LocalModel:
    """A served model file, for the length of an `async with` block.

    The server runs in a process of its own, so that a native crash does not take the run with it: it comes back
    at the same address with the same key, at most `MAX_RESTARTS` times. It listens on 127.0.0.1 only, and it
    ends with this process, however this process ends.

    Args:
        file: Model to serve; see `resolve`.
        start_seconds: Seconds that loading may take.
    """

    def __init__(self, file: LocalFile, *, start_seconds: float = 120.0) -> None:
        self.model_name = file.name
        self.api_key = secrets.token_urlsafe(24)
        self.restarts = 0
        self._order = {"model": str(file.path.resolve()), "name": file.name, "key": self.api_key, "port": 0}
        self._start_seconds = start_seconds
        self._stack = contextlib.AsyncExitStack()
        self._child: asyncio.subprocess.Process | None = None
        self._log_file = Path()

    @property
    def base_url(self) -> str:
        """Address of the OpenAI-compatible API; the same across restarts."""
        return f"http://127.0.0.1:{self._order['port']}/v1"

    @property
    def pid(self) -> int | None:
        """Process id of the server that runs now."""
        return None if self._child is None else self._child.pid

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
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="worktrial-local-"))
        self._log_file = Path(folder) / "server.log"
        self._stack.push_async_callback(self._end)
        try:
            await self._start()
        except BaseException:
            await self._stack.aclose()
            raise
        keeper = asyncio.create_task(self._keep_alive(), name="embedded model")
        self._stack.callback(keeper.cancel)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

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
        name = f"the embedded model {self.model_name}"
        try:
            async with asyncio.timeout(self._start_seconds):
                # The key travels here, where no process list shows it.
                child.stdin.write(json.dumps(self._order).encode() + b"\n")
                with contextlib.suppress(ConnectionError):
                    await child.stdin.drain()
                ready = await child.stdout.readline()
        except TimeoutError:
            await self._end()
            late = f"was not ready within {self._start_seconds:.0f} s"
            raise SettingError(f"{name} {late}. {self._last_words()}") from None
        if not ready:
            raise SettingError(
                f"{name} did not start (exit code {await child.wait()}). {self._last_words()} Another model can be "
                f"named with {option('base_url')}"
            )
        self._order["port"] = json.loads(ready)["port"]

    async def _keep_alive(self) -> None:
        while self._child is not None:
            code = await self._child.wait()
            said = f"the embedded model ended (exit code {code}). {self._last_words()}"
            if self.restarts >= MAX_RESTARTS:
                _log.error("%s No further restart", said)
                return
            self.restarts += 1
            _log.warning("%s It is restarted, %d of %d", said, self.restarts, MAX_RESTARTS)
            try:
                await self._start()
            except SettingError as e:
                _log.warning("%s", e)

    async def _end(self) -> None:
        child = self._child
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()
        try:
            async with asyncio.timeout(_GRACE_SECONDS):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()

    def _last_words(self) -> str:
        tail = self._log_file.read_bytes()[-_TAIL_BYTES:].decode("utf-8", "replace")
        lines = [line.strip() for line in tail.splitlines() if line.strip()]
        return f"Its last words: {' | '.join(lines[-5:])}." if lines else "It left no message."


def physical_cores() -> int:
    """Physical cores within this process's affinity and container quota; at least 1.

    Two hardware threads of one core only get in each other's way when they multiply matrices. Where the system
    does not tell siblings apart, every processor counts.
    """
    if not sys.platform.startswith("linux"):
        return os.cpu_count() or 1
    cores = set[str]()
    for cpu in os.sched_getaffinity(0):
        try:
            cores.add(Path(_TOPOLOGY.format(cpu)).read_text().strip())
        except OSError:
            cores.add(str(cpu))
    try:
        allowed, period = _QUOTA.read_text().split()
        paid = len(cores) if allowed == "max" else int(allowed) // int(period)
    except (OSError, ValueError):
        paid = len(cores)
    return max(1, min(len(cores), paid))


def main() -> None:
    """Serve, in the child, until the parent is gone."""
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_die_with_parent, daemon=True).start()
    # A private handle: whatever the library prints goes to standard error.
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = _served(order)
    port = int(server.listening_address.rsplit(":", 1)[1])
    # Without the environment's proxies: this is a call to ourselves.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _HEALTH_SECONDS
    while True:
        try:
            opener.open(f"http://127.0.0.1:{port}/health", timeout=5).close()
            break
        except OSError as e:
            if time.monotonic() > until:
                sys.exit(f"the model was loaded, but its server does not answer: {e}")
            time.sleep(0.05)
    report.write(json.dumps({"port": port}) + "\n")
    report.flush()
    threading.Event().wait()


def _die_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


def _served(order: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order["model"]
    params.model_alias = {order["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = order["port"]
    params.api_keys = [order["key"]]
    params.n_ctx = LOCAL_CONTEXT
    # The context is divided by the slots, and on a CPU parallel slots gain nothing.
    params.n_parallel = 1
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = physical_cores()
    params.use_jinja = True
    params.endpoint_slots = False
    params.ui = False
    params.cors_origins = ""
    params.verbosity = -1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
