"""Prose, contents and charts on paper."""

from itertools import pairwise

from lab.generate.page import Chart, ChartKind, Contents, Prose
from lab.generate.rounding import digits
from lab.generate.setting.fonts import broken, width_of
from lab.generate.setting.marks import Bar, Line, Mark, Text
from lab.generate.setting.table import Frame, Placed
from lab.generate.style import Style

_CHART_HEIGHT = 230.0
_PROSE = 10.0


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
