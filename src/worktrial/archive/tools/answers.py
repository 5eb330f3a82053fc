"""The answers of the tools that read: lists, hits, lines, pages, tables, pictures."""

import base64
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from worktrial.archive.pages import LOW_CONFIDENCE, Address, Cell, PageContent, Route, Table
from worktrial.archive.tools.queries import Rows
from worktrial.archive.tools.source import JsonObject, JsonValue, ToolLimits, ToolProblem
from worktrial.errors import DataError

if TYPE_CHECKING:
    from PIL.Image import Image

    from worktrial.archive.search.index import Hit
    from worktrial.archive.store.archive import Archive
    from worktrial.archive.store.record import DocumentRecord

Item = TypeVar("Item")

_LONGEST_LINE = 400
_LONGEST_NAME, _MOST_NAMES = 160, 3
DEPTH = 50
"""Hits that are looked at beyond those that are shown."""
_WORTH_A_LOOK = 0.5
"""Share of the best hit's score."""

_MOST_DOUBTFUL, _MOST_PLACES = 60, 40
_MOST_NOTED = 30
_PATH = " > "

_LARGEST_SCALE = 8.0
_LEAST_PART = 0.02
_SMALLER = 0.75


class FittingEntries(NamedTuple):
    """The entries that fit."""

    entries: list[JsonValue]
    complete: bool


def fitting(entries: Iterable[JsonValue], characters: int) -> FittingEntries:
    """Keep the first entries as far as they fit, and at least one."""
    kept: list[JsonValue] = []
    for entry in entries:
        characters -= len(msgspec.json.encode(entry)) + 2
        if characters < 0 and kept:
            return FittingEntries(kept, False)
        kept.append(entry)
    return FittingEntries(kept, True)


class LineRange(NamedTuple):
    """A stretch of lines."""

    text: str
    last: int
    """1-based number of the last line in it."""


def fitting_lines(lines: Sequence[str], first: int, characters: int) -> LineRange:
    """Lines from the 1-based `first` on, as many as fit; a line that is too long for itself is cut."""
    kept: list[str] = []
    for line in lines[first - 1 :]:
        if kept and characters < len(line) + 1:
            break
        kept.append(clipped(line, characters))
        characters -= len(line) + 1
    return LineRange("\n".join(kept), first - 1 + len(kept))


def clipped(text: str, characters: int) -> str:
    """The text's beginning, with a mark when the end is missing."""
    if len(text) <= characters:
        return text
    return f"{text[: max(characters - 40, 0)]}… [{len(text):,} characters in all]"


def documents_listed(
    documents: "Sequence[DocumentRecord]", contains: str, first: int, limits: ToolLimits
) -> JsonObject:
    """Documents whose name or issue contains a text."""
    wanted = contains.casefold()
    matching = [d for d in documents if wanted in d.name.casefold() or wanted in d.issue]
    entries = [_entry(d) for d in matching[first - 1 : first - 1 + limits.entries]]
    shown = fitting(entries, limits.characters).entries
    last = first - 1 + len(shown)
    answer: JsonObject = {"documents": shown, "total": len(matching)}
    if not matching and contains:
        answer["note"] = f"None of the {len(documents)} documents has {contains!r} in its name or date of issue."
    elif not shown:
        answer["note"] = f"There are only {len(matching)}."
    elif last < len(matching):
        answer["note"] = (
            f"These are {first} to {last}; for more, ask with first={last + 1}, or narrow with contains."
        )
    return answer


def hits_listed(hits: "Sequence[Hit]", query: str, limit: int, limits: ToolLimits) -> JsonObject:
    """Pages or tables that a search found.

    Args:
        hits: more than are shown, so that the answer can say how many are left.
        query: what was asked.
        limit: most hits to show.
        limits: bounds of the answer.
    """
    entries = []
    for hit in hits[:limit]:
        entry: JsonObject = {"document": hit.document, "page": hit.page}
        if hit.table is not None:
            entry["table"] = hit.table
        entry |= {"score": round(hit.score, 2), "snippet": clipped(hit.snippet, _LONGEST_LINE)}
        if hit.documents:
            entry["same_table_in_other_documents"] = hit.documents
        if hit.also:
            entry["also_called"] = [clipped(name, _LONGEST_NAME) for name in hit.also[:_MOST_NAMES]]
        entries.append(entry)
    shown = fitting(entries, limits.characters)
    more = sum(hit.score >= _WORTH_A_LOOK for hit in hits[limit:])
    answer: JsonObject = {"hits": shown.entries}
    if not entries:
        answer["note"] = f"Nothing matches {query!r}. Try fewer or other words, or grep for a figure as printed."
    elif not shown.complete:
        answer["note"] = f"Only {len(shown.entries)} of {len(entries)} hits fit; ask with a smaller limit."
    elif more:
        answer["note"] = (
            f"{more} more of the next {len(hits) - len(entries)} score {_WORTH_A_LOOK} or more; ask with a larger "
            "limit, more words, or in one document."
        )
    return answer


def lines_listed(found: Rows, limits: ToolLimits) -> JsonObject:
    """Lines that match."""
    entries = [
        {"document": document, "page": page, "line": line, "text": clipped(text, _LONGEST_LINE)}
        for document, page, line, text in found.rows
    ]
    shown = fitting(entries, limits.characters)
    answer: JsonObject = {"lines": shown.entries}
    if not entries:
        answer["note"] = "No line matches."
    elif found.more or not shown.complete:
        answer["note"] = (
            f"These are the first {len(shown.entries)}; there are more. Narrow the pattern or the document."
        )
    return answer


def page_shown(
    document: "DocumentRecord", page: PageContent, form: str, first_line: int, limits: ToolLimits
) -> str:
    """A page's text, below a line that says where it is from.

    Raises:
        ToolProblem: the page has fewer lines.
    """
    about = [f"{document.name}, page {page.number} of {document.pages}"]
    if page.route == Route.OCR:
        about.append("read from its picture")
    if page.confidence < 1 and page.text:
        about.append(f"confidence {page.confidence:.2f}")
    if page.tables:
        about.append(f"tables: {len(page.tables)}")
    if page.layout_doubt:
        about.append(page.layout_doubt)
    if page.trouble:
        about.append(f"trouble: {page.trouble}")
    head = f"[{'; '.join(about)}]"
    lines = (page.markdown if form == "markdown" else page.text).rstrip("\n").split("\n")
    if lines == [""]:
        return f"{head}\n(no text: the page was read as {page.route})"
    if first_line > len(lines):
        message = f"Page {page.number} has {len(lines)} lines in this form."
        raise ToolProblem("out_of_range", message, field="first_line")
    shown = fitting_lines(lines, first_line, limits.characters)
    body = f"{head}\n{shown.text}"
    if shown.last < len(lines):
        rest = f"for the rest, ask with first_line={shown.last + 1}"
        body += f"\n[lines {first_line} to {shown.last} of {len(lines)}; {rest}]"
    return body


def _entry(document: "DocumentRecord") -> JsonObject:
    entry: JsonObject = {"document": document.name, "pages": document.pages, "tables": document.tables}
    if document.issue:
        entry["issue"] = document.issue
    if not document.readable:
        entry["trouble"] = "could not be read"
    elif document.confidence < 1:
        entry["confidence"] = round(document.confidence, 2)
    return entry


def table_shown(
    document: str, table: Table, first_row: int, limits: ToolLimits, *, readings: bool = False
) -> JsonObject:
    """A table's rows with what they stand for, and `readings` of doubtful cells where they are asked for.

    Raises:
        ToolProblem: the table has fewer rows.
    """
    # The meaning of cells takes long to import, and processes that answer queries do without it.
    from worktrial.archive.meaning.cells import units
    from worktrial.archive.meaning.labels import header_paths, row_labels
    from worktrial.archive.meaning.notes import noted, notes_by_mark

    if first_row >= max(len(table.rows), 1):
        message = f"The table has {len(table.rows)} rows, 0 to {len(table.rows) - 1}."
        raise ToolProblem("out_of_range", message, field="first_row")
    answer = _about(document, table)
    answer["headers"] = {str(c): _PATH.join(path) for c, path in enumerate(header_paths(table)) if path}
    of_columns = {str(c): str(unit) for c, unit in enumerate(units(table)) if unit is not None}
    if len(set(of_columns.values())) > 1:
        answer["column_units"] = of_columns
    if table.notes:
        answer["notes"] = list(table.notes)
    labels = row_labels(table)
    rows = []
    for number in range(first_row, len(table.rows)):
        cells = [cell.text for cell in table.rows[number]]
        row: JsonObject = {"row": number, "cells": cells}
        # Said only where it is more than what stands in the row.
        if number >= table.header_rows and labels[number] and list(labels[number]) != cells[: table.label_columns]:
            row["label"] = _PATH.join(labels[number])
        rows.append(row)
    shown = fitting(rows, limits.characters)
    answer["body"] = shown.entries
    last = first_row + len(shown.entries) - 1
    answer |= _marked(document, table, range(first_row, last + 1), readings=readings)
    # Headings count with every portion: their notes are about its figures, too.
    portion = (row for r, row in enumerate(table.rows) if r < table.header_rows or first_row <= r <= last)
    referring = list(noted(portion, notes_by_mark(table.notes)))[:_MOST_NOTED]
    if referring:
        answer["noted"] = [
            {"cell": _place(document, table, cell), "text": cell.text, "note": clipped(note, _LONGEST_LINE)}
            for cell, note in referring
        ]
    if not shown.complete:
        rest = f"for the rest, ask with first_row={last + 1}"
        answer["note"] = f"Rows {first_row} to {last} of 0 to {len(table.rows) - 1}; {rest}."
    return answer


def _about(document: str, table: Table) -> JsonObject:
    """Name and size of a table."""
    return {
        "table": f"{document}:{table.page}:t{table.number}",
        "title": table.title,
        "unit": table.unit,
        "rows": len(table.rows),
        "columns": max((len(row) for row in table.rows), default=0),
        "header_rows": table.header_rows,
        "label_columns": table.label_columns,
    }


def _marked(document: str, table: Table, rows: range, *, readings: bool) -> JsonObject:
    """Cells of these rows that should not be taken as they are."""
    cells = [cell for number in rows for cell in table.rows[number]]
    doubtful = [cell for cell in cells if cell.text and cell.confidence < LOW_CONFIDENCE]
    answer: JsonObject = {}
    if doubtful and not readings:
        answer["doubtful"] = _doubts(doubtful, sum(bool(cell.text) for cell in cells))
    elif doubtful:
        answer["doubtful"] = [_doubt(document, table, cell) for cell in doubtful[:_MOST_DOUBTFUL]]
        if len(doubtful) > _MOST_DOUBTFUL:
            answer["doubtful_in_all"] = len(doubtful)
    # A heading over several columns is one.
    corrected = {(cell.row, cell.text): cell for cell in reversed(cells) if cell.reading}
    if corrected:
        answer["corrected"] = [
            {"cell": _place(document, table, cell), "text": cell.text, "read": cell.reading}
            for cell in list(reversed(corrected.values()))[:_MOST_DOUBTFUL]
        ]
    return answer


def _doubts(doubtful: Sequence[Cell], cells: int) -> str:
    """Number and places of doubtful cells in a line: `3 of 40 cells: r2 c1,c2; r5 c1. Their other readings: …`."""
    told = f"{len(doubtful)} of {cells} cells"
    if len(doubtful) <= _MOST_PLACES:
        columns: dict[int, list[str]] = {}
        for cell in doubtful:
            columns.setdefault(cell.row, []).append(f"c{cell.column}")
        told += ": " + "; ".join(f"r{row} {','.join(named)}" for row, named in columns.items())
    return f"{told}. Their other readings: ask with readings=true."


def _doubt(document: str, table: Table, cell: Cell) -> JsonObject:
    doubt: JsonObject = {
        "cell": _place(document, table, cell),
        "text": cell.text,
        "confidence": round(cell.confidence, 2),
    }
    if cell.alternatives:
        doubt["or"] = list(cell.alternatives[:4])
    return doubt


def _place(document: str, table: Table, cell: Cell) -> str:
    return str(Address(document, table.page, table.number, cell.row, cell.column))


def page_pictured(
    archive: "Archive", document: str, page: PageContent, part: Sequence[float] | None, limits: ToolLimits
) -> JsonObject:
    """A page's picture, or a part of it at the same size, as a data URL.

    Raises:
        ToolProblem: the part is no part, or there is no picture.
    """
    left, top, right, bottom = part or (0.0, 0.0, 1.0, 1.0)
    if right - left < _LEAST_PART or bottom - top < _LEAST_PART:
        message = "part is [left, top, right, bottom]; right must be more than left and bottom more than top."
        raise ToolProblem("invalid_arguments", message, field="part")
    side = max((right - left) * page.width, (bottom - top) * page.height)
    if side <= 0:
        raise ToolProblem(
            "no_picture", f"Page {page.number} of {document} has no size, so there is nothing to see."
        )
    try:
        image = archive.image(document, page.number, min(limits.picture_side / side, _LARGEST_SCALE))
    except DataError:
        # The reason names files of this machine, which are none of an agent's business.
        message = f"There is no picture of page {page.number} of {document} in this archive; use read_page."
        raise ToolProblem("no_picture", message, field="document") from None
    across, down = image.width, image.height
    if part:
        image = image.crop((round(left * across), round(top * down), round(right * across), round(bottom * down)))
    content, image = _png(image, limits.picture_bytes)
    return {
        "document": document,
        "page": page.number,
        "width": image.width,
        "height": image.height,
        "picture": f"data:image/png;base64,{base64.b64encode(content).decode()}",
    }


def _png(image: "Image", most: int) -> "tuple[bytes, Image]":
    """A file of at most `most` bytes; colours go first, then size."""
    from worktrial.archive.pictures import png

    content = png(image)
    if len(content) > most and image.mode != "L":
        image = image.convert("L")
        content = png(image)
    while len(content) > most and min(image.size) > 64:
        image = image.resize((round(image.width * _SMALLER), round(image.height * _SMALLER)))
        content = png(image)
    return content, image
