"""Showing how a build is going: a live line on a terminal, plain lines elsewhere. All on standard error."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from worktrial.archive import BuildEvent, DocumentRecord
from worktrial.engine.notices import say

_PLAIN_SECONDS = 10.0


@contextmanager
def display() -> Iterator[Callable[[BuildEvent], None]]:
    """Show the build's events: a bar on a terminal, else lines."""
    if not sys.stderr.isatty():
        yield _Plain().tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    from worktrial.terminal import SafeConsole

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=SafeConsole(stderr=True), transient=True) as bars:
        yield _Live(bars).tell


def outcome_line(record: DocumentRecord) -> str:
    """A finished document in one line."""
    if not record.readable:
        return f"{record.name}: left out: {record.trouble}"
    told = [f"{record.pages} pages", f"{record.tables} tables"]
    if record.failed:
        told.append(f"{len(record.failed)} pages failed ({record.failed[0].what})")
    elif record.routes.get("blank", 0) == record.pages:
        told.append("every page is blank: the copy is damaged or empty")
    return f"{record.name}: {', '.join(told)}"


class _Plain:
    def __init__(self) -> None:
        self._last = time.monotonic()
        self._pages = 0
        self._total = 0

    def tell(self, event: BuildEvent) -> None:
        """One event."""
        if event.kind == "plan":
            kept = f", {event.kept} of them stored already" if event.kept else ""
            say(f"{event.documents} documents{kept}", err=True)
        elif event.kind == "document":
            self._total += event.pages
            self._pages += event.kept
            if event.kept:
                say(f"{event.document}: {event.kept} of {event.pages} pages kept", err=True)
        elif event.kind == "page":
            self._pages += 1
            if time.monotonic() - self._last >= _PLAIN_SECONDS:
                self._last = time.monotonic()
                say(f"{self._pages} of {self._total} pages of the documents opened so far", err=True)
        elif event.record is not None:
            say(outcome_line(event.record), err=True)
        elif event.kind == "step":
            say(f"making the {event.what}", err=True)
        elif event.kind == "notice":
            say(event.what, err=True)


class _Live:
    def __init__(self, bars: "object") -> None:
        from typing import cast

        from rich.progress import Progress as Bars
        from rich.progress import TaskID

        self._bars = cast(Bars, bars)
        self._whole: TaskID | None = None
        self._of: dict[str, TaskID] = {}

    def tell(self, event: BuildEvent) -> None:
        """One event."""
        from rich.text import Text

        if event.kind == "plan":
            self._whole = self._bars.add_task("documents", total=event.documents, completed=event.kept)
        elif event.kind == "document":
            name = event.document if len(event.document) <= 40 else event.document[:39] + "…"
            self._of[event.document] = self._bars.add_task(name, total=event.pages, completed=event.kept)
        elif event.kind == "page":
            if event.document in self._of:
                self._bars.advance(self._of[event.document])
        elif event.record is not None:
            if self._whole is not None:
                self._bars.advance(self._whole)
            if event.record.name in self._of:
                self._bars.remove_task(self._of.pop(event.record.name))
            self._bars.console.print(Text(outcome_line(event.record)), soft_wrap=True)
        elif event.kind == "step":
            self._bars.add_task(f"making the {event.what}", total=None)
        elif event.kind == "notice":
            self._bars.console.print(Text(event.what), soft_wrap=True)
