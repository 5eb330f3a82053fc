"""Tables of a scanned page looked at again: cells settled by their columns, confirmed and repaired by sums.

Which columns and rows add up is found in the table itself, from the lines where they do. A cell is changed only
when it was doubtful, when exactly one of its other readings makes the line add up, and when no other sum that
the cell belongs to is broken by it. What was read is kept in the cell's `CellRepair`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

from worktrial.archive.meaning.footing import Footing, footing
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Cell, CellRepair, PageText, Table, Word

Place = tuple[int, int]

DOUBTFUL = 0.75
"""A cell surer than this is not changed."""
SETTLED = 0.85
"""The confidence of a cell that a sum decided; two sums are as good as a clear print."""
LEAST_SHARE = 0.6
"""A sum must hold in this share of its lines before it may change the others."""
MOST_CHANGED = 2
"""Most cells of a line that are changed together."""
CONFIRMED = 0.3
"""Factor on a doubt after a sum holds; numbers off by the tolerance slip through."""

_LEADERS = re.compile(r"(?:\s*[.·…_]){2,}\s*[-•']?$")
_DASH = re.compile(r"^[-–—−~_]$")
_FRACTION = re.compile(r"-?0,\d{3}")
_GROUPED = re.compile(r"-?\d{1,3},\d{3}")


class _Line(NamedTuple):
    """One line of one sum."""

    total: Place
    parts: tuple[Place, ...]
    within: float
    name: str

    @property
    def places(self) -> tuple[Place, ...]:
        """The total first."""
        return (self.total, *self.parts)


def repair(table: Table) -> Table:
    """Confirm and repair the numbers of a table by its own sums."""
    lines = [line for sums in footing(table) if sums.share >= LEAST_SHARE for line in _lines(table, sums)]
    if not lines:
        return table
    cells = {(r, c): cell for r, row in enumerate(table.rows) for c, cell in enumerate(row)}
    of_place: defaultdict[Place, list[_Line]] = defaultdict(list)
    for line in lines:
        for place in line.places:
            of_place[place].append(line)
    # Once more after the first repairs: a repaired total may decide its row.
    for _ in range(2):
        for line in lines:
            if not _holds(line, cells):
                cells.update(_solution(line, cells, of_place))
    for place, own in of_place.items():
        cells[place] = _confirmed(cells[place], own, cells)
    rows = tuple(tuple(cells[r, c] for c in range(len(row))) for r, row in enumerate(table.rows))
    return replace(table, rows=rows)


def _lines(table: Table, sums: Footing) -> Iterator[_Line]:
    """The lines of a sum, with those whose numbers could not be read as such left out."""
    kind = "column" if sums.of_columns else "row"
    parts = ", ".join(str(p + 1) for p in sums.parts)
    for check in sums.checks:
        total, *rest = sums.cells(check)
        yield _Line(total, tuple(rest), check.within, f"{kind} {sums.total + 1} is the sum of {kind}s {parts}")


def _number(text: str) -> float | None:
    value = value_of(text)
    if value.number is not None:
        return value.number
    return 0.0 if value.kind in (ValueKind.NIL, ValueKind.SMALL, ValueKind.BLANK) else None


def _off(line: _Line, cells: Mapping[Place, Cell]) -> float | None:
    total = _number(cells[line.total].text)
    parts = [_number(cells[place].text) for place in line.parts]
    known = [p for p in parts if p is not None]
    return None if total is None or len(known) < len(parts) else total - sum(known)


def _holds(line: _Line, cells: Mapping[Place, Cell]) -> bool:
    off = _off(line, cells)
    return off is not None and abs(off) <= line.within


def _solution(line: _Line, cells: Mapping[Place, Cell], of_place: Mapping[Place, list[_Line]]) -> dict[Place, Cell]:
    """The changed cells, when exactly one set of other readings settles the line."""
    open_places = [p for p in line.places if cells[p].confidence < DOUBTFUL and cells[p].alternatives]
    for size in range(1, MOST_CHANGED + 1):
        found: list[dict[Place, Cell]] = []
        for places in combinations(open_places, size):
            for texts in product(*(_worth_trying(cells[p], line) for p in places)):
                trial = {p: _changed(cells[p], text, line) for p, text in zip(places, texts, strict=True)}
                after = {**cells, **trial}
                if _holds(line, after) and not _breaks(places, cells, after, of_place):
                    found.append(trial)
        values = {tuple(_number(cell.text) for cell in trial.values()) + tuple(trial) for trial in found}
        if len(values) == 1:
            return found[0]
        if values:
            # Several readings would do: nothing is decided.
            return {}
    return {}


def _worth_trying(cell: Cell, line: _Line) -> tuple[str, ...]:
    """Other readings that a sum can speak for.

    A number that rounding could hide is none: the line would add up as well without it, and a footnote's mark
    taken for a figure would be "repaired" to the next best nothing. Nor is one with other decimals.
    """
    decimals = value_of(cell.text).decimals
    return tuple(
        text
        for text in cell.alternatives
        if abs(_number(text) or 0.0) > line.within and value_of(text).decimals == decimals
    )


def _changed(cell: Cell, text: str, line: _Line) -> Cell:
    read = cell.repair.read if cell.repair else cell.text
    others = tuple(t for t in (cell.text, *cell.alternatives) if t != text)
    return replace(cell, text=text, alternatives=others, confidence=SETTLED, repair=CellRepair(read, line.name))


def _breaks(
    places: tuple[Place, ...],
    before: Mapping[Place, Cell],
    after: Mapping[Place, Cell],
    of_place: Mapping[Place, list[_Line]],
) -> bool:
    """Whether a sum that held no longer does."""
    touched = {line for place in places for line in of_place[place]}
    return any(_holds(line, before) and not _holds(line, after) for line in touched)


def _confirmed(cell: Cell, lines: list[_Line], cells: Mapping[Place, Cell]) -> Cell:
    """Less doubt for every sum that holds; more where a doubtful cell stands in sums that all fail."""
    if not any(d.isdigit() for d in cell.text):
        return cell
    size = abs(_number(cell.text) or 0.0)
    held = sum(size > line.within and _holds(line, cells) for line in lines)
    if held:
        return replace(cell, confidence=round(1 - (1 - cell.confidence) * CONFIRMED**held, 4))
    if cell.confidence < 0.9:
        return replace(cell, confidence=round(cell.confidence * 0.6, 4))
    return cell


def second_look(tables: Sequence[Table], page: PageText) -> tuple[Table, ...]:
    """Settle cells by their columns and by arithmetic.

    Args:
        tables: Found on the page.
        page: As it was recognised; its words hold the other readings of each number.

    Returns:
        The same tables; changed cells carry a `CellRepair` where arithmetic decided.
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
    own = [word for word in words if cell.box.holds(word.box, 0.5) and any(d.isdigit() for d in word.text)]
    if len(own) != 1 or own[0].text not in cell.text:
        return cell
    word = own[0]
    return replace(
        cell,
        confidence=min(cell.confidence, word.confidence) if cell.text != word.text else word.confidence,
        alternatives=tuple(cell.text.replace(word.text, other, 1) for other in word.alternatives),
    )
