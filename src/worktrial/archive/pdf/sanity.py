"""Is a page's own text worth reading, or must its picture be recognised?"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.words import Word

_NUMBER = re.compile(r"[(\[$£€+\-–—−]*\d[\d,.\s:/%\-–]*[)\]%*]*[a-z]{0,2}", re.IGNORECASE)
_PLAIN = re.compile(r"[\W_]*[^\W\d_]+(?:['’./&\-–—][^\W\d_]*)*[\W_]*(?:\d{1,2}[\W_]*)?")
_UNREADABLE = re.compile("[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\ue000-\uf8ff]")
_VOWELS = frozenset("aeiouyàâäåæèéêëìíîïòóôöøœùúûüAEIOUYÀÂÄÅÆÈÉÊËÌÍÎÏÒÓÔÖØŒÙÚÛÜ")

_ENOUGH_LETTERS = 20
_SAMPLE = 400  # words tell enough
_DARK = 150
_REACH = 2  # pixels around a word that belong to it


def unreadable_share(words: Sequence[Word]) -> float:
    """Share of characters that no one can read: without a Unicode value, private, or control characters."""
    text = "".join(word.text for word in words)
    return len(_UNREADABLE.findall(text)) / max(1, len(text))


def odd_share(words: Sequence[Word]) -> float:
    """Share of words that look like nothing people print: letters mixed with digits or signs, no vowel at all.

    Bad recognition layers have many (`193>*`, `Sn^ar.`, `I3t`); ordinary documents have few.
    """
    told = [word.text for word in words[:_SAMPLE] if len(word.text) >= 3 and any(map(str.isalnum, word.text))]
    return sum(map(_odd, told)) / max(1, len(told))


def _odd(text: str) -> bool:
    if _NUMBER.fullmatch(text):
        return False
    if not _PLAIN.fullmatch(text):
        return True
    letters = [letter for letter in text if letter.isalpha() and letter.isascii()]
    return len(letters) >= 5 and text.isascii() and not text.isupper() and _VOWELS.isdisjoint(letters)


def enough(words: Sequence[Word]) -> bool:
    """Whether there is any text to speak of."""
    return sum(len(word.text) for word in words) >= _ENOUGH_LETTERS


def ink_covered(picture: NDArray[np.uint8], words: Sequence[Word], scale: float) -> float:
    """Share of a picture's ink that lies on words; 1 for a white page.

    Args:
        picture: gray, height x width.
        words: with boxes in points.
        scale: the picture's pixels per point.
    """
    high, wide = picture.shape
    edge = max(2, round(0.03 * min(high, wide)))  # scanned edges are dark
    ink = picture < min(_DARK, int(picture.mean()) - 40)
    ink[:edge], ink[-edge:], ink[:, :edge], ink[:, -edge:] = False, False, False, False
    # Lines and pictures are not text: rows and columns that are dark over a long way are left out.
    ink[ink.mean(axis=1) > 0.3] = False
    ink[:, ink.mean(axis=0) > 0.3] = False
    total = int(ink.sum())
    if total == 0:
        return 1.0
    for word in words:
        x0, y0, x1, y1 = (round(edge * scale) for edge in word.box)
        ink[max(0, y0 - _REACH) : y1 + _REACH, max(0, x0 - _REACH) : x1 + _REACH] = False
    return 1 - int(ink.sum()) / total
