"""Adjacency relations: the ICDAR 2013 table competition's measure of structure.

A relation is a pair of neighbouring texts and a direction. Each cell that is not blank relates to the next such
cell to its right and below it, in each of the rows and columns that it covers; a pair of cells counts once. Being
without coordinates, it measures engines that number rows and columns in different ways by one ruler (Göbel, Hassan,
Oro, Orsi: A methodology for evaluating algorithms for table understanding in PDF documents, 2012).
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from lab.scoring.cells import F1
from lab.scoring.truth import plain_text
from worktrial.archive.pages import Table
from worktrial.errors import DataError

_MOST_LINES = 10_000
_SPACES = re.compile(r"\s+")


class Span(NamedTuple):
    """A text and the cells of the grid that it covers; both ends belong to it."""

    text: str
    first_row: int
    first_column: int
    last_row: int
    last_column: int


class Region(NamedTuple):
    """A table on a page, true or found by any engine."""

    page: int
    """1-based."""
    spans: tuple[Span, ...]


class Relation(NamedTuple):
    """Two neighbours."""

    text: str
    neighbour: str
    below: bool
    """Otherwise to the right."""


def read_regions(path: Path) -> tuple[Region, ...]:
    """Read the tables of a `*-str.xml`.

    Raises:
        DataError: the file is not such truth; says where.
    """
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError) as e:
        raise DataError(path, f"cannot be read as XML: {e}") from e
    regions = [_region(path, region) for table in root.iter("table") for region in table.iter("region")]
    if not regions:
        raise DataError(path, "holds no table", "Give a file of the structure truth, *-str.xml")
    return tuple(regions)


def _region(path: Path, region: ElementTree.Element) -> Region:
    spans = []
    for cell in region.iter("cell"):
        row, column = _index(path, cell, "start-row"), _index(path, cell, "start-col")
        last_row, last_column = _index(path, cell, "end-row", row), _index(path, cell, "end-col", column)
        if not (0 <= row <= last_row < _MOST_LINES and 0 <= column <= last_column < _MOST_LINES):
            raise DataError(f"{path}: cell at row {row}, column {column}", "does not span a place in a table")
        spans.append(Span(cell.findtext("content") or "", row, column, last_row, last_column))
    return Region(_index(path, region, "page"), tuple(spans))


def _index(path: Path, element: ElementTree.Element, name: str, missing: int | None = None) -> int:
    text = element.get(name)
    if text is None and missing is not None:
        return missing
    try:
        # Some transcribers left a space in.
        return int(text or "")
    except ValueError as e:
        raise DataError(f"{path}: {element.tag}: {name}", f"must be a whole number, and is {text!r}") from e


def spans_of(grid: Sequence[Sequence[str]], *, header_rows: int = 0) -> tuple[Span, ...]:
    """A plain grid as spans; equal neighbours in header rows are one heading that covers several cells.

    Elsewhere equal neighbours are two cells that say the same.
    """
    spans = [_heading(grid, r, c, header_rows) for r in range(header_rows) for c in range(len(grid[r]))]
    body = (
        Span(text, r, c, r, c)
        for r, row in enumerate(grid)
        if r >= header_rows
        for c, text in enumerate(row)
        if text
    )
    return (*(span for span in spans if span is not None), *body)


def _heading(grid: Sequence[Sequence[str]], r: int, c: int, header_rows: int) -> Span | None:
    """The heading that has its top left corner here."""
    text = grid[r][c]
    if not text or (c and grid[r][c - 1] == text) or (r and c < len(grid[r - 1]) and grid[r - 1][c] == text):
        return None
    last_column = c
    while last_column + 1 < len(grid[r]) and grid[r][last_column + 1] == text:
        last_column += 1
    last_row = r
    while last_row + 1 < header_rows and set(grid[last_row + 1][c : last_column + 1]) == {text}:
        last_row += 1
    return Span(text, r, c, last_row, last_column)


def region_of(table: Table) -> Region:
    """A table of an archive as a region."""
    return Region(table.page, spans_of(table.grid, header_rows=table.header_rows))


def relations(spans: Iterable[Span]) -> Counter[Relation]:
    """All relations of a table, each pair of neighbouring cells once in a direction."""
    cells = [span._replace(text=adjacency_text(span.text)) for span in spans]
    cells = [span for span in cells if span.text]
    at: dict[tuple[int, int], int] = {}
    for i, span in enumerate(cells):
        for r in range(span.first_row, span.last_row + 1):
            for c in range(span.first_column, span.last_column + 1):
                at.setdefault((r, c), i)
    rows = 1 + max((r for r, _ in at), default=-1)
    columns = 1 + max((c for _, c in at), default=-1)
    lines = [([(r, c) for c in range(columns)], False) for r in range(rows)]
    lines += [([(r, c) for r in range(rows)], True) for c in range(columns)]
    pairs: set[tuple[int, int, bool]] = set()
    for places, below in lines:
        here = [at[place] for place in places if place in at]
        pairs.update((a, b, below) for a, b in pairwise(here) if a != b)
    return Counter(Relation(cells[a].text, cells[b].text, below) for a, b, below in pairs)


def adjacency_text(text: str) -> str:
    """Text for comparing: no white space at all, one kind of dash and quote, no leader dots, compatible letters."""
    return _SPACES.sub("", plain_text(unicodedata.normalize("NFKC", text))).casefold()


def adjacency_score(truth_regions: Sequence[Region], found: Sequence[Region]) -> F1:
    """Score an engine's tables of one document.

    Each true table is compared with the found table of its page that shares most relations; a found table stands
    for one true table only, and one that stands for none has nothing but false relations.
    """
    true = [relations(region.spans) for region in truth_regions]
    own = [relations(region.spans) for region in found]
    candidates = [
        ((true[i] & own[j]).total(), i, j)
        for i, region in enumerate(truth_regions)
        for j, other in enumerate(found)
        if region.page == other.page
    ]
    right, used_true, used_found = 0, set[int](), set[int]()
    for shared, i, j in sorted(candidates, key=lambda one: (-one[0], one[1], one[2])):
        if shared and i not in used_true and j not in used_found:
            right += shared
            used_true.add(i)
            used_found.add(j)
    return F1(right, sum(c.total() for c in true), sum(c.total() for c in own))
