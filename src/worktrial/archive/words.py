"""What a page's reader hands to the table finder: words with places, and ruling lines."""

from dataclasses import dataclass
from enum import StrEnum

from worktrial.archive.geometry import Box


class Route(StrEnum):
    """How a page was read."""

    TEXT = "text"
    """From its own characters."""
    OCR = "ocr"
    """Recognised from its image."""
    BLANK = "blank"
    """There is nothing to see on it."""
    FAILED = "failed"
    """It could not be read; the page says why."""


@dataclass(frozen=True, slots=True)
class Word:
    """Characters that stand together."""

    text: str
    box: Box
    size: float = 0.0
    """Font size in points; 0 where unknown."""
    bold: bool = False
    confidence: float = 1.0
    """0-1; 1 for a page's own characters."""
    alternatives: tuple[str, ...] = ()
    """Other readings that an engine offered, the likeliest first."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruling line; horizontal where the box is wider than high."""

    box: Box


@dataclass(frozen=True, slots=True)
class PageText:
    """A page as it was read, before tables are looked for."""

    number: int
    """1-based PDF page."""
    width: float
    height: float
    route: Route
    words: tuple[Word, ...] = ()
    """In reading order as far as the reader knows it."""
    rules: tuple[Rule, ...] = ()
    skew: float = 0.0
    """Degrees by which a scan was turned to stand straight."""
    trouble: str | None = None
    """Why the page could not be read, or what is wrong with it."""
