"""Lists of numbers as the published OfficeQA scorer splits them, without its exponential search.

`[8,152,260]` may be two numbers (8 and 152,260), three, or one. The published scorer writes out every way to split
an answer; whether *some* way fits the gold list is all that it then asks, and dynamic programming over (comma,
item) answers that in polynomial time.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from worktrial.suites.documents.answers.official_reading import Figure, plain_figures, tidy

_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_ITEM = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?")
_DIGIT = re.compile(r"\d")
# A double holds 309 digits, that is 103 groups; an answer that is compared at all has at most 250 characters.
_MOST_GROUPS = 104


def single_list(text: str) -> str | None:
    """What stands inside the brackets, when `text` has exactly one pair and no digit outside it."""
    tidied = tidy(text)
    pairs = list(_BRACKETS.finditer(tidied))
    if len(pairs) != 1 or _DIGIT.search(tidied[: pairs[0].start()] + tidied[pairs[0].end() :]):
        return None
    return pairs[0][1]


def gold_list(gold_text: str, gold: Sequence[Figure]) -> bool:
    """Whether the gold answer is an ordered list: one pair of brackets with nothing but at least two numbers."""
    body = single_list(gold_text)
    if body is None or len(gold) < 2:
        return False
    return Segments(body, len(gold)).fit(lambda item, value: value == gold[item].value)


class Segments:
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
