"""Figures, words and lists as the published OfficeQA scorer reads them.

Everything odd here is the published scorer's and decides scores, so it stays: a scale word counts within 20
characters even when the window cuts it in half, every whole number from 1900 to 2100 is taken for a year, and a
comma belongs to a number only in well-formed groups of three.

`[8,152,260]` may be two numbers (8 and 152,260), three, or one. The published scorer writes out every way to split
an answer; whether *some* way fits the gold list is all that it then asks, and dynamic programming over (comma,
item) answers that in polynomial time.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

WINDOW = 20  # characters on either side of a figure in which a scale word counts
_CURRENCY = "$£€¥₹¢₩₽"
_PLAIN = r"(?:\d{1,3}(?:,\d{3})*|\d+)(?:\.\d+)?"
# The alternatives must stay in this order: "1234" within parentheses falls through to the second one.
_ACCOUNTING = re.compile(rf"\(\s*(?P<currency>[{_CURRENCY}])?\s*(?P<number>{_PLAIN})\s*\)")
_ANY_CURRENCY = re.compile(rf"[{_CURRENCY}]")
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")
_FIGURE = re.compile(r"-?\d+\.?\d*%?")
_SPACES = re.compile(r"\s+")
_SCALES = tuple(
    (name, re.compile(rf"\b(?:{name}s?{letter})\b"))
    for name, letter in (("trillion", ""), ("billion", "|b"), ("million", "|m"), ("thousand", "|k"))
)
_UNIT_WORD = re.compile(r"\b(?:(?:tr|b|m)illions?|thousands?|hundreds?|percent(?:age)?)\b")
_PERCENT_IN_WORD = re.compile(r"(?<=\w)%(?=\w)")
_NEITHER_WORD_NOR_SPACE = re.compile(r"[^\w\s]")
_LEAST_RESIDUE = 2  # characters; a shorter rest is no text


class ReadFigure(NamedTuple):
    """A number in a text, and the scale word near it."""

    value: float
    scale: str | None


def tidy(text: str) -> str:
    """One kind of minus, single spaces."""
    return _SPACES.sub(" ", text.replace("−", "-")).strip()


def plain_figures(text: str) -> str:
    """`text` with accounting negatives written with a minus, and without currency signs."""
    return _ANY_CURRENCY.sub("", _ACCOUNTING.sub(_with_minus, text))


def _with_minus(found: re.Match[str]) -> str:
    number = found["number"]
    # "(1984)" is more often a year than a loss; "($1984)" is not.
    if found["currency"] is None and is_year(float(number.replace(",", ""))):
        return found[0]
    return f"-{number}"


def figures(text: str) -> list[ReadFigure]:
    """The numbers of `text`, in reading order."""
    plain = _GROUPED.sub(lambda found: found[0].replace(",", ""), plain_figures(tidy(text)))
    return [
        ReadFigure(
            float(found[0].rstrip("%")),
            _scale(plain[max(0, found.start() - WINDOW) : found.end() + WINDOW].lower()),
        )
        for found in _FIGURE.finditer(plain)
    ]


def _scale(window: str) -> str | None:
    return next((name for name, pattern in _SCALES if pattern.search(window)), None)


def is_year(value: float) -> bool:
    """Whether the scorer takes `value` for a year."""
    return 1900 <= value <= 2100 and value == int(value)


def without_years(found: Sequence[ReadFigure], gold: Sequence[ReadFigure], gold_text: str) -> list[ReadFigure]:
    """`found` without probable years, unless the gold answer has one itself, or is one number with words."""
    keeps = any(is_year(figure.value) for figure in gold) or (len(gold) == 1 and has_words(gold_text))
    return list(found) if keeps else [figure for figure in found if not is_year(figure.value)]


def residue(text: str) -> str:
    """The words of `text` that are neither numbers nor unit words."""
    rest = _FIGURE.sub("", tidy(text).lower()).replace(",", "")
    rest = _PERCENT_IN_WORD.sub("", _UNIT_WORD.sub("", rest))
    return tidy(_NEITHER_WORD_NOR_SPACE.sub(" ", rest))


def has_words(text: str) -> bool:
    """Whether `text` says more than numbers and unit words."""
    return len(residue(text)) >= _LEAST_RESIDUE


def words_agree(gold_text: str, predicted: str) -> bool:
    """Whether one residue contains the other; a gold answer without words agrees with everything."""
    gold, found = residue(gold_text), residue(predicted)
    if len(gold) < _LEAST_RESIDUE:
        return True
    return len(found) >= _LEAST_RESIDUE and (gold in found or found in gold)


def bare_text(text: str) -> str:
    """A text answer as it is compared: lower case, no quotes around it, nothing in parentheses."""
    return _SPACES.sub(" ", _without_parentheses(text.strip().lower().strip('"').strip("'"))).strip()


def _without_parentheses(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("(", at)) >= 0 and (end := text.find(")", start)) >= 0:
        kept.append(text[at:start])
        at = end + 1
    return "".join(kept) + text[at:]


_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_ITEM = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
_DIGIT = re.compile(r"\d")
# A double holds 309 digits, that is 103 groups; an answer that is compared at all has at most 250 characters.
_MOST_GROUPS = 104


def single_list(text: str) -> str | None:
    """Text inside the brackets, when `text` has exactly one pair and no digit outside it; else None."""
    tidied = tidy(text)
    pairs = list(_BRACKETS.finditer(tidied))
    if len(pairs) != 1 or _DIGIT.search(tidied[: pairs[0].start()] + tidied[pairs[0].end() :]):
        return None
    return pairs[0][1]


def gold_list(gold_text: str, gold: Sequence[ReadFigure]) -> bool:
    """Whether the gold answer is an ordered list: one pair of brackets with nothing but at least two numbers."""
    body = single_list(gold_text)
    if body is None or len(gold) < 2:
        return False
    return AnswerSegments(body, len(gold)).fit(lambda item, value: value == gold[item].value)


class AnswerSegments:
    """The ways to split an answer at its commas into `count` numbers."""

    def __init__(self, text: str, count: int) -> None:
        self._body = single_list(text) or tidy(text)
        self._count = count
        self._chunks = self._body.split(",")
        starts, at = [], 0
        for chunk in self._chunks:
            starts.append(at)
            at += len(chunk) + 1
        self._starts = starts
        self._joins = [self._may_join(i) for i in range(len(self._chunks))]
        # From each chunk on, the least number of items: one for each run of chunks that may join.
        self._fewest = [0] * (len(self._chunks) + 1)
        for i in reversed(range(len(self._chunks))):
            joined = i + 1 < len(self._chunks) and self._joins[i + 1]
            self._fewest[i] = self._fewest[i + 1] + (not joined)
        self._values: dict[int, list[tuple[int, float]]] = {}

    def exist(self) -> bool:
        """Whether there is any way."""
        return self.fit(lambda _item, _value: True)

    def fit(self, fits: Callable[[int, float], bool]) -> bool:
        """Whether there is a way in which `fits(item, value)` holds for every item."""
        chunks = len(self._chunks)
        if chunks < self._count:
            return False
        reached = {0}
        for item in range(self._count):
            left = self._count - item - 1
            reached = {
                end
                for start in reached
                for end, value in self._items_from(start)
                if chunks - end >= left >= self._fewest[end] and fits(item, value)
            }
            if not reached:
                return False
        return chunks in reached

    def _may_join(self, chunk: int) -> bool:
        """Whether `chunk` may continue a number that began before it; only digits in threes may."""
        if chunk == 0:
            return False
        before, here = self._chunks[chunk - 1], self._chunks[chunk]
        if before[-1:].isspace() or here[:1].isspace():
            return False
        whole = here.partition(".")[0]
        return len(_DIGIT.findall(whole)) == 3 and "." not in before

    def _items_from(self, start: int) -> list[tuple[int, float]]:
        if start not in self._values:
            self._values[start] = list(self._read_from(start))
        return self._values[start]

    def _read_from(self, start: int) -> Iterator[tuple[int, float]]:
        if start == len(self._chunks):
            return
        for end in range(start + 1, min(len(self._chunks), start + _MOST_GROUPS) + 1):
            if end > start + 1 and not self._joins[end - 1]:
                return
            last = end - 1
            value = _number(self._body[self._starts[start] : self._starts[last] + len(self._chunks[last])])
            if value is not None:
                yield end, value


def _number(raw: str) -> float | None:
    item = plain_figures(tidy(raw))
    return float(item.rstrip("%").replace(",", "")) if _ITEM.fullmatch(item) else None
