"""The same figure in other documents: in the same row of a column that prints the same figures in other rows, too.

Headings and titles of scans are misread more often than figures, so columns are known by what stands in them.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.meaning.cells import PATH
from worktrial.archive.meaning.periods import month_number
from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import Address, Cell, OtherPrinting, PageContent, Route
from worktrial.archive.store.parts import CELLS, PAGES, StoredPart

NEAREST = 6
"""Documents before one, and after it, that its figures are looked for in: those of the nearest dates of issue."""
_DIGITS, _TOGETHER = 3, 10
"""Digits from which an equal figure is no chance, and digits of other equal figures that make columns the same."""
_AGREEING = 4
"""Figures of two columns that agree for each that differs; where fewer do, one is a revision of the other."""
_REMEMBERED = 65_536
"""Labels, which are those of many cells."""
_COLUMNS = ("page", "table_no", "row_no", "column_no", "text", "value", "label", "period")
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 3

Place = tuple[int, int, int, int]
"""Page, table, row and column in a document."""
ColumnPlace = tuple[int, int, int]
"""Page, table and column."""
RowKey = tuple[str, str]
"""Words of a row's labels, and the period of the figure."""


class PrintedFigure(NamedTuple):
    """A number of a document, with what its row is about."""

    row: RowKey
    place: Place
    text: str
    value: float

    @property
    def column(self) -> ColumnPlace:
        """Place of its column."""
        page, table, _, column = self.place
        return page, table, column

    @property
    def digits(self) -> int:
        """Digits in number; none where there are so few that another figure is equal by chance."""
        count = sum(map(str.isdigit, self.text))
        return count if count >= _DIGITS else 0


class IssueFigures:
    """The numbers of one document by rows and columns; of a row that is told twice in a column there is none."""

    def __init__(self, part: StoredPart) -> None:
        self.name = part.record.name
        with pq.ParquetFile(part.folder / PAGES) as file:
            pages = file.read(columns=["page", "route"], use_threads=False)
        routes = zip(*(column.to_pylist() for column in pages.columns), strict=True)
        scanned = {page for page, route in routes if route == Route.OCR}
        self.columns: dict[ColumnPlace, dict[RowKey, PrintedFigure | None]] = defaultdict(dict)
        for figure in _figures(part):
            rows = self.columns[figure.column]
            rows[figure.row] = None if figure.row in rows else figure
        self.recognised = [column for column in self.columns if column[0] in scanned]
        """Columns that were read from pictures."""
        self.printing: dict[tuple[RowKey, float], list[ColumnPlace]] = defaultdict(list)
        """Columns that print a figure in a row."""
        for column, rows in self.columns.items():
            for row, known in rows.items():
                if known is not None and known.digits:
                    self.printing[row, known.value].append(column)


def neighbours_of(parts: Sequence[StoredPart]) -> Iterator[tuple[StoredPart, dict[Place, OtherPrinting]]]:
    """Each document with recognised pages, and the figures of these that the nearest other document prints, too.

    Only the figures of a document and its neighbours are in memory.
    """
    ordered = sorted(parts, key=lambda part: (part.record.issue, part.record.name))
    opened: dict[int, IssueFigures] = {}
    for k, part in enumerate(ordered):
        for gone in [n for n in opened if n < k - NEAREST]:
            del opened[gone]
        if Route.OCR not in part.record.routes:
            continue
        near = sorted((n for n in range(k - NEAREST, k + NEAREST + 1) if n != k), key=lambda n: abs(n - k))
        for n in (k, *near):
            if 0 <= n < len(ordered) and n not in opened:
                opened[n] = IssueFigures(ordered[n])
        found: dict[Place, OtherPrinting] = {}
        for n in near:
            if n in opened:
                # What a nearer one prints stays.
                found = dict(_printings(opened[k], opened[n])) | found
        yield part, found


def _printings(own: IssueFigures, other: IssueFigures) -> Iterator[tuple[Place, OtherPrinting]]:
    for column in own.recognised:
        rows = {row: figure for row, figure in own.columns[column].items() if figure is not None}
        votes = Counter[ColumnPlace]()
        for row, figure in rows.items():
            for theirs in other.printing.get((row, figure.value), ()):
                votes[theirs] += figure.digits
        if not votes:
            continue
        best, digits = max(votes.items(), key=lambda vote: (vote[1], vote[0]))
        pairs = [(rows[row], same) for row, same in other.columns[best].items() if row in rows and same is not None]
        differing = sum(figure.value != same.value for figure, same in pairs)
        revised = len(pairs) - differing < _AGREEING * differing
        for figure, same in pairs:
            agrees = figure.value == same.value
            # What a figure is held against must not be found by this figure.
            if digits - figure.digits * agrees >= _TOGETHER and (figure.digits or not agrees):
                address = str(Address(other.name, *same.place))
                yield figure.place, OtherPrinting(address, same.text, agrees, revised)


def _figures(part: StoredPart) -> Iterator[PrintedFigure]:
    """Numbers of tables of whose row something is told."""
    with pq.ParquetFile(part.folder / CELLS) as file:
        for batch in file.iter_batches(columns=list(_COLUMNS), use_threads=False):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                page, table, line, column, text, value, label, period = row
                # Whether years are fiscal is often said on one of the two pages only.
                about = (words_of_path(label), period.removeprefix("FY").removeprefix("CY"))
                if value is not None and any(about):
                    yield PrintedFigure(about, (page, table, line, column), text, value)


@lru_cache(maxsize=_REMEMBERED)
def words_of_path(path: str) -> str:
    """Words of labels, without marks of notes and what is only a date, which the period tells."""
    words = _WORD.findall(PATH.join(split_marks(step).body for step in path.split(PATH)).casefold())
    return " ".join(
        word for word in words if len(word) >= _SHORTEST and (month_number(word) is None or word == "may")
    )


def elsewhere_on(page: PageContent) -> Mapping[Place, OtherPrinting]:
    """Figures of other documents that are stored with a page, by the places of its own."""
    return {
        (page.number, table.number, cell.row, cell.column): cell.elsewhere
        for table in page.tables
        for row in table.rows
        for cell in row
        if cell.elsewhere is not None
    }


def with_elsewhere(page: PageContent, found: Mapping[Place, OtherPrinting]) -> PageContent:
    """A page with these figures of other documents beside its own, and none of those it had."""

    def told(table: int, cell: Cell) -> Cell:
        other = found.get((page.number, table, cell.row, cell.column))
        return cell if other == cell.elsewhere else replace(cell, elsewhere=other)

    tables = (
        replace(table, rows=tuple(tuple(told(table.number, cell) for cell in row) for row in table.rows))
        for table in page.tables
    )
    return replace(page, tables=tuple(tables))
