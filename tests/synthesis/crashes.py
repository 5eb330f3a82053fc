"""Breaking off before any one file operation, as a kill would."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_WRITES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"}
_left: int | None = None


class Killed(BaseException):
    """No handler of the product may catch it, as none would run after a kill."""


def _on_event(event: str, args: tuple[Any, ...]) -> None:
    global _left  # noqa: PLW0603 - an audit hook cannot be taken back, only switched off
    if _left is None:
        return
    if event in _WRITES or (event == "open" and _is_writing(args)):
        if _left == 0:
            raise Killed
        _left -= 1


def _is_writing(args: tuple[Any, ...]) -> bool:
    flags = args[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


_installed = False


@contextmanager
def killed_before(operation: int) -> Iterator[None]:
    """Let the 0-based `operation`-th change of the file system in the block raise `Killed`; all later ones, too."""
    global _left, _installed  # noqa: PLW0603
    if not _installed:
        sys.addaudithook(_on_event)
        _installed = True
    _left = operation
    try:
        yield
    finally:
        _left = None
