"""The scripted server in its own process, for tests and benchmarks that must not share a core with it."""

import json
import select
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_ROOT = Path(__file__).parents[2]
_PATIENCE = 120.0  # seconds for the process to start or to end


class ScriptedProcess:
    """Starts `python -m tests.support.scripted_server` and stops it; it also ends when this process dies.

    Args:
        latency_ms: Milliseconds before every reply.
        tool_calls: Tool results that an agent collects before it answers.
        script: Steps such as `judge:prose` or `agent:Status(429, times=120)`.
        options: Further options as `--help` shows them.
    """

    def __init__(
        self,
        *,
        latency_ms: float = 0.0,
        tool_calls: int = 2,
        script: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> None:
        self._command = [sys.executable, "-m", "tests.support.scripted_server", "--until-stdin-closes"]
        self._command += ["--latency-ms", str(latency_ms), "--tool-calls", str(tool_calls), *options]
        if script:
            self._command += ["--script", *script]
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        # A proxy from the environment must not stand between us and 127.0.0.1.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("the scripted server is not running")
        return self._process.pid

    def stats(self) -> dict[str, Any]:
        """The server's counters."""
        return self._ask("/stats")

    def reset_stats(self) -> dict[str, Any]:
        """Set the server's counters back to nothing."""
        return self._ask("/stats/reset", b"")

    def __enter__(self) -> Self:
        process = subprocess.Popen(self._command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._process = process
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], _PATIENCE)
        self.url = process.stdout.readline().decode().strip() if ready else ""
        if not self.url:
            self._stop()
            raise RuntimeError(f"the scripted server did not start: {' '.join(self._command)}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        code = self._stop()
        if error is None and code != 0:
            raise RuntimeError(f"the scripted server ended with exit code {code}; stderr tells why")

    def _stop(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        return process.returncode

    def _ask(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        request = urllib.request.Request(self.url.removesuffix("/v1") + path, data=body)
        with self._opener.open(request, timeout=_PATIENCE) as response:
            numbers: dict[str, Any] = json.load(response)
            return numbers
