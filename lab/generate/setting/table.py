"""A table on paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lab.generate.printed import Heading, PrintedTable, Role, Row
from lab.generate.setting.marks import Line, Mark, Text, broken, width_of
from lab.generate.style import Style

MOST_LINES = 4
"""Lines that a heading over one column may take."""
INDENT = 8.0

_HEADING = 0.93
"""Size of headings beside that of figures."""
_LEADING = 1.22
_NOTE = 0.88


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


class Frame(NamedTuple):
    """The part of the page where blocks may stand."""

    left: float
    top: float
    right: float
    bottom: float


class Placed(NamedTuple):
    """A block's marks and where it ends."""

    marks: list[Mark]
    bottom: float


def set_table(table: PrintedTable, style: Style, frame: Frame, size: float) -> Placed | None:
    """Set a table at the top of a frame; None where it is too wide at this size."""
    widths, marks = natural_widths(table, style, size)
    room = frame.right - frame.left
    if sum(widths) > room:
        return None
    widths = spread(widths, len(table.stub), room)
    left = frame.left + (room - sum(widths)) / 2
    edges = [left]
    for width in widths:
        edges.append(edges[-1] + width)
    return _Setter(table, style, size, Columns(tuple(edges), tuple(marks))).placed(frame)


class _Setter:
    def __init__(self, table: PrintedTable, style: Style, size: float, columns: Columns) -> None:
        self._table, self._style, self._size = table, style, size
        self._edges, self._room_for_marks = columns.edges, columns.marks
        self._labels = len(table.stub)
        self._small = size * _HEADING
        self._marks: list[Mark] = []

    def placed(self, frame: Frame) -> Placed:
        style, size = self._style, self._size
        left, right = self._edges[0], self._edges[-1]
        middle = (frame.left + frame.right) / 2
        y = frame.top + size * 1.3
        self._centred(self._table.title, middle, y, style.bold, size * 1.2)
        y += size * 1.35
        self._centred(f"({self._table.unit})", middle, y, style.font, size)
        top = y + size * 0.6
        below = self._head(top)
        self._marks += [Line(left, top, right, top, 0.9), Line(left, below, right, below, 0.6)]
        bottom = self._body(below + size * 0.35) + size * 0.3
        self._marks.append(Line(left, bottom, right, bottom, 0.9))
        if style.column_rules:
            self._marks += [Line(x, max(top, start), x, bottom, 0.5) for x, start in self._verticals(top)]
        return Placed(self._marks, self._notes(bottom + size * 0.4, frame))

    def _verticals(self, top: float) -> Iterator[tuple[float, float]]:
        """Each inner edge of a column with where its rule begins: below the heading that spans it."""
        starts = dict.fromkeys(range(1, len(self._edges) - 1), top)
        for heading, first, level in _spans(self._table.headings, self._labels, 0):
            for edge in range(first + 1, first + heading.width):
                starts[edge] = max(starts[edge], self._levels[level + 1])
        yield from ((self._edges[edge], start) for edge, start in starts.items())

    def _head(self, top: float) -> float:
        """Headings from the outermost to the lowest; returns where they end."""
        self._levels = self._level_tops(top)
        for c, text in enumerate(self._table.stub):
            self._heading(Heading(text), c, 0)
        for heading, first, level in _all(self._table.headings, self._labels, 0):
            self._heading(heading, first, level)
            if heading.children:
                inset = 0.0 if self._style.column_rules else 3.0
                y = self._levels[level + 1]
                x0, x1 = self._edges[first] + inset, self._edges[first + heading.width] - inset
                self._marks.append(Line(x0, y, x1, y, 0.4))
        return self._levels[-1]

    def _level_tops(self, top: float) -> list[float]:
        depth, line = self._table.header_rows, self._small * 1.12
        lines = [1] * depth
        flat = list(_all(self._table.headings, self._labels, 0))
        flat += [(Heading(text), c, 0) for c, text in enumerate(self._table.stub)]
        for heading, first, level in sorted(flat, key=lambda place: -place[2]):
            need = len(self._lines(heading, first))
            if heading.children:
                lines[level] = max(lines[level], need)
        for heading, first, level in flat:
            if not heading.children:
                short = len(self._lines(heading, first)) - sum(lines[level:])
                lines[-1] += max(0, short)
        tops = [top]
        for count in lines:
            tops.append(tops[-1] + count * line + self._small * 0.5)
        return tops

    def _lines(self, heading: Heading, first: int) -> list[str]:
        room = self._edges[first + heading.width] - self._edges[first] - self._small * 0.6
        lines = broken(heading.text, self._style.font, self._small, room)
        if heading.mark and width_of(f"{lines[-1]} {heading.mark}", self._style.font, self._small) > room + 1:
            last = lines[-1].split()
            if len(last) > 1:
                lines[-1:] = [" ".join(last[:-1]), last[-1]]
        return [*lines, heading.number] if heading.number else lines

    def _heading(self, heading: Heading, first: int, level: int) -> None:
        lines, line = self._lines(heading, first), self._small * 1.12
        floor = self._levels[level + 1] if heading.children else self._levels[-1]
        ceiling = self._levels[level]
        middle = (self._edges[first] + self._edges[first + heading.width]) / 2
        height = len(lines) * line
        y = (ceiling + floor - height) / 2 if self._style.column_rules else floor - height - self._small * 0.25
        marked = len(lines) - (2 if heading.number else 1)
        for i, text in enumerate(lines):
            y += line
            mark = heading.mark if i == marked else ""
            self._centred(text, middle, y - self._small * 0.25, self._style.font, self._small, mark)

    def _centred(self, text: str, x: float, y: float, font: str, size: float, mark: str = "") -> None:
        width = width_of(text, font, size)
        start = x - (width + (width_of(f" {mark}", font, size) if mark else 0.0)) / 2
        self._marks.append(Text(start, y, text, font, size))
        if mark:
            self._mark(start + width, y, mark, size)

    def _mark(self, x: float, y: float, mark: str, size: float) -> None:
        if self._style.raised_marks and mark.isdigit():
            self._marks.append(Text(x + size * 0.15, y - size * 0.33, mark, self._style.font, size * 0.68))
        else:
            self._marks.append(Text(x + width_of(" ", self._style.font, size), y, mark, self._style.font, size))

    def _body(self, y: float) -> float:
        for i, row in enumerate(self._table.rows):
            if row.gap and i:
                y += self._size * 0.55
            y += self._size * _LEADING
            self._row(row, y - self._size * 0.28)
        return y

    def _row(self, row: Row, y: float) -> None:
        size = self._size
        font = self._style.bold if row.role is Role.TOTAL and not self._style.leaders else self._style.font
        for c, label in enumerate(row.labels):
            x = self._edges[c] + size * 0.25 + (row.indent * INDENT if c == 0 else 0.0)
            if label:
                self._marks.append(Text(x, y, label, font, size))
                x += width_of(label, font, size)
            if row.mark and c == len(row.labels) - 1:
                self._mark(x, y, row.mark, size)
                x += width_of(f" {row.mark}", font, size)
            if self._style.leaders and label and any(row.cells):
                self._leaders(x, self._edges[c + 1], y)
        for c, cell in enumerate(row.cells, self._labels):
            if cell:
                text, mark = split_mark(cell)
                right = self._edges[c + 1] - size * 0.45 - self._room_for_marks[c]
                self._marks.append(Text(right - width_of(text, font, size), y, text, font, size))
                if mark:
                    self._mark(right, y, mark, size)

    def _leaders(self, x: float, until: float, y: float) -> None:
        step = width_of(".", self._style.font, self._size)
        dots = int((until - x - self._size * 0.9) / step)
        if dots >= 2:
            self._marks.append(
                Text(until - self._size * 0.45 - dots * step, y, "." * dots, self._style.font, self._size)
            )

    def _notes(self, y: float, frame: Frame) -> float:
        size = self._size * _NOTE
        for note in self._table.notes:
            for line in broken(note, self._style.font, size, frame.right - frame.left):
                y += size * 1.2
                self._marks.append(Text(frame.left, y, line, self._style.font, size))
        return y + size


def _all(headings: Sequence[Heading], first: int, level: int) -> Iterator[tuple[Heading, int, int]]:
    for heading in headings:
        yield heading, first, level
        yield from _all(heading.children, first, level + 1)
        first += heading.width


def _spans(headings: Sequence[Heading], first: int, level: int) -> Iterator[tuple[Heading, int, int]]:
    return (place for place in _all(headings, first, level) if place[0].children)
