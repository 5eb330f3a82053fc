"""Words to lines, lines to phrases."""

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from worktrial.archive.layout.tokens import is_column_number, is_leader, is_mark, is_nothing, is_number
from worktrial.archive.pages import Box, Word

# In font sizes.
_SAME_LINE = 0.42
_PHRASE_GAP = 0.62
_TYPED_GAP = 0.95  # of recognised words, which may be typed: there a space is as wide as a letter
_FIGURE_GAP = 0.16
_GROUP_GAP = 0.45  # between groups of three digits: "12 345"
_SMALL = 0.8
_BAND = 1.25  # font size over the height of a word's box, at most
_STRETCHED = 5  # words
_STRETCHED_LETTERS = 20
_WIDEST_SPACE = 1.3
_EVEN = 0.05  # by which stretched spaces may differ
_SMALLEST, _LARGEST = 0.75, 1.5  # font sizes of recognised words over the usual one
_STACKED = 0.5  # of the narrower word's width
_OPEN_LINES = 4  # from above, how many a word may still join
_LONGEST_MARK = 5  # characters
_FAR_MARK = 0.7
_FAR_SIGN = 4.0

_SIGNS = frozenset("$£€¥")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+")


@dataclass(slots=True)
class Phrase:
    """Words of one line that belong together: a cell's content, or a stretch of prose."""

    words: list[Word]
    box: Box
    figure: bool
    """A number or what stands for one."""
    _text: str = ""

    @property
    def text(self) -> str:
        """The words as printed, joined by spaces."""
        if not self._text:
            self._text = " ".join([word.text for word in self.words])
        return self._text

    def add(self, word: Word) -> None:
        """Put a word at the end."""
        self.words.append(word)
        self.box = self.box.union(word.box)
        self._text = ""

    @property
    def middle(self) -> float:
        """Middle of the width, in points from the left."""
        return (self.box[0] + self.box[2]) / 2


@dataclass(slots=True)
class TextLine:
    """Words that stand on one baseline, from left to right."""

    words: list[Word]
    middle: float
    """Height of its middle on the page."""
    size: float
    """Font size of most of it."""
    phrases: list[Phrase] = field(default_factory=list)
    leaders: list[Box] = field(default_factory=list)
    figures: list[Phrase] = field(default_factory=list)
    """Phrases that are figures, apart from column numbers."""
    _box: Box | None = None
    _text: str = ""

    @property
    def recognised(self) -> bool:
        """Whether it was read from a picture."""
        return any(word.confidence < 1.0 for word in self.words)

    def keep(self, phrases: list[Phrase]) -> None:
        """Drop all other phrases."""
        self.phrases = phrases
        self.figures = [phrase for phrase in self.figures if phrase in phrases]
        self.words = [word for phrase in phrases for word in phrase.words]
        self._box, self._text = None, ""

    @property
    def box(self) -> Box:
        """Around its words."""
        if self._box is None:
            here = Box(0.0, self.middle, 0.0, self.middle)
            self._box = around(word.box for word in self.words) if self.words else here
        return self._box

    @property
    def text(self) -> str:
        """The words as printed, joined by spaces, without leader dots."""
        if not self._text:
            self._text = " ".join([word.text for word in self.words if not is_leader(word.text)])
        return self._text


def around(boxes: Iterable[Box]) -> Box:
    """The smallest box around all; there is at least one."""
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return Box(min(x0), min(y0), max(x1), max(y1))


def size_of(word: Word) -> float:
    """Font size, or the height of the box where the size is unknown."""
    return word.size or max(1.0, word.box.height)


def find_lines(words: Sequence[Word], uprights: Sequence[Box] = (), *, phrases: bool = True) -> list[TextLine]:
    """Lines from top to bottom, with their phrases.

    Args:
        words: in any order.
        uprights: vertical rules; no phrase runs across one.
        phrases: whether they are wanted.
    """
    upright = _settled([word for word in words if not is_sideways(word)])
    lines = _raised_marks_joined(_by_height(upright))
    for line in lines:
        line.words.sort(key=lambda word: word.box.x0)
        line.size = _usual_size(line.words)
        if phrases:
            _split(line, uprights)
    lines.sort(key=lambda line: line.middle)
    return lines


def _settled(words: list[Word]) -> list[Word]:
    """Recognised words know their size only roughly, by their own ink: a dash is low, a touching line makes tall.

    Their sizes are brought near to what is usual on the page.
    """
    if all(word.confidence == 1.0 for word in words):
        return words
    sizes = sorted(size_of(word) for word in words)
    usual = sizes[len(sizes) // 2]
    low, high = _SMALLEST * usual, _LARGEST * usual
    return [replace(word, size=float(min(max(size_of(word), low), high))) for word in words]


def is_sideways(word: Word) -> bool:
    """Whether the word runs up or down the page."""
    x0, y0, x1, y1 = word.box
    long = 1.6 * word.size
    return y1 - y0 > long > x1 - x0 and len(word.text) > 1 and word.size > 0


def _usual_size(words: Sequence[Word]) -> float:
    if len({word.size for word in words}) == 1:
        return size_of(words[0])
    letters: dict[float, int] = {}
    for word in words:
        size = round(size_of(word), 1)
        letters[size] = letters.get(size, 0) + len(word.text)
    return max(letters, key=lambda size: letters[size])


def _by_height(words: Sequence[Word]) -> list[TextLine]:
    # Typed rows stand closer than the size of their letters: the box's height tells what there is room for.
    rows = sorted(
        (
            (
                (word.box[1] + word.box[3]) / 2,
                min(word.size or 1e9, _BAND * max(1.0, word.box[3] - word.box[1])),
                index,
            )
            for index, word in enumerate(words)
        ),
    )
    lines: list[TextLine] = []
    for middle, size, index in rows:
        best, distance = None, 1e9
        for line in lines[: -_OPEN_LINES - 1 : -1]:
            away = abs(middle - line.middle)
            if (
                away < distance
                and away < _SAME_LINE * (size if size < line.size else line.size)
                and not (words[index].confidence < 1.0 and _above_another(words[index], line.words))
            ):
                best, distance = line, away
        if best is None:
            lines.append(TextLine([words[index]], middle, size))
        else:
            best.words.append(words[index])
            count = len(best.words)
            best.middle += (middle - best.middle) / (count if count < 8 else 8)
            if count < 3 and size > best.size:
                best.size = size
    return lines


def _above_another(word: Word, words: Sequence[Word]) -> bool:
    """Whether a word stands over one of a line: typed headings of neighbouring columns are half a row apart."""
    x0, _, x1, _ = word.box
    return any(
        min(x1, other.box.x1) - max(x0, other.box.x0) > _STACKED * min(x1 - x0, other.box.x1 - other.box.x0)
        for other in words
    )


def _raised_marks_joined(lines: list[TextLine]) -> list[TextLine]:
    """Raised footnote marks go to the line of the word that they follow."""
    middles = [line.middle for line in lines]
    largest = max((line.size for line in lines), default=0.0)
    kept = []
    for line in lines:
        stay = []
        for word in line.words:
            home = None
            if len(word.text) <= _LONGEST_MARK and size_of(word) < _SMALL * largest:
                home = _home(word, line, lines, middles)
            if home is None:
                stay.append(word)
            else:
                home.words.append(word)
        if stay:
            line.words = stay
            kept.append(line)
    return kept


def _home(word: Word, own: TextLine, lines: list[TextLine], middles: list[float]) -> TextLine | None:
    middle = (word.box.y0 + word.box.y1) / 2
    size = size_of(word)
    low = bisect.bisect_left(middles, middle - 1.2 * size)
    high = bisect.bisect_right(middles, middle + 2.0 * size)
    for line in lines[low:high]:
        if line is own or size >= _SMALL * line.size:
            continue
        for other in line.words:
            gap = max(word.box.x0 - other.box.x1, other.box.x0 - word.box.x1)
            if (
                size < _SMALL * size_of(other)
                and -0.3 * size <= gap < 0.6 * size_of(other)
                and other.box.y0 - 0.35 * size_of(other) <= middle <= other.box.y1
            ):
                return line
    return None


def _split(line: TextLine, uprights: Sequence[Box]) -> None:
    top, bottom = line.middle - line.size / 2, line.middle + line.size / 2
    walls = sorted((box.x0 + box.x1) / 2 for box in uprights if box.y0 < bottom and box.y1 > top)
    gap = _TYPED_GAP if line.recognised else _PHRASE_GAP
    line.phrases, line.leaders = [], []
    broken = True
    for word in line.words:
        if is_leader(word.text):
            line.leaders.append(word.box)
            broken = True
            continue
        figure = is_number(word.text) or is_nothing(word.text)
        last = line.phrases[-1] if line.phrases and not broken else None
        if (
            last is not None
            and not (walls and _wall(walls, last.box.x1, word.box.x0))
            and _belongs(last, word, figure, line.size, gap)
        ):
            last.add(word)
            last.figure = _still_figure(last, word, figure)
        else:
            line.phrases.append(Phrase([word], word.box, figure or word.text in _SIGNS))
        broken = False
    if len(line.phrases) >= _STRETCHED:
        line.phrases = _unstretched(line)
    line.figures = [phrase for phrase in line.phrases if phrase.figure and not is_column_number(phrase.text)]


def _unstretched(line: TextLine) -> list[Phrase]:
    """Words that justified setting moved apart, all by the same, are one phrase."""
    done: list[Phrase] = []
    run: list[Phrase] = []
    step = 0.0
    for phrase in [*line.phrases, None]:
        gap = phrase.box.x0 - run[-1].box.x1 if phrase is not None and run else 0.0
        if (
            phrase is not None
            and run
            and not phrase.figure
            and not run[-1].figure
            and gap < _WIDEST_SPACE * line.size
            and (len(run) == 1 or abs(gap - step) < _EVEN * line.size)
        ):
            step = gap
            run.append(phrase)
            continue
        if len(run) >= _STRETCHED and sum(len(one.text) for one in run) >= _STRETCHED_LETTERS:
            words = [word for one in run for word in one.words]
            run = [Phrase(words, around(word.box for word in words), figure=False)]
        done += run
        run = [phrase] if phrase is not None else []
    return done


def _wall(walls: list[float], left: float, right: float) -> bool:
    where = bisect.bisect_left(walls, (left + min(left, right)) / 2 - 0.5)
    return where < len(walls) and walls[where] <= max(left, right) + 0.5


def _belongs(phrase: Phrase, word: Word, figure: bool, size: float, widest: float) -> bool:
    gap = (word.box.x0 - phrase.box.x1) / max(size, 1.0)
    before = phrase.words[-1].text
    if before in _SIGNS:
        return gap < _FAR_SIGN and figure
    if word.text in {"%", ")"}:
        return gap < _FAR_MARK
    if phrase.figure and is_mark(word.text) and size_of(word) < _SMALL * size:
        return gap < _FAR_MARK
    if phrase.figure and figure:
        if _GROUPED.fullmatch(before) and _GROUPED.fullmatch(word.text):
            return False  # two whole numbers, however near: wide totals of neighbouring columns
        if word.text[0] == "(" and word.text[-1] == ")" and not is_column_number(word.text):
            return gap < _GROUP_GAP  # a share behind its figure: "38 (24.7%)"
        if is_number(before) and len(word.text) >= 3 and word.text[:3].isdigit() and not word.text[3:4].isdigit():
            return gap < _GROUP_GAP and before[-1:].isdigit() and len(before) <= 11
        return gap < _FIGURE_GAP or (is_mark(word.text) and not is_number(word.text) and gap < _GROUP_GAP)
    return gap < widest


def _still_figure(phrase: Phrase, word: Word, figure: bool) -> bool:
    first = phrase.words[0].text
    if first in _SIGNS and len(phrase.words) == 2:
        return figure
    return phrase.figure and (figure or is_mark(word.text) or word.text in {"%", ")"})
