"""Tables written down by hand, and texts of cells made comparable."""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import Box, Cell, Table
from worktrial.errors import DataError

_DASHES = re.compile(r"[‐‑‒–—―−﹣－]")
_SPACES = re.compile(r"\s+")
_AROUND_DASH = re.compile(r"\s*-[\s-]*")
_BEFORE_MARK = re.compile(r"\s+(?=[,.;:%)])|(?<=[($])\s+")
# Leader dots, and the full stop of an abbreviation that they swallow.
_LEADERS = re.compile(r"(?:\s*[.·…_])+$")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"'})
_WORD = re.compile(r"[^\W_]+")


def strict_text(text: str) -> str:
    """Text as printed; only runs of white space are one space."""
    return _SPACES.sub(" ", text).strip()


def plain_text(text: str) -> str:
    """Apart from kinds of dashes and quotes, spaces beside dashes and stops, and leader dots."""
    plain = unicodedata.normalize("NFC", _DASHES.sub("-", text)).translate(_QUOTES)
    plain = _LEADERS.sub("", _SPACES.sub(" ", plain).strip()) or plain.strip()
    return _BEFORE_MARK.sub("", _AROUND_DASH.sub("-", plain)).strip()


def unmarked_text(text: str) -> str:
    """Plain text without footnote and revision marks; see `plain_text`."""
    return plain_text(split_marks(_SPACES.sub(" ", text)).body)


def marks_of(text: str) -> tuple[str, ...]:
    """The footnote and revision marks of a cell."""
    return split_marks(_SPACES.sub(" ", text)).marks


def label_text(texts: tuple[str, ...]) -> str:
    """A path of labels or headings as words to compare: no case, no punctuation, no marks."""
    return " ".join(word for text in texts for word in _WORD.findall(unmarked_text(text).casefold()))


@dataclass(frozen=True, slots=True)
class TruthTable:
    """One table as it is printed. A heading that spans several columns or rows is repeated in each of them."""

    id: str
    doc: str
    """The document's name: its file name without the ending."""
    pdf_page: int
    """1-based."""
    grid: tuple[tuple[str, ...], ...]
    """Header rows first; rectangular."""
    header_rows: int
    row_label_cols: int
    title: str = ""
    unit: str = ""
    kind: str = ""
    """Kind of page, such as `scan` or `digital`, by which it must be read; reports are grouped by it."""

    def as_table(self) -> Table:
        """The same in the shape of an archive's table, without places."""
        rows = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(self.grid))
        nowhere = Box(0.0, 0.0, 0.0, 0.0)
        return Table(1, self.pdf_page, nowhere, rows, self.header_rows, self.row_label_cols, self.title, self.unit)


def read_truth(path: Path) -> tuple[TruthTable, ...]:
    """Read a TABLES.jsonl.

    Raises:
        DataError: with the line and the field that cannot be used.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(path, f"cannot be read: {e}") from e
    tables = [_row(f"{path}:{n}", line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not tables:
        raise DataError(path, "holds no table", "Write one JSON object a line: id, doc, pdf_page, grid, …")
    seen: dict[str, int] = {}
    for n, table in enumerate(tables, 1):
        if table.id in seen:
            raise DataError(path, f"tables {seen[table.id]} and {n} share the id {table.id!r}")
        seen[table.id] = n
    return tuple(tables)


def _row(where: str, line: str) -> TruthTable:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as e:
        raise DataError(where, f"is not JSON: {e}") from e
    if not isinstance(row, dict):
        raise DataError(where, "is not a JSON object")
    table = TruthTable(
        id=_text(where, row, "id"),
        doc=_text(where, row, "doc"),
        pdf_page=_count(where, row, "pdf_page", least=1),
        grid=_grid(where, row),
        header_rows=_count(where, row, "header_rows", least=0),
        row_label_cols=_count(where, row, "row_label_cols", least=0),
        title=_text(where, row, "title", ""),
        unit=_text(where, row, "unit", ""),
        kind=_text(where, row, "kind", ""),
    )
    if table.header_rows >= len(table.grid) or table.row_label_cols >= len(table.grid[0]):
        raise DataError(where, "header_rows or row_label_cols leave no data cell in the grid")
    return table


def _text(where: str, row: dict[str, Any], field: str, missing: str | None = None) -> str:
    value = row.get(field, missing)
    if not isinstance(value, str) or not (value or missing == ""):
        raise DataError(f"{where}: {field}", f"must be a text, and is {value!r}")
    return value


def _count(where: str, row: dict[str, Any], field: str, *, least: int) -> int:
    value = row.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise DataError(f"{where}: {field}", f"must be a whole number from {least} up, and is {value!r}")
    return value


def _grid(where: str, row: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    grid = row.get("grid")
    if not isinstance(grid, list) or not grid or not all(isinstance(r, list) and r for r in grid):
        raise DataError(f"{where}: grid", "must be a list of rows, each a list of texts")
    for r, cells in enumerate(grid):
        if len(cells) != len(grid[0]):
            raise DataError(f"{where}: grid", f"row {r} has {len(cells)} cells, row 0 has {len(grid[0])}")
        for c, cell in enumerate(cells):
            if not isinstance(cell, str):
                raise DataError(f"{where}: grid", f"row {r}, column {c} is no text: {cell!r}")
    return tuple(tuple(cells) for cells in grid)
