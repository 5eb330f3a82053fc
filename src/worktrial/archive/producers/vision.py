"""A model that sees as a second reader: its tables, each cell held against our own reading of the page."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from worktrial.archive.alignment import aligned_cells, aligned_rows, matched_tables, plain_text, same_value
from worktrial.archive.pages import Box, Cell, PageContent, Route, Table
from worktrial.errors import InvalidSample
from worktrial.language import Complete, JsonObject
from worktrial.language.extract import NotOneObject, one_object
from worktrial.language.templates import templates
from worktrial.language.untrusted import printable

AGREED = 0.97
"""Least confidence of a cell that both read alike."""
ELSEWHERE = 0.6
"""Confidence of a cell that we read somewhere else on the page."""
DIFFERENT = 0.3
"""Confidence of a cell that we read otherwise; our reading is its alternative."""
ALONE = 0.2
"""Confidence of a cell that nobody else read anywhere on the page."""
UNSEEN = 0.45
"""Most confidence of a cell of a table that the model does not have."""
_MOST_TABLES, _MOST_ROWS, _MOST_COLUMNS, _MOST_CELLS, _LONGEST = 20, 400, 60, 10_000, 500
_TOKEN = re.compile(r"\w+(?:[.,]\w+)*")
_PROMPTS = Path(__file__).parent / "prompts"


class SeenTable(msgspec.Struct, forbid_unknown_fields=True):
    """A table as the model gives it."""

    rows: list[list[str]]
    title: str = ""
    unit: str = ""
    header_rows: int = 1
    label_columns: int = 1


class _Seen(msgspec.Struct, forbid_unknown_fields=True):
    tables: list[SeenTable]


class VisionCounts(NamedTuple):
    """Cells of a page in numbers."""

    agreed: int
    elsewhere: int
    different: int
    alone: int
    unseen: int
    """Cells of ours in tables that the model does not have."""


class UnusableReading(ValueError):
    """The model's reply is no reading of tables; the message says why."""


async def second_reading(complete: Complete, model: str, page: PageContent, picture: bytes) -> PageContent:
    """A page with the tables that a model sees on it, and with our own trust in each of their cells.

    Args:
        complete: The model.
        model: Its name, for what is said of the page.
        page: The page as we read it.
        picture: A PNG of it.
    """
    address = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    prompt = templates(_PROMPTS).get_template("vision.j2").render().strip()
    content: list[JsonObject] = [
        {"type": "text", "text": prompt},
        {"type": "image_url", "image_url": {"url": address}},
    ]
    try:
        completion = await complete([{"role": "user", "content": content}], schema=_SCHEMA)
        seen = read_tables(completion.text, page.number)
    except (InvalidSample, UnusableReading) as error:
        why = " ".join(printable(error).split())[:200]
        return replace(page, trouble=_also(page.trouble, f"vision {model} gave no tables ({why}); our own reading"))
    kept, counts = checked(page, seen)
    if not (counts.elsewhere or counts.different or counts.alone or counts.unseen):
        return kept
    told = (
        f"vision {model}: {counts.agreed} cells as we read them, {counts.different} otherwise, {counts.elsewhere} "
        f"elsewhere on the page, {counts.alone} nowhere, {counts.unseen} of ours that it does not have"
    )
    return replace(kept, trouble=_also(page.trouble, told))


def read_tables(reply: str, page: int) -> list[Table]:
    """The tables of a reply.

    Raises:
        UnusableReading: it is no JSON of that form, or larger than any page.
    """
    try:
        seen = msgspec.convert(one_object(reply), _Seen)
    except (NotOneObject, msgspec.ValidationError) as error:
        raise UnusableReading(str(error)) from None
    if len(seen.tables) > _MOST_TABLES:
        raise UnusableReading(f"{len(seen.tables)} tables; at most {_MOST_TABLES} are taken")
    tables: list[Table] = []
    left = _MOST_CELLS
    for told in seen.tables:
        wide = max((len(row) for row in told.rows), default=0)
        left -= wide * len(told.rows)
        if len(told.rows) > _MOST_ROWS or wide > _MOST_COLUMNS or left < 0:
            raise UnusableReading(f"a table of {len(told.rows)} rows and {wide} columns, more than are taken")
        if not wide:
            continue
        rows = tuple(
            tuple(Cell(r, c, _text(row[c]) if c < len(row) else "", confidence=ALONE) for c in range(wide))
            for r, row in enumerate(told.rows)
        )
        heads, labels = min(max(told.header_rows, 0), len(rows)), min(max(told.label_columns, 0), wide - 1)
        place = Box(0, 0, 0, 0)
        tables.append(Table(len(tables) + 1, page, place, rows, heads, labels, _text(told.title), _text(told.unit)))
    return tables


def checked(page: PageContent, seen: Sequence[Table]) -> tuple[PageContent, VisionCounts]:
    """The page with the tables of a second reader, each cell as sure as our own reading allows.

    Tables of ours that the second reader does not have stay, with less confidence.
    """
    words = {_bare(token) for token in _TOKEN.findall(page.text)}
    tables: list[Table] = []
    counted = dict.fromkeys(VisionCounts._fields, 0)
    for theirs, mine in matched_tables(seen, page.tables):
        if theirs is None and mine is not None:
            counted["unseen"] += sum(bool(cell.text) for row in mine.rows for cell in row)
            tables.append(_doubted(mine))
        elif theirs is not None:
            tables.append(_held(theirs, mine, words, counted))
    tables = [_numbered(table, n) for n, table in enumerate(tables, 1)]
    text = page.text
    if not text.strip() and tables:
        text = "\n".join("\t".join(row) for table in tables for row in table.grid)
    route = Route.OCR if page.route == Route.FAILED and tables else page.route
    # What we measured of our own tables says nothing of theirs.
    layout = None if seen else page.layout
    return replace(page, tables=tuple(tables), text=text, route=route, layout=layout), VisionCounts(**counted)


def _held(theirs: Table, mine: Table | None, words: set[str], counted: dict[str, int]) -> Table:
    beside: Mapping[tuple[int, int], Cell] = {
        (x.row, x.column): y
        for rows in aligned_rows(theirs.rows, mine.rows if mine else ())
        for x, y in aligned_cells(*rows)
        if x is not None and y is not None and y.text
    }
    rows = tuple(
        tuple(_judged(cell, beside.get((cell.row, cell.column)), words, counted) for cell in row)
        for row in theirs.rows
    )
    box = theirs.box if mine is None else mine.box
    notes, unit = ((), "") if mine is None else (mine.notes, mine.unit)
    return replace(theirs, rows=rows, box=box, notes=notes, unit=theirs.unit or unit)


def _judged(cell: Cell, mine: Cell | None, words: set[str], counted: dict[str, int]) -> Cell:
    if not cell.text:
        return replace(cell, confidence=1.0 if mine is None else DIFFERENT)
    if mine is not None and (plain_text(cell) == plain_text(mine) or same_value(cell, mine)):
        counted["agreed"] += 1
        return replace(cell, box=mine.box, confidence=max(mine.confidence, AGREED))
    tokens = [_bare(token) for token in _TOKEN.findall(cell.text)]
    found = bool(tokens) and all(token in words for token in tokens)
    if mine is not None:
        counted["different"] += 1
        return replace(cell, box=mine.box, confidence=DIFFERENT, alternatives=(mine.text,))
    counted["elsewhere" if found else "alone"] += 1
    return replace(cell, confidence=ELSEWHERE if found else ALONE)


def _doubted(table: Table) -> Table:
    rows = tuple(tuple(replace(cell, confidence=min(cell.confidence, UNSEEN)) for cell in r) for r in table.rows)
    return replace(table, rows=rows)


def _numbered(table: Table, number: int) -> Table:
    return replace(table, number=number)


def _text(told: str) -> str:
    return " ".join(printable(told).split())[:_LONGEST]


def _bare(token: str) -> str:
    return token.replace(",", "").casefold()


def _also(trouble: str | None, what: str) -> str:
    return what if trouble is None else f"{trouble}; {what}"


_STRINGS: JsonObject = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "tables": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "unit": {"type": "string"},
                    "header_rows": {"type": "integer"},
                    "label_columns": {"type": "integer"},
                    "rows": _STRINGS,
                },
                "required": ["title", "unit", "header_rows", "label_columns", "rows"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["tables"],
    "additionalProperties": False,
}
