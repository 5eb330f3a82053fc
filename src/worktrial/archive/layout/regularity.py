"""Regularity: how far a page's figures stand in rows and columns, which is what its tables are trusted by."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from worktrial.archive.layout.lines import Phrase, TextLine
from worktrial.archive.layout.tokens import is_year
from worktrial.archive.meaning.value import value_of
from worktrial.archive.pages import Box, Cell, Table

_FEWEST = 8
"""Figures of a page that tell nothing of its layout."""
_OFF = 0.8
"""Heights by which a figure may stand beside the edge or middle of its column."""
_APART = 0.6
"""Heights by which it may stand above or below its row."""
_NEAR = 8
"""Font sizes between two words of a line that tell its slope."""
_OVER = 0.05
"""Share of the smaller of two tables that may lie in the other."""
_ROW = 3
"""Figures of a line outside of all tables that are a row of one."""
# Not words between, and not a share beside its number: 38 (24.7%).
_TWO_FIGURES = re.compile(
    r"[^a-z]*\d[\d,.]*\)?\s+(?!\([^)]*%)[-$(]*(?:\d{1,3}(?:,\d{3})+|\d+\.\d)[^a-z]*", re.IGNORECASE
)


def layout_confidence(tables: Sequence[Table], zones: Sequence[Sequence[TextLine]]) -> float | None:
    """Share of a page's figures that stand in regular rows and columns, 0-1; None where there are few figures.

    Irregular are figures that stand beside their column or their row, two in a cell, those of tables that overlap
    or are so askew that one end of a row is level with the next, and rows of figures that no table has taken.

    Args:
        tables: Found on the page.
        zones: Lines of its words, part by part.
    """
    regular = total = 0
    slope = _slope(zones)
    for table, overlaps in zip(tables, _overlapping(tables), strict=True):
        good, figures = _in_grid(table)
        regular += 0 if overlaps or _is_askew(table, slope) else good
        total += figures
    total += sum(1 for _ in _outside(tables, zones))
    return round(regular / total, 3) if total >= _FEWEST else None


def _in_grid(table: Table) -> tuple[int, int]:
    """Figures of a table that stand in its rows and columns, and all."""
    body = [row[table.label_columns :] for row in table.rows[table.header_rows :]]
    columns = [[cell for cell in column if _is_figure(cell)] for column in zip(*body, strict=True)]
    edges = [_edges([cell.box for cell in column if cell.box is not None]) for column in columns]
    good = figures = 0
    for row in body:
        boxes = [cell.box for cell in row if cell.box is not None and _is_figure(cell)]
        level = median((box.y0 + box.y1) / 2 for box in boxes) if boxes else 0.0
        for cell, edge in zip(row, edges, strict=True):
            if not _is_figure(cell):
                continue
            if _TWO_FIGURES.fullmatch(cell.text):
                figures += 2
                continue
            figures += 1
            good += int(cell.box is None or bool(_at(cell.box, edge) and _level(cell.box, level)))
    return good, figures


def _slope(zones: Sequence[Sequence[TextLine]]) -> float:
    """Points that lines of words sink in one point to the right."""
    slopes = [
        (next_.box.y0 + next_.box.y1 - word.box.y0 - word.box.y1)
        / (next_.box.x0 + next_.box.x1 - word.box.x0 - word.box.x1)
        for zone in zones
        for line in zone
        for word, next_ in pairwise(line.words)
        if 0 < next_.box.x0 - word.box.x1 < _NEAR * line.size
    ]
    return median(slopes) if len(slopes) >= _FEWEST else 0.0


def _is_askew(table: Table, slope: float) -> bool:
    heights = [cell.box.height for row in table.rows for cell in row if cell.box is not None and _is_figure(cell)]
    return bool(heights) and abs(slope) * table.box.width > _APART * median(heights)


def _is_figure(cell: Cell) -> bool:
    return any(map(str.isdigit, cell.text))


def _edges(boxes: Sequence[Box]) -> tuple[float, float, float]:
    """Usual left edge, middle and right edge of a column's figures."""
    if not boxes:
        return 0.0, 0.0, 0.0
    return (
        median(box.x0 for box in boxes),
        median((box.x0 + box.x1) / 2 for box in boxes),
        median(box.x1 for box in boxes),
    )


def _at(box: Box, edges: tuple[float, float, float]) -> bool:
    places = (box.x0, (box.x0 + box.x1) / 2, box.x1)
    return min(abs(a - b) for a, b in zip(places, edges, strict=True)) <= _OFF * box.height


def _level(box: Box, level: float) -> bool:
    return abs((box.y0 + box.y1) / 2 - level) <= _APART * box.height


def _overlapping(tables: Sequence[Table]) -> Iterator[bool]:
    """Say of each table whether another lies partly in its place."""
    for table in tables:
        yield any(_share(table.box, other.box) > _OVER for other in tables if other is not table)


def _share(one: Box, other: Box) -> float:
    """Area that two boxes share, as a share of the smaller one."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    smaller = min(one.width * one.height, other.width * other.height)
    return across * down / smaller if across > 0 and down > 0 and smaller > 0 else 0.0


def _outside(tables: Sequence[Table], zones: Sequence[Sequence[TextLine]]) -> Iterator[Phrase]:
    """Figures that no table has: rows of them elsewhere, and what was lost inside of one."""
    kept = [Counter(word for row in table.rows for cell in row for word in cell.text.split()) for table in tables]
    for zone in zones:
        for line in zone:
            alone = []
            for phrase in line.figures:
                if is_year(phrase.text):
                    continue
                words = [word.text for word in phrase.words if any(map(str.isdigit, word.text))]
                inside = [own for table, own in zip(tables, kept, strict=True) if table.box.holds(phrase.box)]
                if not inside:
                    alone.append(phrase)
                elif any(not any(word in own for own in inside) for word in words):
                    yield phrase
            if len(alone) >= _ROW and 2 * len(alone) >= len(line.phrases) and not _is_scale(alone):
                yield from alone


def _is_scale(figures: Sequence[Phrase]) -> bool:
    """Whether figures grow in equal steps, as those beside a chart do."""
    values = [number for figure in figures if (number := value_of(figure.text).number) is not None]
    steps = [b - a for a, b in pairwise(values)]
    return bool(steps) and max(steps) - min(steps) <= 1e-6 * max(map(abs, values))
