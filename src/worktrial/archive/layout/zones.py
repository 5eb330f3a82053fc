"""Parts of a page that are read one after the other: columns of prose, tables in them, notes beside them.

A page is cut at gutters, strips that stay white down many lines, and its parts again. Valleys between the columns
of a table are white as well; a gutter is told from them by the prose that ends at it, or by captions on both sides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.layout.draft import TITLE, columns_of_notes
from worktrial.archive.layout.lines import TextLine, find_lines
from worktrial.archive.layout.tokens import has_letters, is_nothing, is_number, is_year
from worktrial.archive.pages import Box, Word

_STEP = 3.0  # points; the resolution of white strips
_MOST_CUTS = 24  # on one page
_CANDIDATES = 5  # strips looked at closely
_BESIDE = 2  # lines with text on both sides

# In font sizes.
_GUTTER = 0.9
_WORD_SPACE = 1.3  # the widest in justified prose
_PROSE_STEP = 1.75  # between the lines of a paragraph
_LEVEL = 0.25  # within which two lines are at one height
_BLOCK_GAP = 1.9

_LETTERS = 12  # in a line of prose
_PARAGRAPH = 3  # lines
_FILLED = 0.72  # of a column's width
_FULL_LINES = 0.6  # of a paragraph's
_LABELLED = 0.6  # of the rows of a table that stands beside prose
_NOTE_LINES = 0.6
_ALIGNED = 0.75  # of a table's rows; where more stand at the height of a line of prose, that is one of their cells


@dataclass(frozen=True, slots=True)
class _Strip:
    """White from line `first` to line `last`, both included."""

    first: int
    last: int
    x: float
    beside: int
    """Lines with text on both sides."""


class _Stretch(NamedTuple):
    """Words of one line that no gutter parts."""

    x0: float
    x1: float
    prose: bool
    caption: bool


@dataclass(frozen=True, slots=True)
class _Side:
    """Lines on one side of a strip."""

    lines: list[TextLine]
    left: float
    right: float
    paragraphs: list[list[TextLine]]

    @property
    def prose(self) -> int:
        """Lines in paragraphs."""
        return sum(map(len, self.paragraphs))


def find_zones(lines: list[TextLine], levels: Sequence[Box], uprights: Sequence[Box]) -> list[list[TextLine]]:
    """The page's parts in reading order; one part where there are no columns.

    Args:
        lines: of the page, from top to bottom, with their phrases.
        levels: horizontal rules and the frames of tables; no gutter crosses one.
        uprights: vertical rules.
    """
    budget = [_MOST_CUTS]
    return _zones(lines, levels, uprights, budget)


def _zones(
    lines: list[TextLine], levels: Sequence[Box], uprights: Sequence[Box], budget: list[int]
) -> list[list[TextLine]]:
    if budget[0] <= 0 or len(lines) < _PARAGRAPH:
        return [lines] if lines else []
    stretches = [_stretches(line) for line in lines]
    if not any(one.prose or one.caption for line in stretches for one in line):
        return [lines]
    for found in _strips(lines, levels):
        strip = _above_notes(lines, found)
        cut = _cut(lines, strip, uprights) if _promising(stretches, strip) else None
        if cut is None:
            continue
        budget[0] -= 1
        parts = (lines[: strip.first], cut[0].lines, cut[1].lines, lines[strip.last + 1 :])
        return [zone for part in parts for zone in _zones(part, levels, uprights, budget)]
    return [lines]


def _above_notes(lines: Sequence[TextLine], strip: _Strip) -> _Strip:
    """A strip as far as the notes in columns under a table: they stay together, and are put in order there."""
    for first in range(strip.first, strip.last + 1):
        if columns_of_notes(lines, first)[1]:
            return replace(strip, last=first - 1)
    return strip


def _stretches(line: TextLine) -> list[_Stretch]:
    """The line's words, parted where they stand further apart than in prose."""
    found: list[_Stretch] = []
    start = 0
    words = line.words
    for k in range(1, len(words) + 1):
        if k == len(words) or words[k].box.x0 - words[k - 1].box.x1 > _WORD_SPACE * line.size:
            part = words[start:k]
            found.append(
                _Stretch(part[0].box.x0, part[-1].box.x1, _is_prose(part), TITLE.match(part[0].text) is not None)
            )
            start = k
    return found


def _promising(stretches: Sequence[Sequence[_Stretch]], strip: _Strip) -> bool:
    """Whether prose ends at the strip, or captions stand on both its sides."""
    inner = stretches[strip.first : strip.last + 1]
    captions = 0
    for here in (
        [s for line in inner for s in line if s.x1 <= strip.x + 1],
        [s for line in inner for s in line if s.x1 > strip.x + 1],
    ):
        if not here:
            return False
        left, right = min(s.x0 for s in here), max(s.x1 for s in here)
        if sum(s.prose and s.x1 - s.x0 >= _FILLED * (right - left) for s in here) >= _FULL_LINES * _PARAGRAPH:
            return True
        captions += any(s.caption for s in here)
    return captions == 2


def _strips(lines: Sequence[TextLine], levels: Sequence[Box]) -> list[_Strip]:
    """The likeliest strips, best first: those with most lines on both sides."""
    left = min(line.box.x0 for line in lines)
    right = max(line.box.x1 for line in lines)
    count = int((right - left) / _STEP) + 1
    if count < 3:
        return []
    walls = _crossed(lines, levels, left, count)
    first = np.zeros(count, dtype=np.int64)
    beside = np.zeros(count, dtype=np.int64)
    best = np.zeros((3, count), dtype=np.int64)  # lines on both sides, first, last
    places = left + _STEP * np.arange(count, dtype=np.float64)
    for k, line in enumerate(lines):
        white, both = _white(line, left, count, places)
        ended = ~white | walls[k]
        first[ended] = np.where(white[ended], k, k + 1)
        beside[ended] = 0
        beside[white & both] += 1
        better = white & (beside >= best[0]) & (beside > 0)
        # A strip goes on below its last line with text on both sides.
        grown = better & ((beside > best[0]) | (best[1] == first))
        best[0][grown], best[1][grown], best[2][grown] = beside[grown], first[grown], k
    return _peaks(best, places)


def _white(line: TextLine, left: float, count: int, places: NDArray[np.float64]) -> tuple[NDArray[np.bool_], ...]:
    white = np.ones(count, dtype=np.bool_)
    words = line.words
    for word in words:
        a, b = int((word.box.x0 - left) / _STEP), int((word.box.x1 - left) / _STEP) + 1
        white[max(0, a) : b + 1] = False
    for a_word, b_word in pairwise(words):
        # Spaces between words are no gutter.
        if b_word.box.x0 - a_word.box.x1 < _GUTTER * line.size:
            white[max(0, int((a_word.box.x1 - left) / _STEP)) : int((b_word.box.x0 - left) / _STEP) + 2] = False
    both = (places > words[0].box.x1) & (places < words[-1].box.x0) if words else white & False
    return white, both


def _crossed(lines: Sequence[TextLine], levels: Sequence[Box], left: float, count: int) -> NDArray[np.bool_]:
    """Whether a rule stands between each line and the one above it, place by place."""
    middles = [line.middle for line in lines]
    walls = np.zeros((len(lines) + 1, count), dtype=np.bool_)
    for rule in levels:
        a, b = int((rule.x0 - left) / _STEP), int((rule.x1 - left) / _STEP) + 1
        low, high = np.searchsorted(middles, (rule.y0, rule.y1))
        if b > 0:
            walls[low : high + 1, max(0, a) : b] = True
    return walls


def _peaks(best: NDArray[np.int64], places: NDArray[np.float64]) -> list[_Strip]:
    """One strip for each run of neighbouring places that are white along the same lines."""
    strips: list[_Strip] = []
    k, count, touching = 0, len(places), -1
    while k < count:
        end = k
        while end + 1 < count and (best[:, end + 1] == best[:, k]).all():
            end += 1
        beside, first, last = (int(value) for value in best[:, k])
        if beside >= _BESIDE and last - first + 1 >= _PARAGRAPH:
            middle = float((places[k] + places[end]) / 2)
            strip = _Strip(first, last, middle, beside)
            # A column has a straight left edge: near it, a heading over both columns is no part of one.
            if strips and touching == k and strips[-1].beside == beside:
                strips.pop()
            strips.append(strip)
            touching = end + 1
        k = end + 1
    strips.sort(key=lambda strip: (strip.first - strip.last, -strip.x))
    return strips[:_CANDIDATES]


def _cut(lines: Sequence[TextLine], strip: _Strip, uprights: Sequence[Box]) -> tuple[_Side, _Side] | None:
    """The two sides where the strip is a gutter."""
    inner = lines[strip.first : strip.last + 1]
    left = _side((word for line in inner for word in line.words if word.box.x1 <= strip.x + 1), uprights)
    right = _side((word for line in inner for word in line.words if word.box.x1 > strip.x + 1), uprights)
    if left is None or right is None:
        return None
    if _captions(left, right) or _parted_by_prose(left, right) or _noted(left, right):
        return left, right
    return None


def _side(words: Iterable[Word], uprights: Sequence[Box]) -> _Side | None:
    lines = find_lines(list(words), uprights)
    if not lines:
        return None
    left, right = min(line.box.x0 for line in lines), max(line.box.x1 for line in lines)
    return _Side(lines, left, right, _paragraphs(lines, right - left))


def _paragraphs(lines: Sequence[TextLine], width: float) -> list[list[TextLine]]:
    found: list[list[TextLine]] = []
    for line in lines:
        if line.leaders or len(_stretches(line)) > 1 or not _is_prose(line.words):
            found.append([])
        elif (
            found
            and found[-1]
            and line.middle - found[-1][-1].middle <= _PROSE_STEP * line.size
            and abs(line.size - found[-1][-1].size) < 0.1 * line.size
        ):
            found[-1].append(line)
        else:
            found.append([line])
    return [
        part
        for part in found
        if len(part) >= _PARAGRAPH
        and sum(line.box.width >= _FILLED * width for line in part) >= _FULL_LINES * len(part)
    ]


def _is_prose(words: Sequence[Word]) -> bool:
    told = [word.text for word in words if has_letters(word.text)]
    return sum(map(len, told)) >= _LETTERS and 2 * len(told) > len(words)


def _captions(left: _Side, right: _Side) -> bool:
    """Whether captions begin on both sides at one height: tables or charts side by side."""
    return any(
        abs(a.middle - b.middle) < 2 * a.size
        for a in left.lines
        if TITLE.match(a.text)
        for b in right.lines
        if TITLE.match(b.text)
    )


def _parted_by_prose(left: _Side, right: _Side) -> bool:
    """Whether prose on one side stands beside something that is no part of it."""
    if left.prose and right.prose:
        return True
    for side, other in ((left, right), (right, left)):
        for part in side.paragraphs:
            top, bottom = part[0].middle - part[0].size, part[-1].middle + part[-1].size
            near = [line for line in other.lines if top <= line.middle <= bottom]
            if len(near) >= _BESIDE and _stands_alone(near, part):
                return True
    return False


def _stands_alone(near: Sequence[TextLine], paragraph: Sequence[TextLine]) -> bool:
    """Whether lines beside a paragraph are no cells of the rows that it would be the text of."""
    rows = [line for line in near if line.figures]
    if len(rows) * 2 < len(near):
        return any(abs(line.middle - paragraph[0].middle) > _LEVEL * line.size for line in near)
    labelled = sum(not _is_figure(line.phrases[0].text) or is_year(line.phrases[0].text) for line in rows)
    if len(rows) < _BESIDE or labelled < _LABELLED * len(rows) or not _many_phrases(rows):
        return False
    level = sum(any(abs(row.middle - line.middle) <= _LEVEL * row.size for line in paragraph) for row in rows)
    beyond = sum(not rows[0].middle - line.size < line.middle < rows[-1].middle + line.size for line in paragraph)
    return level <= _ALIGNED * len(rows) or beyond >= _PARAGRAPH


def _many_phrases(rows: Sequence[TextLine]) -> bool:
    return sum(len(line.phrases) > 1 for line in rows) * 2 > len(rows)


def _is_figure(text: str) -> bool:
    return is_number(text) or is_nothing(text)


def _noted(left: _Side, right: _Side) -> bool:
    """Whether notes stand in a margin: texts at heights or in a size of their own, beside prose that ends there."""
    for side, other in ((left, right), (right, left)):
        if not side.prose or other.right - other.left > 0.6 * (side.right - side.left):
            continue
        texts = [line for line in other.lines if not line.figures and has_letters(line.text)]
        if len(texts) < _BESIDE or len(texts) < 0.8 * len(other.lines):
            continue
        if not any(line.box.x1 > side.right - 2 * line.size for part in side.paragraphs for line in part):
            continue
        own = sum(
            not any(
                abs(line.middle - beside.middle) <= _LEVEL * line.size and abs(line.size - beside.size) < 0.3
                for beside in side.lines
            )
            for line in texts
        )
        if own >= _NOTE_LINES * len(texts):
            return True
    return False
