"""The child's end of the pipes to whoever started it, and the limits that it sets itself.

A message is four bytes of length, then the body. Nothing of Worktrial is imported: in the sandbox there is none.
"""

from __future__ import annotations

import fcntl
import os
import resource
import sys

# Importing `typing` would take a tenth of a session's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class HungUp(Exception):
    """The other side is gone."""


class Wire:
    """The connection, on descriptors of its own: 0, 1 and 2 are left to whatever else runs here."""

    def __init__(self) -> None:
        self._in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 100)
        self._out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 100)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.close(nothing)

    def announce(self) -> None:
        """Say that calls can come; then load what messages need, which takes as long again as starting did."""
        self.send(b'{"ready": true}')
        import json

        # Kept here, so that code of a call that replaces the library's functions does not replace these.
        self._loads, self._dumps = json.loads, json.dumps

    def read(self) -> dict[str, Any]:
        """Read the next message as JSON, once calls can come.

        Raises:
            HungUp: There will be none.
        """
        message: dict[str, Any] = self._loads(self.receive())
        return message

    def write(self, message: dict[str, Any]) -> None:
        """Send a message as JSON, once calls can come."""
        self.send(self._dumps(message).encode())

    def send(self, body: bytes, write: Any = os.write) -> None:
        """Send a message as it is."""
        rest = memoryview(len(body).to_bytes(4, "big") + body)
        while rest:
            rest = rest[write(self._out, rest) :]

    def receive(self) -> bytes:
        """Wait for the next message.

        Raises:
            HungUp: There will be none.
        """
        return self._exactly(int.from_bytes(self._exactly(4), "big"))

    def _exactly(self, size: int, read: Any = os.read) -> bytes:
        parts = []
        while size:
            part = read(self._in, min(size, 1 << 20))
            if not part:
                raise HungUp
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def limit(kind: int, most: int) -> None:
    """Lower one of this process's limits for good.

    Args:
        kind: One of the constants of `resource`.
        most: The new limit; a lower one that is set already stays.
    """
    hard = resource.getrlimit(kind)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (least, least))


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends. Linux only."""
    if sys.platform == "linux":
        import ctypes
        import signal

        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
