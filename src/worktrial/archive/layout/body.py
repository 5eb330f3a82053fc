"""Columns of a table's body: valleys that no row covers."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.layout.lines import Phrase, TextLine
from worktrial.archive.pages import Box

_STEP = 0.5  # points; the resolution of the coverage profile

# In font sizes.
_FIGURE_VALLEY = 0.12
_TEXT_VALLEY = 0.75

_USUAL = 0.25  # of the rows


@dataclass(frozen=True, slots=True)
class BodyColumn:
    """One column of a body: where its content stands and how far its slot reaches."""

    x0: float
    x1: float
    left: float
    """The slot's edge: half-way to the neighbour, or the ruling line between them."""
    right: float

    @property
    def middle(self) -> float:
        """Middle of the content, in points."""
        return (self.x0 + self.x1) / 2


def find_columns(lines: Sequence[TextLine], size: float, walls: Sequence[Box] = ()) -> list[BodyColumn]:
    """Columns by coverage, label columns first.

    Args:
        lines: of the body.
        size: the body's font size.
        walls: vertical rules that run along the body.
    """
    phrases = [(phrase, line) for line in lines for phrase in line.phrases if _counts(phrase, line)]
    if not phrases:
        return []
    origin = min(phrase.box.x0 for phrase, _ in phrases) - 1
    reach = max(phrase.box.x1 for phrase, _ in phrases) + 1
    steps = int((reach - origin) / _STEP) + 2
    change = np.zeros(steps + 1)
    for phrase, _ in phrases:
        change[int((phrase.box.x0 - origin) / _STEP)] += 1
        change[int((phrase.box.x1 - origin) / _STEP) + 1] -= 1
    profile = np.cumsum(change[:-1])
    covered = profile > 0
    edges = np.flatnonzero(np.diff(np.concatenate(([0], covered.astype(np.int8), [0]))))
    runs = [
        (origin + a * _STEP, origin + b * _STEP)
        for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    ]
    lines_x = sorted((wall.x0 + wall.x1) / 2 for wall in walls)
    figures = sorted(
        ((phrase.box.x0, k, phrase) for k, line in enumerate(lines) for phrase in line.phrases if phrase.figure),
        key=lambda one: one[0],
    )
    runs = [part for run in runs for part in _parted(run, figures, profile, origin)]
    return _slots(_merged(runs, phrases, size, lines_x), lines_x)


def _counts(phrase: Phrase, line: TextLine) -> bool:
    # A heading inside the body stands across its columns.
    return phrase.figure or len(line.phrases) > 1 or bool(line.leaders)


def _parted(
    run: tuple[float, float],
    figures: Sequence[tuple[float, int, Phrase]],
    profile: NDArray[np.float64],
    origin: float,
) -> list[tuple[float, float]]:
    """Cut a run in which most rows hold several figures: a few wide ones, such as totals, bridge the valleys.

    The cut goes where fewest phrases stand between the usual places of two neighbours.

    Args:
        run: from where to where.
        figures: left edge, row and phrase, from left to right.
        profile: how many phrases cover each step of the width.
        origin: where the profile begins.
    """
    by_row: dict[int, list[Phrase]] = {}
    low_end, high_end = run[0] - 1, run[1] + 1
    for place in range(bisect_left(figures, low_end, key=lambda one: one[0]), len(figures)):
        x0, row_number, phrase = figures[place]
        if x0 > high_end:
            break
        if phrase.box.x1 <= high_end:
            by_row.setdefault(row_number, []).append(phrase)
    rows = list(by_row.values())
    counts = [len(row) for row in rows]
    most = max(counts, default=0)
    while most > 1 and counts.count(most) < max(2, _USUAL * len(rows)):
        most -= 1
    if most < 2 or counts.count(most) < max(2, _USUAL * len(rows)):
        return [run]
    usual = [row for row in rows if len(row) == most]
    parts, left = [], run[0]
    for k in range(most - 1):
        low = float(np.median([row[k].box.x1 for row in usual]))
        high = float(np.median([row[k + 1].box.x0 for row in usual]))
        a, b = int((low - origin) / _STEP), int((high - origin) / _STEP) + 1
        here = profile[a:b]
        if not len(here):
            return [run]
        least = np.flatnonzero(here == here.min())
        cut = origin + (a + float(least.mean())) * _STEP
        parts.append((left, cut - _STEP))
        left = cut + _STEP
    return [*parts, (left, run[1])]


def _left_edge(phrase: Phrase) -> float:
    return phrase.box.x0


def _merged(
    runs: list[tuple[float, float]], phrases: list[tuple[Phrase, TextLine]], size: float, walls: list[float]
) -> list[tuple[float, float]]:
    """Runs of text that only chance keeps apart become one column."""
    counts = []
    ordered = sorted((phrase for phrase, _ in phrases), key=_left_edge)
    for x0, x1 in runs:
        first, end = (bisect_left(ordered, x, key=_left_edge) for x in (x0 - 1, x1 + 1))
        inside = [phrase for phrase in ordered[first:end] if phrase.box.x1 <= x1 + 1]
        counts.append((len(inside), sum(phrase.figure for phrase in inside)))
    merged: list[tuple[float, float]] = []
    kinds: list[tuple[int, int]] = []
    for (x0, x1), (count, figures) in zip(runs, counts, strict=True):
        if merged:
            gap = x0 - merged[-1][1]
            numeric = figures * 2 >= count or kinds[-1][1] * 2 >= kinds[-1][0]
            walled = any(merged[-1][1] - 1 <= wall <= x0 + 1 for wall in walls)
            cut = gap <= 2 * _STEP + 0.01 and figures * 2 >= count and kinds[-1][1] * 2 >= kinds[-1][0]
            if not walled and not cut and gap < (_FIGURE_VALLEY if numeric else _TEXT_VALLEY) * size:
                merged[-1] = (merged[-1][0], x1)
                kinds[-1] = (kinds[-1][0] + count, kinds[-1][1] + figures)
                continue
        merged.append((x0, x1))
        kinds.append((count, figures))
    return merged


def _slots(runs: list[tuple[float, float]], walls: list[float]) -> list[BodyColumn]:
    edges = [runs[0][0] - 6.0]
    for (_, end), (start, _) in pairwise(runs):
        between = [wall for wall in walls if end - 1 <= wall <= start + 1]
        edges.append(between[0] if between else (end + start) / 2)
    edges.append(runs[-1][1] + 6.0)
    return [BodyColumn(x0, x1, edges[k], edges[k + 1]) for k, (x0, x1) in enumerate(runs)]


def by_column(lines: Sequence[TextLine], columns: Sequence[BodyColumn]) -> list[list[tuple[Phrase, TextLine]]]:
    """Phrases in each column's slot, with their lines, from top to bottom; slots follow each other without gaps."""
    lefts = [column.left for column in columns]
    inside: list[list[tuple[Phrase, TextLine]]] = [[] for _ in columns]
    for line in lines:
        for phrase in line.phrases:
            middle = phrase.middle
            k = bisect_right(lefts, middle) - 1
            if k >= 0 and middle < columns[k].right:
                inside[k].append((phrase, line))
    return inside


def column_of(phrase: Phrase, columns: Sequence[BodyColumn]) -> int:
    """The column whose slot holds most of the phrase."""
    best, most = 0, -1e9
    x0, _, x1, _ = phrase.box
    for k, column in enumerate(columns):
        if column.left <= x0 and x1 <= column.right:
            return k
        shared = min(x1, column.right) - max(x0, column.left)
        if shared > most:
            best, most = k, shared
    return best
