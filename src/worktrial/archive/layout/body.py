"""Columns and rows of a table's body: valleys that no row covers, lines to rows, phrases to cells."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.layout.lines import Phrase, TextLine, around
from worktrial.archive.layout.tokens import joined
from worktrial.archive.pages import Box

_STEP = 0.5  # points; the resolution of the coverage profile

# In font sizes.
_FIGURE_VALLEY = 0.12
_TEXT_VALLEY = 0.75

_USUAL = 0.25  # of the rows

_LEAST_TEXTS = 2
_NEARER = 1.25  # times the distance to the row below, for a line that goes on with a text of the row above
_EDGE = 0.5  # font sizes within which lines begin under each other
_WRAP_GAP = 1.9  # font sizes between the lines of one label


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


@dataclass(slots=True)
class BodyRow:
    """Phrases of one row by column."""

    cells: list[list[Phrase]]
    line: TextLine
    led: bool = False
    """Whether leader dots follow its label."""
    label: list[str] = field(default_factory=list)
    """Lines of its label, where there are several."""

    def only_label(self, labels: int) -> bool:
        """Whether it has no figures."""
        return not any(self.cells[labels:])

    def text(self, column: int) -> str:
        """Text of one cell."""
        if column == 0 and self.label:
            return joined(self.label)
        return " ".join(phrase.text for phrase in self.cells[column])

    def box(self, column: int) -> Box | None:
        """Box around one cell's content; None where it is empty."""
        return around(phrase.box for phrase in self.cells[column]) if self.cells[column] else None


def body_rows(lines: Sequence[TextLine], columns: Sequence[BodyColumn], labels: int) -> list[BodyRow]:
    """Rows in order.

    Args:
        lines: of the body.
        columns: label columns first.
        labels: how many of them hold labels.
    """
    texts = text_columns(lines, columns)
    rows = [_row(line, columns, labels, texts) for line in lines if line.phrases]
    return _wrapped_joined(_cells_joined(rows, texts), labels)


def text_columns(lines: Sequence[TextLine], columns: Sequence[BodyColumn]) -> list[int]:
    """Columns after the first that hold texts, such as remarks, which may run over several lines."""
    inside = by_column([line for line in lines if len(line.phrases) > 1], columns)
    return [
        k
        for k, phrases in enumerate(inside)
        if k
        and len(phrases) >= _LEAST_TEXTS
        and sum(not phrase.figure and len(phrase.words) > 1 for phrase, _ in phrases) * 2 > len(phrases)
    ]


def text_column_of(line: TextLine, columns: Sequence[BodyColumn], texts: Sequence[int]) -> int | None:
    """The column of texts that a line goes on with: nothing else stands in it; None where it is another line."""
    if len(line.phrases) != 1 or line.phrases[0].figure:
        return None
    x0 = line.phrases[0].box.x0
    return next((k for k in texts if abs(columns[k].x0 - x0) < _EDGE * line.size), None)


def _row(line: TextLine, columns: Sequence[BodyColumn], labels: int, texts: Sequence[int]) -> BodyRow:
    cells: list[list[Phrase]] = [[] for _ in columns]
    alone = not any(phrase.figure for phrase in line.phrases) and len(line.phrases) == 1
    own = text_column_of(line, columns, texts)
    for phrase in line.phrases:
        # A heading inside the body stands wherever there is room; it is the label of what follows.
        place = own if own is not None else 0 if alone and labels else column_of(phrase, columns)
        cells[place].append(phrase)
    return BodyRow(cells, line, bool(line.leaders))


def _cells_joined(rows: list[BodyRow], texts: Sequence[int]) -> list[BodyRow]:
    """Lines that hold nothing but more of a text go to the row above, or to that below where it is nearer."""
    if not texts:
        return rows
    done: list[BodyRow] = []
    waiting: list[BodyRow] = []
    lowest = 0.0  # of the lines of the last row
    for k, row in enumerate(rows):
        middle = row.line.middle
        # What ends with a colon is the heading of texts below it.
        if row.line.text.endswith(":") or any(cell for c, cell in enumerate(row.cells) if c not in texts):
            for other in waiting:
                _more(row, other, before=True)
            waiting = []
            done.append(row)
        else:
            below = next((r.line.middle for r in rows[k + 1 :]), 1e9)
            if done and not waiting and middle - lowest <= _NEARER * (below - middle):
                _more(done[-1], row, before=False)
            else:
                waiting.append(row)
        lowest = middle
    return done + waiting


def _more(row: BodyRow, other: BodyRow, *, before: bool) -> None:
    for c, cell in enumerate(other.cells):
        row.cells[c] = cell + row.cells[c] if before else row.cells[c] + cell


def _wrapped_joined(rows: list[BodyRow], labels: int) -> list[BodyRow]:
    if not labels:
        return rows
    right = max(
        (row.cells[0][-1].box.x1 for row in rows if row.cells[0] and not row.only_label(labels)), default=0.0
    )
    done: list[BodyRow] = []
    for row in rows:
        above = done[-1] if done else None
        if above is None or not row.cells[0] or not above.cells[0] or not _near(above, row):
            done.append(row)
        elif above.only_label(labels) and not above.led and _runs_on(above, row, right):
            row.label = [*(above.label or [above.text(0)]), row.text(0)]
            row.cells[0] = above.cells[0] + row.cells[0]
            done[-1] = row
        elif row.only_label(labels) and not row.led and not above.led and _hangs(above, row):
            above.label = [*(above.label or [above.text(0)]), row.text(0)]
            above.cells[0] = above.cells[0] + row.cells[0]
        else:
            done.append(row)
    return done


def _near(above: BodyRow, below: BodyRow) -> bool:
    return below.line.middle - above.line.middle < _WRAP_GAP * max(above.line.size, below.line.size)


def _runs_on(above: BodyRow, below: BodyRow, right: float) -> bool:
    """Whether the label goes on in the next line: only because there was no room for its next word."""
    text = above.text(0)
    if text.rstrip().endswith((":", ".", "—")) or (_bold(above) and not _bold(below)):
        return False
    first = below.cells[0][0].words[0]
    if first.text[:1].islower():
        return True
    room = right - above.cells[0][-1].box.x1
    return text.endswith("-") or first.box.width + 0.3 * above.line.size > room


def _bold(row: BodyRow) -> bool:
    return all(word.bold for phrase in row.cells[0] for word in phrase.words)


def _hangs(above: BodyRow, below: BodyRow) -> bool:
    """Whether a line without figures goes on with the label of the row above."""
    first = below.cells[0][0]
    return first.text[:1].islower() and first.box.x0 >= above.cells[0][0].box.x0 - 1
