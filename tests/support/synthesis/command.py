"""`worktrial synthesize` as a process of its own."""

import subprocess
import time

from tests.support.cli import Ran, Word, start
from tests.support.scripted_server import ScriptedServer

_PATIENCE = 100.0  # seconds for a session


def until(child: "subprocess.Popen[str]", server: ScriptedServer, requests: int) -> None:
    """Wait until the server has seen so many requests in all, or the process has ended."""
    deadline = time.monotonic() + _PATIENCE
    while child.poll() is None and server.count() < requests:
        assert time.monotonic() < deadline, "the session makes no progress"
        time.sleep(0.002)


def ended(child: "subprocess.Popen[str]") -> Ran:
    """What a process said that has ended, or will."""
    out, err = child.communicate(timeout=_PATIENCE)
    return Ran(child.returncode, out, err)


def began(*after: Word) -> "subprocess.Popen[str]":
    """A process that was started with these words after `worktrial`."""
    return start(*after)
