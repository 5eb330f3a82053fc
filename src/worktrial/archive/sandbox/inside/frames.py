"""Messages between the session and the process that carries it out: four bytes of length, then JSON."""

from __future__ import annotations

import fcntl
import os

# Importing `typing` would take a tenth of a session's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Ended(Exception):
    """The other side is gone."""


class Line:
    """The connection to the session, on descriptors of its own: 0, 1 and 2 are left to the user's code."""

    def __init__(self) -> None:
        self._in = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 100)
        self._out = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 100)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def announce(self) -> None:
        """Say that calls can come; then load what messages need, which takes as long again as starting did."""
        self._send(b'{"ready": true}')
        import json

        # Kept here, so that code of a call that replaces the library's functions does not replace these.
        self._loads, self._dumps = json.loads, json.dumps

    def read(self) -> dict[str, Any]:
        """The next message, once calls can come.

        Raises:
            Ended: there will be none.
        """
        message: dict[str, Any] = self._loads(self._exactly(int.from_bytes(self._exactly(4), "big")))
        return message

    def write(self, message: dict[str, Any]) -> None:
        """Send a message, once calls can come."""
        self._send(self._dumps(message).encode())

    def _send(self, body: bytes, write: Any = os.write) -> None:
        rest = memoryview(len(body).to_bytes(4, "big") + body)
        while rest:
            rest = rest[write(self._out, rest) :]

    def _exactly(self, size: int, read: Any = os.read) -> bytes:
        parts = []
        while size:
            part = read(self._in, min(size, 1 << 20))
            if not part:
                raise Ended
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
