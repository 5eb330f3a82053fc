"""Text that an agent prints while it works: kept with its sample, out of the way of tables and progress."""

import contextlib
import io
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, TextIO

from worktrial.sandbox.inside.worker import HeadTail

# With the mark where something was left out, no more than 64 KiB.
MOST_PRINTED = (64 << 10) - 128

_into: ContextVar[HeadTail | None] = ContextVar("printed", default=None)
_lock = threading.Lock()
_listening = 0


class _Routed(io.TextIOBase):
    """A standard stream that hands what an agent writes to the agent's sample, and everything else on."""

    def __init__(self, real: TextIO) -> None:
        self.real = real

    def write(self, text: str, /) -> int:
        into = _into.get()
        if into is None:
            return self.real.write(text)
        into.write(text.encode(errors="replace"))
        return len(text)

    def flush(self) -> None:
        self.real.flush()

    def isatty(self) -> bool:
        return _into.get() is None and self.real.isatty()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.real.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.real.encoding

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@contextlib.contextmanager
def captured() -> Iterator[HeadTail]:
    """Place of everything that this task, and threads with its context, write to the standard streams."""
    printed = HeadTail(MOST_PRINTED)
    _install()
    token = _into.set(printed)
    try:
        yield printed
    finally:
        _into.reset(token)
        _uninstall()


@contextlib.contextmanager
def out_loud() -> Iterator[None]:
    """The work of the engine within an agent's: what it says is for whoever watches the run."""
    token = _into.set(None)
    try:
        yield
    finally:
        _into.reset(token)


def _install() -> None:
    global _listening  # noqa: PLW0603 - the streams are the whole process's, too
    with _lock:
        _listening += 1
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if stream is not None and not isinstance(stream, _Routed):
                setattr(sys, name, _Routed(stream))


def _uninstall() -> None:
    global _listening  # noqa: PLW0603
    with _lock:
        _listening -= 1
        if _listening:
            return
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            # Whoever replaced it meanwhile knows why.
            if isinstance(stream, _Routed):
                setattr(sys, name, stream.real)
