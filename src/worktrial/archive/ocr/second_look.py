"""Tables of a scanned page looked at again: what only the column, or the sum of a row, can tell about a cell."""

import re
from collections.abc import Sequence
from dataclasses import replace

from worktrial.archive.geometry import Box
from worktrial.archive.ocr.arithmetic import repair
from worktrial.archive.tables import Cell, Table
from worktrial.archive.words import PageText, Word

_LEADERS = re.compile(r"(?:\s*[.·…_]){2,}\s*[-•']?$")
_DASH = re.compile(r"^[-–—−~_]$")
_FRACTION = re.compile(r"-?0,\d{3}")
_GROUPED = re.compile(r"-?\d{1,3},\d{3}")


def second_look(tables: Sequence[Table], page: PageText) -> tuple[Table, ...]:
    """Settle cells by their columns and by arithmetic.

    Args:
        tables: Found on the page.
        page: As it was recognised; its words hold the other readings of each number.

    Returns:
        The same tables; changed cells carry a `Repair` where arithmetic decided.
    """
    return tuple(repair(_settled(table, page.words)) for table in tables)


def _settled(table: Table, words: Sequence[Word]) -> Table:
    fractions = _fraction_columns(table)
    rows = []
    for r, row in enumerate(table.rows):
        cells = []
        for cell in row:
            text = _LEADERS.sub("", cell.text) if cell.column < table.label_columns else cell.text
            if r >= table.header_rows and cell.column >= table.label_columns:
                text = "-" if _DASH.match(text) else text
                text = text.replace(",", ".") if cell.column in fractions else text
            cells.append(_with_alternatives(replace(cell, text=text), words))
        rows.append(tuple(cells))
    return replace(table, rows=tuple(rows))


def _fraction_columns(table: Table) -> set[int]:
    """Columns whose numbers have three decimals: where one begins with a nought, none has thousands."""
    columns = set()
    for c in range(table.label_columns, len(table.rows[0]) if table.rows else 0):
        texts = [row[c].text for row in table.rows[table.header_rows :]]
        if any(_FRACTION.fullmatch(t) for t in texts) and all(
            _GROUPED.fullmatch(t) or not any(d.isdigit() for d in t) for t in texts
        ):
            columns.add(c)
    return columns


def _with_alternatives(cell: Cell, words: Sequence[Word]) -> Cell:
    """Give a cell of one number the other readings of its word."""
    if cell.box is None or not any(d.isdigit() for d in cell.text):
        return cell
    # A cell repeated over several columns is a heading; it keeps its text.
    own = [word for word in words if _inside(word.box, cell.box) and any(d.isdigit() for d in word.text)]
    if len(own) != 1 or own[0].text not in cell.text:
        return cell
    word = own[0]
    return replace(
        cell,
        confidence=min(cell.confidence, word.confidence) if cell.text != word.text else word.confidence,
        alternatives=tuple(cell.text.replace(word.text, other, 1) for other in word.alternatives),
    )


def _inside(box: Box, around: Box) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return around.x0 - 0.5 <= x <= around.x1 + 0.5 and around.y0 - 0.5 <= y <= around.y1 + 0.5
