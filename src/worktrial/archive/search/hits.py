"""What a search answers."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_WIDEST = 240


class Hit(NamedTuple):
    """A page or a table that matches, the best first."""

    document: str
    page: int
    table: int | None
    """1-based number on its page; None for a page."""
    score: float
    snippet: str


class Found(NamedTuple):
    """A match as an index hands it over."""

    document: str
    page: int
    table: int
    score: float
    body: str


def snippet(body: str, words: Sequence[str]) -> str:
    """The line with most of the words, and what follows it."""
    # The first letters of a word are enough to tell where to look; endings differ.
    stems = {word[:6] if len(word) > 7 else word for word in words}
    lines = [re.sub(r"\s+", " ", line).strip() for line in body.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    best = max(range(len(lines)), key=lambda i: (_matches(lines[i], stems), -i))
    shown = lines[best]
    for line in lines[best + 1 : best + 4]:
        if len(shown) + len(line) + 3 > _WIDEST:
            break
        shown += f" / {line}"
    return shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"


def _matches(line: str, stems: set[str]) -> int:
    low = line.casefold().replace(",", "")
    return sum(stem in low for stem in stems)
