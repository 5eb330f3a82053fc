"""Widths of the columns of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from lab.generate.printed import Heading, PrintedTable
from lab.generate.setting.fonts import broken, width_of
from lab.generate.style import Style

MOST_LINES = 4
"""Lines that a heading over one column may take."""
INDENT = 8.0


@dataclass(frozen=True, slots=True)
class Columns:
    """Edges of all columns, label columns first."""

    edges: tuple[float, ...]
    """One more than there are columns."""
    marks: tuple[float, ...]
    """Room kept right of the figures of each column for `r` and the like."""


def natural_widths(table: PrintedTable, style: Style, size: float) -> tuple[list[float], list[float]]:
    """Least widths of all columns, and the room for marks in each."""
    gap = size * 0.9
    labels = [_label_width(table, style, size, c) + gap for c in range(len(table.stub))]
    figures, marks = [], []
    for c, heading in enumerate(_lowest(table.headings)):
        body = [split_mark(row.cells[c]) for row in table.rows]
        mark = max((width_of(f" {m}", style.font, size) for _, m in body if m), default=0.0)
        data = max((width_of(text, style.font, size) for text, _ in body if text), default=0.0)
        figures.append(max(data + mark, _heading_width(heading, style, size * 0.93)) + gap)
        marks.append(mark)
    _widen(table.headings, figures, style, size * 0.93, 0)
    return [*labels, *figures], [*([0.0] * len(labels)), *marks]


def split_mark(cell: str) -> tuple[str, str]:
    """A cell's figure and its mark."""
    if cell.endswith(" r"):
        return cell[:-2], "r"
    return cell, ""


def spread(widths: Sequence[float], labels: int, room: float) -> list[float]:
    """Give out what is left of the line, but not so much that rows fall apart."""
    left = room - sum(widths)
    figures = len(widths) - labels
    each = min(26.0, max(0.0, left) / (figures + 1.5))
    first = min(40.0, max(0.0, left - each * figures))
    return [width + (first if i == 0 else 0.0 if i < labels else each) for i, width in enumerate(widths)]


def _label_width(table: PrintedTable, style: Style, size: float, column: int) -> float:
    texts = [
        width_of(row.printed_labels[column], style.bold, size) + (row.indent * INDENT if column == 0 else 0.0)
        for row in table.rows
    ]
    longest = max(width_of(word, style.font, size) for word in table.stub[column].split())
    return max(*texts, longest) + (2.5 * size if style.leaders else 0.0)


def _lowest(headings: Sequence[Heading]) -> list[Heading]:
    return [leaf for h in headings for leaf in (_lowest(h.children) if h.children else [h])]


def _heading_width(heading: Heading, style: Style, size: float) -> float:
    """The least width at which the heading takes no more than its lines."""
    text = f"{heading.text} {heading.mark}".strip()
    width = max(width_of(word, style.font, size) for word in (*text.split(), heading.number or " "))
    while len(broken(text, style.font, size, width)) > MOST_LINES:
        width += size
    # A mark alone on a line would look like a heading.
    last = heading.text.split()[-1]
    return max(width, width_of(f"{last} {heading.mark}", style.font, size)) if heading.mark else width


def _widen(headings: Sequence[Heading], widths: list[float], style: Style, size: float, first: int) -> None:
    """Columns below a long heading share what it needs beyond their own widths; it may take two lines."""
    for heading in headings:
        if heading.children:
            _widen(heading.children, widths, style, size, first)
            own = slice(first, first + heading.width)
            words = [width_of(word, style.font, size) for word in heading.text.split()]
            need = max(*words, width_of(heading.text, style.font, size) * 0.62) + size
            short = need - sum(widths[own])
            if short > 0:
                widths[own] = [width + short / heading.width for width in widths[own]]
        first += heading.width
