"""Pages set from blocks."""

from itertools import pairwise

from lab.generate.printed import Block, Chart, ChartKind, Contents, Page, PrintedTable, Prose, digits
from lab.generate.setting.marks import Bar, Line, Mark, Sheet, Text, broken, width_of
from lab.generate.setting.table import Frame, Placed, set_table
from lab.generate.style import Style

_CHART_HEIGHT = 230.0
_PROSE = 10.0

_SHORT, _LONG = 612.0, 792.0
_MARGIN = 45.0
_STEPS = (1.0, 0.94, 0.88, 0.82, 0.76)
"""Sizes that are tried until everything fits."""


def set_prose(prose: Prose, style: Style, frame: Frame) -> Placed:
    """A heading, then paragraphs with a first line set in."""
    y = frame.top + 14
    marks: list[Mark] = [Text(frame.left, y, prose.heading, style.bold, 12)]
    y += 10
    for paragraph in prose.paragraphs:
        y += 6
        # The first line is set in: three blanks that the breaking would drop.
        lines = broken(paragraph, style.font, _PROSE, frame.right - frame.left - 18)
        for i, line in enumerate(lines):
            y += _PROSE * 1.35
            marks.append(Text(frame.left + (18 if i == 0 else 0), y, line, style.font, _PROSE))
    return Placed(marks, y + _PROSE)


def set_contents(contents: Contents, style: Style, frame: Frame) -> Placed:
    """The masthead, then titles with dots and printed page numbers."""
    y, middle = frame.top + 30, (frame.left + frame.right) / 2
    marks: list[Mark] = []
    for i, line in enumerate(contents.lines):
        size = 20.0 if i == 2 else 12.0
        y += size * 1.6
        marks.append(Text(middle - width_of(line, style.bold, size) / 2, y, line, style.bold, size))
    y += 30
    if contents.entries:
        marks.append(Text(middle - width_of("Contents", style.bold, 12) / 2, y, "Contents", style.bold, 12))
    size = 9.5 if len(contents.entries) < 36 else 8.0
    dot = width_of(".", style.font, size)
    for title, folio in contents.entries:
        y += size * 1.35
        marks.append(Text(frame.left, y, title, style.font, size))
        start, end = frame.left + width_of(title, style.font, size), frame.right - 24
        dots = int((end - start - size) / dot)
        if dots > 1:
            marks.append(Text(end - dots * dot, y, "." * dots, style.font, size))
        marks.append(Text(frame.right - width_of(folio, style.font, size), y, folio, style.font, size))
    return Placed(marks, y + size)


def set_chart(chart: Chart, style: Style, frame: Frame) -> Placed:
    """Bars with their values above them, or a line over a scale."""
    middle, y = (frame.left + frame.right) / 2, frame.top + 16
    marks: list[Mark] = [
        Text(middle - width_of(chart.title, style.bold, 12) / 2, y, chart.title, style.bold, 12),
        Text(middle - width_of(f"({chart.unit})", style.font, 9) / 2, y + 14, f"({chart.unit})", style.font, 9),
    ]
    plot = Frame(frame.left + 44, y + 36, frame.right - 20, y + 36 + _CHART_HEIGHT)
    marks += [
        Line(plot.left, plot.top, plot.left, plot.bottom, 0.6),
        Line(plot.left, plot.bottom, plot.right, plot.bottom, 0.6),
    ]
    draw = _bars if chart.kind is ChartKind.BARS else _line
    marks += draw(chart, style, plot)
    return Placed(marks, plot.bottom + 34)


def _bars(chart: Chart, style: Style, plot: Frame) -> list[Mark]:
    marks: list[Mark] = []
    step = (plot.right - plot.left) / len(chart.values)
    top = max(*chart.values, 1) * 1.1
    for i, (label, value) in enumerate(zip(chart.labels, chart.values, strict=True)):
        middle = plot.left + (i + 0.5) * step
        height = (plot.bottom - plot.top) * value / top
        marks.append(Bar(middle - step * 0.3, plot.bottom - height, middle + step * 0.3, plot.bottom))
        shown = digits(value, 0)
        marks.append(
            Text(middle - width_of(shown, style.font, 8) / 2, plot.bottom - height - 4, shown, style.font, 8)
        )
        marks.append(Text(middle - width_of(label, style.font, 8) / 2, plot.bottom + 12, label, style.font, 8))
    return marks


def _line(chart: Chart, style: Style, plot: Frame) -> list[Mark]:
    marks: list[Mark] = []
    step = 10 ** (len(str(max(*chart.values, 1))) - 1)
    top = (max(chart.values) // step + 1) * step
    for tick in range(0, top + 1, step):
        y = plot.bottom - (plot.bottom - plot.top) * tick / top
        text = digits(tick, 0)
        marks.append(Line(plot.left - 3, y, plot.right, y, 0.25))
        marks.append(Text(plot.left - 6 - width_of(text, style.font, 8), y + 3, text, style.font, 8))
    gap = (plot.right - plot.left) / (len(chart.values) - 1)
    points = [
        (plot.left + i * gap, plot.bottom - (plot.bottom - plot.top) * value / top)
        for i, value in enumerate(chart.values)
    ]
    marks += [Line(*a, *b, 1.2) for a, b in pairwise(points)]
    for i in range(0, len(points), 12):
        marks.append(Text(points[i][0], plot.bottom + 12, chart.labels[i], style.font, 8))
    return marks


def set_page(page: Page, style: Style, running_head: str) -> Sheet:
    """Set a page upright, or lying where a table is too wide for that."""
    for width, height in ((_SHORT, _LONG), (_LONG, _SHORT)):
        for step in _STEPS:
            marks = _blocks(page, style, style.size * step, width, height)
            if marks is not None:
                return Sheet(width, height, (*marks, *_frame(page, style, running_head, width, height)))
    raise AssertionError(f"page {page.folio} does not fit on paper at any size")


def _blocks(page: Page, style: Style, size: float, width: float, height: float) -> list[Mark] | None:
    frame = Frame(_MARGIN, _MARGIN + 14, width - _MARGIN, height - _MARGIN - 8)
    marks: list[Mark] = []
    for block in page.blocks:
        placed = _placed(block, style, frame, size)
        if placed is None or placed.bottom > frame.bottom:
            return None
        marks += placed.marks
        frame = frame._replace(top=placed.bottom + 10)
    return marks


def _placed(block: Block, style: Style, frame: Frame, size: float) -> Placed | None:
    if isinstance(block, PrintedTable):
        return set_table(block, style, frame, size)
    if isinstance(block, Prose):
        return set_prose(block, style, frame)
    if isinstance(block, Chart):
        return set_chart(block, style, frame)
    assert isinstance(block, Contents)
    return set_contents(block, style, frame)


def _frame(page: Page, style: Style, running_head: str, width: float, height: float) -> list[Mark]:
    if not page.folio:
        return []
    middle = width / 2
    head = Text(middle - width_of(running_head, style.font, 8) / 2, _MARGIN - 6, running_head, style.font, 8)
    foot = Text(middle - width_of(page.folio, style.font, 9) / 2, height - _MARGIN + 10, page.folio, style.font, 9)
    return [head, foot]
