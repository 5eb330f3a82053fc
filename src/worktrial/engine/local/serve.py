"""The child process that serves a model: `python -m worktrial.engine.local.serve`.

Standard input carries one JSON line (`ServeOrder`) and then stays open as a lifeline: its end means that the parent
is gone. Standard output carries one line of JSON, `{"port": …}`, when the model answers; all else goes to
standard error.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

_PR_SET_PDEATHSIG = 1
_HEALTH_SECONDS = 60.0

# Prompts that were computed before, kept in memory: enough for three roles at full context.
_PROMPT_CACHE_MIB = 1024


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """Model that the parent wants served, and how."""

    model: str
    name: str
    key: str
    n_ctx: int
    threads: int
    port: int
    """0 lets the system choose."""
    parent: int
    """Process id of the parent."""


def main() -> None:
    """Serve until the parent is gone."""
    order = ServeOrder(**json.loads(sys.stdin.buffer.readline()))
    _die_with_parent(order.parent)
    report = _take_stdout()
    server = _start(order)
    port = int(server.listening_address.rsplit(":", 1)[1])
    _wait_until_healthy(port)
    report.write(json.dumps({"port": port}).encode() + b"\n")
    report.flush()
    threading.Event().wait()


def _die_with_parent(parent: int) -> None:
    threading.Thread(target=_watch_lifeline, daemon=True).start()
    if not sys.platform.startswith("linux"):
        return
    # While native code loads the model, the thread above may not get to run; the kernel always does.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _watch_lifeline() -> None:
    while os.read(0, 4096):
        pass
    os._exit(0)


def _take_stdout() -> Any:
    """A private handle on standard output; whatever the library prints goes to standard error."""
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _start(order: ServeOrder) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = order.model
    params.model_alias = {order.name}
    params.hostnames = ["127.0.0.1"]
    params.port = order.port
    params.api_keys = [order.key]
    params.n_ctx = order.n_ctx
    # The context is divided by the slots, and on a CPU parallel slots gain nothing.
    params.n_parallel = 1
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.cpuparams.n_threads = order.threads
    params.cpuparams_batch.n_threads = order.threads
    params.use_jinja = True
    params.endpoint_slots = False
    params.ui = False
    params.cors_origins = ""
    params.verbosity = -1
    return xllamacpp.Server(params)


def _wait_until_healthy(port: int) -> None:
    # Without the environment's proxies: this is a call to ourselves.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + _HEALTH_SECONDS
    while True:
        try:
            with opener.open(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError) as e:
            if time.monotonic() > until:
                sys.exit(f"the model was loaded, but its server does not answer: {e}")
            time.sleep(0.05)


if __name__ == "__main__":
    main()
