"""Tables about an archive for the terminal."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from worktrial.archive import Archive, DocumentRecord, Route
from worktrial.language.untrusted import printable
from worktrial.places import shown_place
from worktrial.terminal import SafeConsole

if TYPE_CHECKING:
    from worktrial.archive import BuildReport, Hit

_MOST_LINES = 20


def print_report(report: "BuildReport") -> None:
    """Print the outcome of a build in a few lines."""
    readable = [record for record in report.documents if record.readable]
    pages, tables = sum(r.pages for r in readable), sum(r.tables for r in readable)
    routes = _routes(readable)
    console = _console()
    said = f"{len(readable)} of {len(report.documents)} documents, {pages:,} pages ({routes}), {tables:,} tables"
    console.print(
        Text(f"{said} -> {printable(shown_place(report.folder))} in {report.seconds:.1f} s"), soft_wrap=True
    )
    if report.kept:
        console.print(f"{report.kept} documents were stored already and unchanged")
    for record in report.documents:
        if not record.readable:
            console.print(Text(printable(f"left out: {record.name}: {record.trouble}")), soft_wrap=True)
    failed = sum(len(record.failed) for record in readable)
    if failed:
        console.print(f"{failed:,} pages failed; which and why: worktrial archive inspect ARCHIVE DOCUMENT")


def print_documents(archive: Archive) -> None:
    """One line a document."""
    # Narrow: a figure must not be folded on a terminal of 80 columns.
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), show_edge=False)
    table.add_column("document", overflow="fold")
    table.add_column("pages", overflow="fold")
    for heading in ("tables", "cells", "low", "sure", "sums\nhold"):
        table.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    for record in archive.documents:
        if record.readable:
            counts = (record.tables, record.cells, record.doubtful_cells)
            shares = (_sure(record.confidence, record.routes), _share(record))
            name = Text(printable(record.name))
            table.add_row(name, _routes([record]), *map(_count, counts), *shares)
    console = _console()
    console.print(table)
    for record in archive.documents:
        for note in _notes(record):
            console.print(Text(printable(f"{record.name}: {note}")), soft_wrap=True)


def print_document(archive: Archive, name: str) -> None:
    """A document's facts, and every page about which there is something to say."""
    record = archive.document(name)
    console = _console()
    facts = {
        "source": record.source,
        "issue": record.issue or "not known",
        "pages": f"{record.pages} ({_routes([record])})",
        "tables": f"{record.tables} with {record.cells:,} cells, {record.doubtful_cells:,} of low confidence",
        "confidence": _sure(record.confidence, record.routes) or "nothing was recognised",
        "sums": f"{record.footing.held:,} of {record.footing.checked:,} hold",
        "read in": f"{record.seconds:.1f} s",
    }
    for label, fact in facts.items():
        console.print(Text(printable(f"{label:<11} {fact}")), soft_wrap=True)
    if record.trouble:
        console.print(Text(printable(f"{'trouble':<11} {record.trouble}")), soft_wrap=True)
    for title in ("failed", "doubtful"):
        for pages, what in _grouped(record, failed=title == "failed"):
            console.print(Text(printable(f"{title} pages {pages}: {what}")), soft_wrap=True)
    if record.irregular:
        console.print(_irregular(record), soft_wrap=True)
    tables = Table()
    for heading in ("page", "route", "confidence", "layout", "tables"):
        tables.add_column(heading, justify="left" if heading in ("route", "tables") else "right", overflow="fold")
    with archive.connection() as connection:
        rows = connection.execute(
            "SELECT p.page, p.route, p.confidence, p.layout, "
            "coalesce(string_agg(t.rows || ' x ' || t.columns || ' ' || t.title, chr(10) ORDER BY t.table_no), '') "
            "FROM pages p LEFT JOIN tables t USING (document, page) WHERE document = ? "
            "GROUP BY ALL ORDER BY p.page",
            [name],
        ).fetchall()
    for page, route, confidence, layout, titles in rows:
        regular = "" if layout is None else f"{layout:.2f}"
        tables.add_row(str(page), route, _sure(confidence, {route: 1}), regular, Text(printable(titles)))
    console.print(tables)


def _sure(confidence: float | None, routes: Mapping[str, int]) -> str:
    """The confidence of recognition; nothing where nothing was recognised, and none of it is in doubt."""
    told = confidence is not None and (0 < confidence < 1 or Route.OCR in routes)
    return f"{confidence:.3f}" if told else ""


def print_hits(hits: "Sequence[Hit]") -> None:
    """One hit in two lines: where, and the line that matches best."""
    console = _console()
    for rank, hit in enumerate(hits, 1):
        place = f"{hit.document}:{hit.page}" + (f" table {hit.table}" if hit.table else "")
        console.print(
            Text.assemble(f"{rank:>2}  ", (printable(place), "bold"), f"  {hit.score:.2f}"), soft_wrap=True
        )
        console.print(Text(f"    {printable(hit.snippet)}"), soft_wrap=True)


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


def _console() -> SafeConsole:
    return SafeConsole()
