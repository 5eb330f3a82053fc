"""Words to lines, lines to phrases."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.archive.geometry import Box
from worktrial.archive.layout.tokens import is_leader, is_mark, is_nothing, is_number
from worktrial.archive.words import Word

# In font sizes.
_SAME_LINE = 0.42
_PHRASE_GAP = 0.62
_FIGURE_GAP = 0.16
_GROUP_GAP = 0.45  # between groups of three digits: "12 345"
_SMALL = 0.8
_FAR_MARK = 0.7
_FAR_SIGN = 4.0

_SIGNS = frozenset("$£€¥")


@dataclass(slots=True)
class Phrase:
    """Words of one line that belong together: a cell's content, or a stretch of prose."""

    words: list[Word]
    box: Box
    figure: bool
    """A number or what stands for one."""

    @property
    def text(self) -> str:
        """As printed."""
        return " ".join(word.text for word in self.words)

    @property
    def middle(self) -> float:
        """Of its width."""
        return (self.box.x0 + self.box.x1) / 2


@dataclass(slots=True)
class Line:
    """Words that stand on one baseline, from left to right."""

    words: list[Word]
    middle: float
    """Height of its middle on the page."""
    size: float
    """Font size of most of it."""
    phrases: list[Phrase] = field(default_factory=list)
    leaders: list[Box] = field(default_factory=list)

    @property
    def box(self) -> Box:
        """Around its words."""
        return around(word.box for word in self.words)

    @property
    def text(self) -> str:
        """As printed, without leader dots."""
        return " ".join(word.text for word in self.words if not is_leader(word.text))


def around(boxes: "Sequence[Box] | object") -> Box:
    """The smallest box around all."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)  # type: ignore[call-overload]
    return Box(min(x0), min(y0), max(x1), max(y1))


def size_of(word: Word) -> float:
    """Font size, or the height of the box where the size is unknown."""
    return word.size or max(1.0, word.box.height)


def find_lines(words: Sequence[Word], uprights: Sequence[Box] = ()) -> list[Line]:
    """Lines from top to bottom, with their phrases.

    Args:
        words: in any order.
        uprights: vertical rules; no phrase runs across one.
    """
    lines = _raised_marks_joined(_by_height(words))
    for line in lines:
        line.words.sort(key=lambda word: word.box.x0)
        _split(line, uprights)
    lines.sort(key=lambda line: line.middle)
    return lines


def _by_height(words: Sequence[Word]) -> list[Line]:
    lines: list[Line] = []
    for word in sorted(words, key=lambda word: word.box.y0 + word.box.y1):
        middle = (word.box.y0 + word.box.y1) / 2
        size = size_of(word)
        best, distance = None, 1e9
        for line in reversed(lines[-4:]):
            away = abs(middle - line.middle)
            if away < _SAME_LINE * min(size, line.size) and away < distance:
                best, distance = line, away
        if best is None:
            lines.append(Line([word], middle, size))
        else:
            best.words.append(word)
            count = len(best.words)
            if size >= _SMALL * best.size:
                best.middle += (middle - best.middle) / min(count, 8)
                best.size = max(best.size, size) if count < 3 else best.size
    return lines


def _raised_marks_joined(lines: list[Line]) -> list[Line]:
    """Raised footnote marks go to the line of the word that they follow."""
    middles = [line.middle for line in lines]
    kept = []
    for line in lines:
        stay = []
        for word in line.words:
            home = None
            if len(word.text) <= 5:
                home = _home(word, line, lines, middles)
            if home is None:
                stay.append(word)
            else:
                home.words.append(word)
        if stay:
            line.words = stay
            kept.append(line)
    return kept


def _home(word: Word, own: Line, lines: list[Line], middles: list[float]) -> Line | None:
    middle = (word.box.y0 + word.box.y1) / 2
    size = size_of(word)
    low = bisect.bisect_left(middles, middle - 1.2 * size)
    high = bisect.bisect_right(middles, middle + 2.0 * size)
    for line in lines[low:high]:
        if line is own:
            continue
        for other in line.words:
            if (
                size < _SMALL * size_of(other)
                and -0.3 * size <= word.box.x0 - other.box.x1 < 0.6 * size_of(other)
                and other.box.y0 - 0.35 * size_of(other) <= middle <= other.box.y1
            ):
                return line
    return None


def _split(line: Line, uprights: Sequence[Box]) -> None:
    top, bottom = line.middle - line.size / 2, line.middle + line.size / 2
    walls = sorted((box.x0 + box.x1) / 2 for box in uprights if box.y0 < bottom and box.y1 > top)
    line.phrases, line.leaders = [], []
    broken = True
    for word in line.words:
        if is_leader(word.text):
            line.leaders.append(word.box)
            broken = True
            continue
        figure = is_number(word.text) or is_nothing(word.text)
        last = line.phrases[-1] if line.phrases and not broken else None
        if last is not None and not _wall(walls, last.box.x1, word.box.x0) and _belongs(last, word, figure, line.size):
            last.words.append(word)
            last.box = last.box.union(word.box)
            last.figure = _still_figure(last, word, figure)
        else:
            line.phrases.append(Phrase([word], word.box, figure or word.text in _SIGNS))
        broken = False


def _wall(walls: list[float], left: float, right: float) -> bool:
    where = bisect.bisect_left(walls, (left + min(left, right)) / 2 - 0.5)
    return where < len(walls) and walls[where] <= max(left, right) + 0.5


def _belongs(phrase: Phrase, word: Word, figure: bool, size: float) -> bool:
    gap = (word.box.x0 - phrase.box.x1) / max(size, 1.0)
    before = phrase.words[-1].text
    if before in _SIGNS:
        return gap < _FAR_SIGN and figure
    if word.text in {"%", ")"}:
        return gap < _FAR_MARK
    if phrase.figure and is_mark(word.text) and size_of(word) < _SMALL * size:
        return gap < _FAR_MARK
    if phrase.figure and figure:
        if is_number(before) and len(word.text) >= 3 and word.text[:3].isdigit() and not word.text[3:4].isdigit():
            return gap < _GROUP_GAP and before[-1:].isdigit() and len(before) <= 11
        return gap < _FIGURE_GAP or (is_mark(word.text) and not is_number(word.text) and gap < _GROUP_GAP)
    return gap < _PHRASE_GAP


def _still_figure(phrase: Phrase, word: Word, figure: bool) -> bool:
    first = phrase.words[0].text
    if first in _SIGNS and len(phrase.words) == 2:
        return figure
    return phrase.figure and (figure or is_mark(word.text) or word.text in {"%", ")"})
