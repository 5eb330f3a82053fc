"""A process apart from the one that a client started, and may end before there is a verdict."""

import contextlib
import os
import signal
import sys
from types import FrameType

from worktrial.engine.ending import ending_signals


def outlive_signals() -> None:
    """Go on in a process and a session of its own; the one that was there waits for it, and ends as it does.

    Clients of MCP close the input of a server that they need no longer, and soon after end its whole process group.
    A verdict may take longer than that. Signals that end a program are handed on; for anything else that ends the
    process that waits, the end of input tells the one that works. Does nothing where processes cannot be split.
    """
    if not hasattr(os, "fork"):
        return
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        return

    def hand_on(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in ending_signals():
        signal.signal(number, hand_on)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    # Nothing that is to be done at the end of a process is this one's.
    os._exit(code if code >= 0 else 128 - code)
