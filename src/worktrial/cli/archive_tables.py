"""Views of an archive for the terminal: how its build is going, and tables about what is in it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich import box
from rich.table import Table
from rich.text import Text

from worktrial.archive import Archive, BuildEvent, BuildReport, DocumentRecord, Hit, Route
from worktrial.cli.progress import bars
from worktrial.cli.tables import show_table
from worktrial.engine.notices import say
from worktrial.places import shown_place
from worktrial.results.writing import Value
from worktrial.terminal import SafeConsole

_MOST_LINES = 20
_PLAIN_SECONDS = 10.0


@contextmanager
def building() -> Iterator[Callable[[BuildEvent], None]]:
    """Function that shows the events of an archive's build: a bar of pages on a terminal, and lines everywhere."""
    with bars() as shown:
        bar = None if shown is None else shown.add_task("pages", total=0)
        last, pages, total = time.monotonic(), 0, 0

        def line(text: str) -> None:
            if shown is None:
                say(text, err=True)
            else:
                shown.console.print(Text(text), soft_wrap=True)

        def tell(event: BuildEvent) -> None:
            nonlocal last, pages, total
            if event.kind == "plan":
                line(f"{event.documents} documents" + (f", {event.kept} of them stored already" * bool(event.kept)))
            elif event.kind == "document":
                total, pages = total + event.pages, pages + event.kept
                if event.kept:
                    line(f"{event.document}: {event.kept} of {event.pages} pages kept")
            elif event.kind == "page":
                pages += 1
                if shown is None and time.monotonic() - last >= _PLAIN_SECONDS:
                    last = time.monotonic()
                    line(f"{pages} of {total} pages of the documents opened so far")
            elif event.record is not None:
                line(_outcome(event.record))
            elif event.what:
                line(f"making the {event.what}" if event.kind == "step" else event.what)
            if shown is not None and bar is not None:
                shown.update(bar, total=total, completed=pages)

        yield tell


def _outcome(record: DocumentRecord) -> str:
    """A finished document in one line."""
    if not record.readable:
        return f"{record.name}: left out: {record.trouble}"
    told = [f"{record.pages} pages", f"{record.tables} tables"]
    if record.failed:
        told.append(f"{len(record.failed)} pages failed ({record.failed[0].what})")
    elif record.routes.get("blank", 0) == record.pages:
        told.append("every page is blank: the copy is damaged or empty")
    return f"{record.name}: {', '.join(told)}"


def print_report(report: BuildReport) -> None:
    """Print the outcome of a build in a few lines."""
    readable = [record for record in report.documents if record.readable]
    pages, tables = sum(r.pages for r in readable), sum(r.tables for r in readable)
    said = f"{len(readable)} of {len(report.documents)} documents, {pages:,} pages ({_routes(readable)})"
    say(f"{said}, {tables:,} tables -> {shown_place(report.folder)} in {report.seconds:.1f} s")
    if report.kept:
        say(f"{report.kept} documents were stored already and unchanged")
    for record in report.documents:
        if not record.readable:
            say(f"left out: {record.name}: {record.trouble}")
    if failed := sum(len(record.failed) for record in readable):
        say(f"{failed:,} pages failed; which and why: worktrial archive inspect ARCHIVE DOCUMENT")


def print_documents(archive: Archive) -> None:
    """One line a document."""
    # Narrow: a figure must not be folded on a terminal of 80 columns.
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    for name in ("document", "pages"):
        table.add_column(name, overflow="fold")
    for figure in ("tables", "cells", "low", "sure", "sums\nhold"):
        table.add_column(figure, justify="right", no_wrap=True, vertical="bottom")
    for record in archive.documents:
        if record.readable:
            counts = (record.tables, record.cells, record.doubtful_cells)
            shares = (_sure(record.confidence, record.routes), _share(record))
            table.add_row(record.name, _routes([record]), *map(_count, counts), *shares)
    SafeConsole().print(table)
    for record in archive.documents:
        for note in _notes(record):
            say(f"{record.name}: {note}")


def print_document(archive: Archive, name: str) -> None:
    """A document's facts, and every page about which there is something to say."""
    record = archive.document(name)
    facts = {
        "source": record.source,
        "issue": record.issue or "not known",
        "pages": f"{record.pages} ({_routes([record])})",
        "tables": f"{record.tables} with {record.cells:,} cells, {record.doubtful_cells:,} of low confidence",
        "confidence": _sure(record.confidence, record.routes) or "nothing was recognised",
        "sums": f"{record.footing.held:,} of {record.footing.checked:,} hold",
        "read in": f"{record.seconds:.1f} s",
        **({"trouble": record.trouble} if record.trouble else {}),
    }
    for label, fact in facts.items():
        say(f"{label:<11} {fact}")
    for title in ("failed", "doubtful"):
        for pages, what in _grouped(record, failed=title == "failed"):
            say(f"{title} pages {pages}: {what}")
    if record.irregular:
        say(_irregular(record))
    with archive.connection() as connection:
        rows = connection.execute(
            "SELECT p.page, p.route, p.confidence, p.layout, "
            "coalesce(string_agg(t.rows || ' x ' || t.columns || ' ' || t.title, chr(10) ORDER BY t.table_no), '') "
            "FROM pages p LEFT JOIN tables t USING (document, page) WHERE document = ? "
            "GROUP BY ALL ORDER BY p.page",
            [name],
        ).fetchall()
    shown = [
        (
            Value(str(page), page),
            route,
            _sure(confidence, {route: 1}),
            None if layout is None else Value(f"{layout:.2f}", layout),
            titles,
        )
        for page, route, confidence, layout, titles in rows
    ]
    show_table("", ("page", "route", "confidence", "layout", "tables"), shown)


def _sure(confidence: float | None, routes: Mapping[str, int]) -> str:
    """The confidence of recognition; nothing where nothing was recognised, and none of it is in doubt."""
    told = confidence is not None and (0 < confidence < 1 or Route.OCR in routes)
    return f"{confidence:.3f}" if told else ""


def print_hits(hits: Sequence[Hit]) -> None:
    """One hit in two lines: where, and the line that matches best."""
    console = SafeConsole()
    for rank, hit in enumerate(hits, 1):
        place = f"{hit.document}:{hit.page}" + (f" table {hit.table}" if hit.table else "")
        console.print(Text.assemble(f"{rank:>2}  ", (place, "bold"), f"  {hit.score:.2f}"), soft_wrap=True)
        say(f"    {hit.snippet}")


def _notes(record: DocumentRecord) -> list[str]:
    if not record.readable:
        return [f"left out: {record.trouble}"]
    notes = [record.trouble] if record.trouble else []
    if record.pages and record.routes.get("blank", 0) == record.pages:
        notes.append("every page is blank: the copy is damaged or empty")
    notes += [f"failed pages {pages}: {what}" for pages, what in _grouped(record, failed=True)]
    if record.irregular:
        notes.append(_irregular(record))
    return notes


def _irregular(record: DocumentRecord) -> str:
    return f"layout doubtful on pages {_ranges(record.irregular)}"


def _grouped(record: DocumentRecord, *, failed: bool) -> list[tuple[str, str]]:
    """Pages of one trouble together."""
    by_what: dict[str, list[int]] = {}
    for trouble in record.failed if failed else record.doubts:
        by_what.setdefault(trouble.what, []).append(trouble.page)
    grouped = [(_ranges(pages), what) for what, pages in by_what.items()]
    more = len(grouped) - _MOST_LINES
    return grouped if more <= 0 else [*grouped[:_MOST_LINES], ("of other kinds", f"{more} more troubles")]


def _ranges(pages: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for page in sorted(pages):
        if runs and page == runs[-1][1] + 1:
            runs[-1][1] = page
        else:
            runs.append([page, page])
    return ", ".join(f"{a}-{b}" if a != b else str(a) for a, b in runs)


def _routes(records: Sequence[DocumentRecord]) -> str:
    totals: dict[str, int] = {}
    for record in records:
        for route, count in record.routes.items():
            totals[route] = totals.get(route, 0) + count
    return ", ".join(f"{count:,} {route}" for route, count in totals.items())


def _share(record: DocumentRecord) -> str:
    return f"{record.footing.held / record.footing.checked:.1%}" if record.footing.checked else ""


def _count(number: int) -> str:
    return f"{number:,}" if number else ""
