"""Standard streams whose reader may go away: a command goes on to its own end, and its exit code stays its own."""

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any

_GONE = {errno.EPIPE, errno.ECONNRESET}


class OutputStream(io.FileIO):
    """Raw standard output or error. What nobody can read any more is dropped.

    The reader is gone where a pipe is closed (`worktrial show RUN | head -1`) or a terminal has hung up.

    Args:
        descriptor: Of the stream; stays open.
        tells: Whether a failure of another kind, such as a full disk, is raised, once. Where errors are told, there
            is nowhere to tell it.
    """

    def __init__(self, descriptor: int, *, tells: bool) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.fault: OSError | None = None
        """Failure that was raised."""
        self._tells = tells
        self._gone = {*_GONE, errno.EIO} if self.isatty() else _GONE
        self._is_over = False

    def write(self, data: Any, /) -> int:
        """Write, or drop what cannot be read any more.

        Raises:
            OSError: it cannot be written though somebody may be reading.
        """
        if not self._is_over:
            try:
                return super().write(data)
            except OSError as e:
                self._is_over = True
                if self._tells and e.errno not in self._gone:
                    self.fault = e
                    raise
        return len(data)


def outlive_readers() -> list[OutputStream]:
    """Make the process's own standard streams such that no command breaks off because nobody reads what it says.

    Characters that they have no sign for become question marks. Streams that somebody has replaced get only that.

    Returns:
        The raw streams.
    """
    made = []
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:  # closed; a file of the run that took its number would hear what is said
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", closefd=False))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        stream.reconfigure(errors="replace")
        if os.name != "posix" or stream is not getattr(sys, f"__{name}__"):
            continue
        raw = OutputStream(stream.fileno(), tells=name == "stdout")
        made.append(raw)
        ours = io.TextIOWrapper(
            raw if isinstance(stream.buffer, io.RawIOBase) else io.BufferedWriter(raw),
            stream.encoding,
            "replace",
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        setattr(sys, name, ours)
    return made
