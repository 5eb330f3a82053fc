"""The same figure in other documents: found by its table's name, labels, headings, unit and period."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.meaning.cells import PATH
from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import Address, Cell, OtherPrinting, PageContent, Route
from worktrial.archive.search.same import name_key
from worktrial.archive.store.parts import CELLS, PAGES, TABLES, StoredPart

NEAREST = 6
"""Documents before one, and after it, that its figures are looked for in: those of the nearest dates of issue."""
_FEWEST_DIGITS = 2
"""Figures of fewer are the same by chance."""
_AGREEING = 4
"""Figures of two tables that agree for each that differs; where fewer do, one is a revision of the other."""
_REMEMBERED = 65_536
"""Labels and headings, which are those of many cells."""
_COLUMNS = (
    *("page", "table_no", "row_no", "column_no", "text", "value"),
    *("label", "header", "unit", "period"),
)
_WORD = re.compile(r"[^\W_]+")

Place = tuple[int, int, int, int]
"""Page, table, row and column in a document."""
FigureKey = tuple[str, str, str, str, str]


class PrintedFigure(NamedTuple):
    """A number of a document, with what it is about."""

    key: FigureKey
    place: Place
    text: str
    value: float


class DocumentFigures:
    """The numbers of one document by what they are about; those that are told in two ways are none."""

    def __init__(self, part: StoredPart) -> None:
        self.name = part.record.name
        with pq.ParquetFile(part.folder / PAGES) as file:
            pages = file.read(columns=["page", "route"], use_threads=False)
        routes = zip(*(column.to_pylist() for column in pages.columns), strict=True)
        scanned = {page for page, route in routes if route == Route.OCR}
        self.recognised: list[PrintedFigure] = []
        """Those that were read from pictures."""
        self.by_key: dict[FigureKey, PrintedFigure | None] = {}
        for figure in _figures(part):
            known = self.by_key.get(figure.key, figure)
            same = known is not None and known.value == figure.value
            self.by_key[figure.key] = known if same else None
            if figure.place[0] in scanned:
                self.recognised.append(figure)


def neighbours_of(parts: Sequence[StoredPart]) -> Iterator[tuple[StoredPart, dict[Place, OtherPrinting]]]:
    """Each document with recognised pages, and the figures of these that the nearest other document prints, too.

    Only the figures of a document and its neighbours are in memory.
    """
    ordered = sorted(parts, key=lambda part: (part.record.issue, part.record.name))
    opened: dict[int, DocumentFigures] = {}
    for k, part in enumerate(ordered):
        for gone in [n for n in opened if n < k - NEAREST]:
            del opened[gone]
        if Route.OCR not in part.record.routes:
            continue
        near = sorted((n for n in range(k - NEAREST, k + NEAREST + 1) if n != k), key=lambda n: abs(n - k))
        for n in (k, *near):
            if 0 <= n < len(ordered) and n not in opened:
                opened[n] = DocumentFigures(ordered[n])
        yield part, _printings(opened[k], [opened[n] for n in near if n in opened])


def _printings(own: DocumentFigures, others: Sequence[DocumentFigures]) -> dict[Place, OtherPrinting]:
    pairs: list[tuple[PrintedFigure, DocumentFigures, PrintedFigure]] = []
    for figure in own.recognised:
        if own.by_key[figure.key] is None or sum(map(str.isdigit, figure.text)) < _FEWEST_DIGITS:
            continue
        told = ((other, other.by_key.get(figure.key)) for other in others)
        found = next(((other, theirs) for other, theirs in told if theirs is not None), None)
        if found is not None:
            pairs.append((figure, *found))
    differing: dict[tuple[int, int, str], Counter[bool]] = defaultdict(Counter)
    for figure, other, theirs in pairs:
        differing[(*figure.place[:2], other.name)][figure.value == theirs.value] += 1
    printings = {}
    for figure, other, theirs in pairs:
        counts = differing[(*figure.place[:2], other.name)]
        revised = counts[True] < _AGREEING * counts[False]
        address = str(Address(other.name, *theirs.place))
        printings[figure.place] = OtherPrinting(address, theirs.text, figure.value == theirs.value, revised)
    return printings


def _figures(part: StoredPart) -> Iterator[PrintedFigure]:
    """Numbers of tables with a name, of which a label or heading and a period is told."""
    with pq.ParquetFile(part.folder / TABLES) as file:
        titles = file.read(columns=["page", "table_no", "title"], use_threads=False)
    names = {
        (page, number): name_key(title)
        for page, number, title in zip(*(column.to_pylist() for column in titles.columns), strict=True)
    }
    with pq.ParquetFile(part.folder / CELLS) as file:
        for batch in file.iter_batches(columns=list(_COLUMNS), use_threads=False):
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                page, number, line, column, text, value, label, header, unit, period = row
                name = names.get((page, number), "")
                if value is None or not period or not name or not (label or header):
                    continue
                key = (name, words_of_path(label), words_of_path(header), unit, period)
                yield PrintedFigure(key, (page, number, line, column), text, value)


@lru_cache(maxsize=_REMEMBERED)
def words_of_path(path: str) -> str:
    """Words and numbers of labels or headings, without marks of notes and signs."""
    return " ".join(_WORD.findall(PATH.join(split_marks(step).body for step in path.split(PATH)).casefold()))


def elsewhere_on(page: PageContent) -> Mapping[Place, OtherPrinting]:
    """What is stored with a page of its figures in other documents."""
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
