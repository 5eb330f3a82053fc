"""Texts of cells made comparable."""

import re
import unicodedata

from worktrial.archive.meaning.value import split_marks

_DASHES = re.compile(r"[‐‑‒–—―−﹣－]")
_SPACES = re.compile(r"\s+")
_AROUND_DASH = re.compile(r"\s*-[\s-]*")
_BEFORE_MARK = re.compile(r"\s+(?=[,.;:%)])|(?<=[($])\s+")
# Leader dots, and the full stop of an abbreviation that they swallow.
_LEADERS = re.compile(r"(?:\s*[.·…_])+$")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"'})
_WORD = re.compile(r"[^\W_]+")


def strict_text(text: str) -> str:
    """Text as printed; only runs of white space are one space."""
    return _SPACES.sub(" ", text).strip()


def plain_text(text: str) -> str:
    """Apart from kinds of dashes and quotes, spaces beside dashes and stops, and leader dots."""
    plain = unicodedata.normalize("NFC", _DASHES.sub("-", text)).translate(_QUOTES)
    plain = _LEADERS.sub("", _SPACES.sub(" ", plain).strip()) or plain.strip()
    return _BEFORE_MARK.sub("", _AROUND_DASH.sub("-", plain)).strip()


def unmarked_text(text: str) -> str:
    """Plain text without footnote and revision marks; see `plain_text`."""
    return plain_text(split_marks(_SPACES.sub(" ", text)).body)


def marks_of(text: str) -> tuple[str, ...]:
    """The footnote and revision marks of a cell."""
    return split_marks(_SPACES.sub(" ", text)).marks


def label_text(texts: tuple[str, ...]) -> str:
    """A path of labels or headings as words to compare: no case, no punctuation, no marks."""
    return " ".join(word for text in texts for word in _WORD.findall(unmarked_text(text).casefold()))
