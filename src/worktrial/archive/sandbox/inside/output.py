"""What a call writes, bounded."""

from __future__ import annotations

import io
import os

# Importing `typing` would take a tenth of a session's start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def cut(text: str, most: int) -> tuple[str, bool]:
    """A text of at most about `most` characters, its beginning and its end; and whether something was left out."""
    if len(text) <= most:
        return text, False
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}", True


class HeadTail(io.RawIOBase):
    """A file that keeps only the beginning and the end of what is written to it.

    Args:
        most: bytes kept.
    """

    def __init__(self, most: int) -> None:
        self._half = most // 2
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._head = bytearray()
        self._tail = bytearray()
        self._written = 0

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; all of them count as written."""
        with memoryview(data) as view, view.cast("B") as content:
            size = len(content)
            self._written += size
            room = self._half - len(self._head)
            self._head += content[: max(room, 0)]
            self._tail += content[max(room, 0) :][-self._half :]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]
        return size

    @property
    def truncated(self) -> bool:
        """Whether something was left out."""
        return self._written > 2 * self._half

    def text(self) -> str:
        """What was kept, with a mark where something is missing."""
        tail = self._tail[-self._half :]
        if not self.truncated:
            return (self._head + tail).decode("utf-8", "replace")
        missing = f"\n[… {self._written - len(self._head) - len(tail):,} bytes of output left out …]\n"
        # A character may have been cut in two at either end.
        return self._head.decode("utf-8", "ignore") + missing + tail.decode("utf-8", "ignore")


class Overheard:
    """What is written to the file descriptors 1 and 2 past Python's own streams."""

    def __init__(self) -> None:
        self._fd = os.open(".descriptors", os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        os.unlink(".descriptors")  # noqa: PTH108 - importing pathlib would slow the start down
        os.dup2(self._fd, 1)
        os.dup2(self._fd, 2)

    def drain_into(self, output: HeadTail) -> None:
        """Hand over what has been written since the last time."""
        size = os.fstat(self._fd).st_size
        at = 0
        while at < size:
            chunk = os.pread(self._fd, 1 << 20, at)
            if not chunk:
                break
            output.write(chunk)
            at += len(chunk)
        if size:
            os.ftruncate(self._fd, 0)
