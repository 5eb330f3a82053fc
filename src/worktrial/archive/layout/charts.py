"""Charts: where they are drawn, and what looks like a table but is the scale of one."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from worktrial.archive.layout.draft import Draft
from worktrial.archive.layout.lines import around
from worktrial.archive.layout.tokens import is_year
from worktrial.archive.meaning.value import value_of
from worktrial.archive.pages import Box, Word

CAPTION = re.compile(
    r"\s*(?:(?:figure|fig\.|chart|graph|diagramm?|abbildung|abb\.|schaubild|grafik|graphique)(?!\w)"
    r"|그림 ?\d)",
    re.IGNORECASE,
)
_TICKS = 4
_LEAST_ROWS = 3

_BARS = 3
_SAME = 1.5  # points within which bars stand on one axis, or are equally long
_OF_WIDTH = 0.25  # by which bars may differ in thickness
_WORDS_IN_BARS = 0.3  # of the bars; more hold text only where they are shades behind a table's cells
_LEAST_WIDE, _LEAST_TALL = 60.0, 30.0  # points of a drawn line's box
_TICK_REACH = 42.0  # points, from an axis to the far end of what is printed at it
_LABEL_REACH = 14.0


def find_charts(
    areas: Sequence[Box], curves: Sequence[Box], levels: Sequence[Box], words: Sequence[Word]
) -> list[Box]:
    """Places of charts with bars or lines, scales and names along their axes included.

    Args:
        areas: filled rectangles.
        curves: boxes around lines that are neither level nor upright.
        levels: horizontal rules, among them the lines of a chart's grid.
        words: of the page.
    """
    drawn = [around(bars) for upright in (True, False) for bars in _bars(areas, words, upright=upright)]
    drawn += [box for box in curves if box.width >= _LEAST_WIDE and box.height >= _LEAST_TALL]
    charts = []
    for box in drawn:
        whole = around([box, *_grid(box, levels)])
        charts.append(
            Box(whole.x0 - _TICK_REACH, whole.y0 - _LABEL_REACH, whole.x1 + _LABEL_REACH, whole.y1 + _LABEL_REACH)
        )
    return charts


def _grid(box: Box, levels: Sequence[Box]) -> list[Box]:
    """The lines of a chart's grid: all of one length, at equal steps, some of them across the bars or lines."""
    across = sorted((rule for rule in levels if _crosses(rule, box)), key=lambda rule: rule.y0)
    inside = [rule for rule in across if box.y0 - _SAME <= rule.y0 <= box.y1 + _SAME]
    if not inside:
        return []
    like = [r for r in across if abs(r.x0 - inside[0].x0) < _SAME and abs(r.x1 - inside[0].x1) < _SAME]
    runs: list[list[Box]] = []
    for a, b in pairwise(like):
        if runs and runs[-1][-1] is a and abs((b.y0 - a.y0) - (a.y0 - runs[-1][-2].y0)) <= _SAME:
            runs[-1].append(b)
        else:
            runs.append([a, b])
    return max((run for run in runs if any(rule in inside for rule in run)), key=len, default=inside)


def _crosses(rule: Box, box: Box) -> bool:
    return rule.x0 <= box.x0 + box.width / 4 and rule.x1 >= box.x1 - box.width / 4


class BarValues(NamedTuple):
    """Figures that stand over the bars of a chart, one over each, from left to right."""

    words: list[Word]
    base: float
    """Height of the line that the bars stand on, in points from the top of the page."""


def values_over_bars(areas: Sequence[Box], words: Sequence[Word]) -> list[BarValues]:
    """The figures of each chart whose upright bars all have one; the height of each is that of its bar."""
    found = []
    for bars in _bars(areas, words, upright=True):
        over = [[word for word in words if _stands_over(word.box, bar)] for bar in bars]
        if all(len(figures) == 1 for figures in over):
            found.append(BarValues([figures[0] for figures in over], max(bar.y1 for bar in bars)))
    return found


def _stands_over(word: Box, bar: Box) -> bool:
    return bar.x0 <= (word.x0 + word.x1) / 2 <= bar.x1 and bar.y0 - _LABEL_REACH <= word.y1 <= bar.y0 + _SAME


def _bars(areas: Sequence[Box], words: Sequence[Word], *, upright: bool) -> Iterable[list[Box]]:
    """Rectangles that stand on one line and are not all equally long, from left to right or from top to bottom."""
    groups: dict[int, list[Box]] = {}
    for area in areas:
        base = area.y1 if upright else area.x0
        groups.setdefault(round(base / _SAME), []).append(area)
    for group in groups.values():
        bars = _alike(group, upright=upright)
        long = [bar.height if upright else bar.width for bar in bars]
        if len(bars) < _BARS or max(long) - min(long) <= _SAME:
            continue
        filled = sum(any(bar.holds(word.box, 0.0) for word in words) for bar in bars)
        if filled <= _WORDS_IN_BARS * len(bars):
            yield bars


def _alike(group: Sequence[Box], *, upright: bool) -> list[Box]:
    """Bars of a usual thickness, apart from each other."""
    thick = sorted(bar.width if upright else bar.height for bar in group)
    usual = thick[len(thick) // 2]
    bars = [bar for bar in group if abs((bar.width if upright else bar.height) - usual) <= _OF_WIDTH * usual]
    bars.sort(key=lambda bar: bar.x0 if upright else bar.y0)
    apart: list[Box] = []
    for bar in bars:
        if not apart or (bar.x0 >= apart[-1].x1 - _SAME if upright else bar.y0 >= apart[-1].y1 - _SAME):
            apart.append(bar)
    return apart


def is_chart(draft: Draft) -> bool:
    """Whether a table found without a grid is a chart: by its caption, or because its figures are ticks of a scale.

    Ticks stand at equal steps. Years do too, and other figures only by rare chance.
    """
    if CAPTION.match(draft.title):
        return True
    if not draft.header_rows and len(draft.grid) < _LEAST_ROWS and not draft.title:
        return True
    rows = [[cell.text for cell in row] for row in draft.grid[draft.header_rows :]]
    if not rows:
        return False
    if any(_is_scale(row) for row in (rows[0], rows[-1])):
        return True
    columns = [column for column in zip(*rows, strict=True) if any(value_of(text).number for text in column)]
    return bool(columns) and all(_is_scale(column) for column in columns)


def _is_scale(texts: Sequence[str]) -> bool:
    told = [text for text in texts if text]
    numbers = [value_of(text).number for text in told]
    if len(told) < _TICKS or any(number is None for number in numbers) or all(map(is_year, told)):
        return False
    known = [number for number in numbers if number is not None]
    steps = [b - a for a, b in pairwise(known)]
    return steps[0] != 0 and all(abs(step - steps[0]) <= 1e-6 * max(1.0, abs(steps[0])) for step in steps)
