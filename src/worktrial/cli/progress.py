"""Showing how long work is going, on standard error: bars on a terminal, lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worktrial.language.untrusted import printable
from worktrial.terminal import SafeConsole

if TYPE_CHECKING:
    from rich.progress import Progress

_LONGEST = 40
"""Characters of the name of what is worked on."""


@contextmanager
def bars(*, sizes: bool = False) -> "Iterator[Progress | None]":
    """Bars on a terminal; None elsewhere.

    Args:
        sizes: Whether bytes are counted, rather than things.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress as rich

    name = rich.TextColumn("{task.description}", markup=False)
    counts = (rich.DownloadColumn(), rich.TransferSpeedColumn()) if sizes else (rich.MofNCompleteColumn(),)
    columns = (name, rich.BarColumn(), *counts, rich.TimeElapsedColumn())
    with rich.Progress(*columns, console=SafeConsole(stderr=True), transient=True) as shown:
        yield shown


@contextmanager
def counting(total: int, *, what: str, sizes: bool = False) -> "Iterator[Callable[[str, int], None] | None]":
    """Function that is told what is worked on, and how much more is done; None where nobody sees a bar.

    Args:
        total: How much there is.
        what: What is worked on first.
        sizes: Whether bytes are counted, rather than things.
    """
    with bars(sizes=sizes) as shown:
        if shown is None:
            yield None
            return
        task = shown.add_task(what, total=total)
        yield lambda name, more: shown.update(task, description=printable(name)[:_LONGEST], advance=more)
