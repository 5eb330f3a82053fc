"""Letters with accents: kept where the page is written in a language that has them, plain where they are specks."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from worktrial.archive.pages import Word

_SHARE = 0.006
"""Share of a page's letters with accents from which on they are its language's; German has 2 in 100."""
_LEAST = 3
_PLAIN = str.maketrans(
    {"ß": "B", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "æ": "ae", "œ": "oe", "Æ": "AE", "Œ": "OE"}
)


def settle_letters(words: Sequence[Word]) -> tuple[Word, ...]:
    """Words of a page as its language writes them; where a letter loses its accent, the first reading is kept."""
    letters = [letter for word in words for letter in word.text if letter.isalpha()]
    marked = sum(not letter.isascii() for letter in letters)
    if marked >= max(_LEAST, _SHARE * len(letters)):
        return tuple(words)
    return tuple(_plain(word) for word in words)


def _plain(word: Word) -> Word:
    if all(letter.isascii() or not letter.isalpha() for letter in word.text):
        return word
    text = "".join(_base(letter) if letter.isalpha() else letter for letter in word.text)
    return replace(word, text=text, alternatives=(word.text, *word.alternatives))


def _base(letter: str) -> str:
    plain = letter.translate(_PLAIN)
    return plain if plain.isascii() else unicodedata.normalize("NFD", plain)[0]
