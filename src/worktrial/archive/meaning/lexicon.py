"""Misread words in labels, by the words that the archive's other labels have in their place."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

from worktrial.archive.meaning.periods import MONTH_NAMES

_SHORTEST = 5
"""Letters; shorter words have too many neighbours: `Iran` and `Iraq`."""
_LETTERS_A_CHANGE = 4
"""Letters that a word has for each that is changed."""
_MOST_CHANGES = 3
_LEAST_PAGES = 5
"""Pages that print the right word in a label."""
_OFTENER = 5
"""Times as many pages as those with the misread word: where both forms are frequent, both may be right."""
_LEAST_BESIDE = 2
"""Pages on which the right word stands beside the same neighbour, or makes up the whole label with the others."""
_TELLING = 4
"""Letters of a neighbour that says something; `and` and `of` stand beside everything."""
_WORD = re.compile(r"(?<!\w)(?<![^\W\d]-)[^\W\d_]+(?![\w-])")
"""Whole words: a piece beside a digit, or a hyphen after or before letters, is no word."""
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        *("ae", "an", "ao", "as", "au", "ac", "ce", "co", "cs", "eo", "es", "em", "gs", "gq", "os", "on", "sz"),
        *("bh", "bn", "hn", "hk", "kx", "mn", "nu", "rn", "uv", "vw", "vy", "xz", "dl", "nv"),
        *("fj", "fl", "ft", "fi", "ij", "il", "it", "ir", "jl", "lt", "rt", "rs", "tl", "tr", "gy", "pf", "pt"),
    )
)
"""Letters that worn type makes alike."""
_ALIKE_FIRST = frozenset("befhjknprty")
"""Capitals that are stems with strokes, which worn type makes alike."""


class Lexicon:
    """Words of an archive's labels with their neighbours, counted by pages.

    A word of a label that was read from a picture is taken for another where it stands on no page of the document's
    own characters, one other word of labels differs from it in few letters, all of them alike in print, is on many
    more pages, and stands there beside the same words. Digits are never changed.
    """

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()
        self._beside: Counter[tuple[str, str]] = Counter()
        self._whole: Counter[tuple[str, ...]] = Counter()
        self._printed: set[str] = {*MONTH_NAMES}

    def add_page(self, labels: Iterable[str], text: str = "") -> None:
        """Count a page.

        Args:
            labels: texts of its labels and headings, as they were read.
            text: all of its text, where that is made of its own characters.
        """
        printed = set(words_of(text))
        self._printed |= printed
        told = {tuple(words_of(label)) for label in labels}
        self._whole.update(told)
        self._words.update(printed | {word for words in told for word in words})
        self._beside.update({pair for words in told for pair in pairwise(words)})

    def corrected(self, label: str) -> str:
        """A label that was read from a picture, with its misread words as others have them."""
        found = list(_WORD.finditer(label))
        words = [one[0].casefold() for one in found]
        likely = [self._right_word(word) for word in words]
        # A misread neighbour is as good as the word that it is taken for.
        known = [other or word for word, other in zip(words, likely, strict=True)]
        text = label
        for k in reversed(range(len(found))):
            other = likely[k]
            if other is not None and self._fits(known, k):
                start, end = found[k].span()
                text = text[:start] + _cased(other, found[k][0]) + text[end:]
        return text

    def _fits(self, words: Sequence[str], k: int) -> bool:
        """Whether other labels have the word beside one of its neighbours here, or are this label as a whole."""
        if self._whole[tuple(words)] >= _LEAST_BESIDE:
            return True
        before, after = (words[k - 1] if k else ""), "".join(words[k + 1 : k + 2])
        pairs = [(before, words[k])] * (len(before) >= _TELLING) + [(words[k], after)] * (len(after) >= _TELLING)
        return any(self._beside[pair] >= _LEAST_BESIDE for pair in pairs)

    def _right_word(self, word: str) -> str | None:
        """The one word that this is a misreading of; None where it is none, or may be one of several."""
        if len(word) < _SHORTEST or word in self._printed or not word.isalpha():
            return None
        most = min(_MOST_CHANGES, len(word) // _LETTERS_A_CHANGE)
        near = {other: changes for other in self._near(word, most) if (changes := _changes(word, other)) <= most}
        alike = [other for other in near if _are_alike(word, other)]
        best = max(alike, key=lambda other: (self._words[other], other), default=None)
        if best is None or self._words[best] < max(_LEAST_PAGES, _OFTENER * self._words[word]):
            return None
        # Others may be misread themselves, and then like the best; a word of its own makes it doubtful.
        doubtful = (
            other in self._printed if other in alike else changes <= near[best]
            for other, changes in near.items()
            if other != best and (other in self._printed or not _are_alike(other, best))
        )
        return None if any(doubtful) else best

    def _near(self, word: str, most: int) -> set[str]:
        """Known words of the same length that share one of the pieces that so few changes must leave whole."""
        return {
            other
            for piece in _pieces(word, most)
            for other in self._by_piece.get(piece, ())
            if other != word and (other in self._printed or self._words[other] >= _LEAST_PAGES)
        }

    @cached_property
    def _by_piece(self) -> dict[tuple[int, int, str], list[str]]:
        found: dict[tuple[int, int, str], list[str]] = defaultdict(list)
        for word in {*self._printed, *(w for w, pages in self._words.items() if pages >= _LEAST_PAGES)}:
            if len(word) >= _SHORTEST:
                for piece in _pieces(word, min(_MOST_CHANGES, len(word) // _LETTERS_A_CHANGE)):
                    found[piece].append(word)
        return found


def words_of(text: str) -> list[str]:
    """The words of a text that have no digits and no hyphens, in small letters."""
    return [one[0].casefold() for one in _WORD.finditer(text)]


def _pieces(word: str, changes: int) -> list[tuple[int, int, str]]:
    """Cut a word in one more piece than it may have changes: one of them has none."""
    edges = [len(word) * k // (changes + 1) for k in range(changes + 2)]
    return [(len(word), a, word[a:b]) for a, b in pairwise(edges)]


def _changes(word: str, other: str) -> int:
    return sum(a != b for a, b in zip(word, other, strict=True))


def _are_alike(word: str, other: str) -> bool:
    pairs = [frozenset(pair) for pair in zip(word, other, strict=True)]
    return (pairs[0] <= _ALIKE_FIRST or _is_alike(pairs[0])) and all(map(_is_alike, pairs[1:]))


def _is_alike(pair: frozenset[str]) -> bool:
    return len(pair) == 1 or pair in _ALIKE


def _cased(word: str, like: str) -> str:
    """A word with capitals where the misread one has them."""
    return "".join(letter.upper() if old.isupper() else letter for letter, old in zip(word, like, strict=True))
