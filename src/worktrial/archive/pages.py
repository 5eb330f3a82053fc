"""The types of a page: what its reader hands to the table finder, and what an archive keeps of it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from worktrial.errors import SettingError, option

_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")
_WORD = re.compile(r"\w+")

LOW_CONFIDENCE = 0.9
"""A cell below this is flagged: of ten such, one or more are wrong."""
DOUBTFUL_LAYOUT = 0.8
"""A page whose layout is below this is flagged, and its cells are as much less sure as it is below."""


class Box(NamedTuple):
    """A rectangle in points (1/72 inch), origin at the page's top left, y downwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Width in points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height in points."""
        return self.y1 - self.y0

    def holds(self, other: "Box", slack: float = 1.0) -> bool:
        """Whether the middle of `other` lies inside, or outside by at most `slack` points."""
        x, y = (other.x0 + other.x1) / 2, (other.y0 + other.y1) / 2
        return self.x0 - slack <= x <= self.x1 + slack and self.y0 - slack <= y <= self.y1 + slack

    def union(self, other: "Box") -> "Box":
        """The smallest box around both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))


class Route(StrEnum):
    """The way in which a page was read."""

    TEXT = "text"
    """Read from its own characters."""
    OCR = "ocr"
    """Recognised from its image."""
    BLANK = "blank"
    """Nothing to see on it."""
    FAILED = "failed"
    """No reading at all; the page says why."""
    UNREAD = "unread"
    """A page that nobody asked for when the archive was built."""


class PageRange(NamedTuple):
    """Pages from the first to the last, both among them, counted from 1."""

    first: int
    last: int

    @classmethod
    def several(cls, text: str) -> "list[PageRange]":
        """Ranges written `1-3,10`, in order, joined where they touch.

        Raises:
            SettingError: it names no pages.
        """
        found: list[PageRange] = []
        for piece in text.split(","):
            told = _RANGE.fullmatch(piece.strip())
            first = int(told[1]) if told else 0
            last = int(told[2] or first) if told else 0
            if not 1 <= first <= last:
                raise SettingError(f"{option('pages')} {text}: must be page numbers and ranges, such as 1-3,10")
            found.append(cls(first, last))
        return cls.joined(found)

    @classmethod
    def joined(cls, ranges: "Iterable[PageRange]") -> "list[PageRange]":
        """The same pages in as few ranges as can be, in order."""
        found: list[PageRange] = []
        for one in sorted(ranges):
            if found and one.first <= found[-1].last + 1:
                found[-1] = cls(found[-1].first, max(found[-1].last, one.last))
            else:
                found.append(one)
        return found

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def pages_within(ranges: Iterable[PageRange], pages: int) -> set[int]:
    """Numbers of the pages that are in the ranges, of a document of so many."""
    return {number for one in ranges for number in range(one.first, min(one.last, pages) + 1)}


@dataclass(frozen=True, slots=True)
class Word:
    """Characters that stand together."""

    text: str
    box: Box
    size: float = 0.0
    """Font size in points; 0 where unknown."""
    bold: bool = False
    confidence: float = 1.0
    """Chance that it is read right, 0-1; 1 for a page's own characters."""
    alternatives: tuple[str, ...] = ()
    """Other readings that an engine offered, the likeliest first."""


@dataclass(frozen=True, slots=True)
class RulingLine:
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
    """The words, in reading order as far as the reader knows it."""
    rules: tuple[RulingLine, ...] = ()
    skew: float = 0.0
    """Degrees, clockwise, by which the page was turned to stand straight."""
    trouble: str | None = None
    """Why the page could not be read, or what is wrong with it."""
    areas: tuple[Box, ...] = ()
    """Filled rectangles, such as the bars of a chart or the shading of rows."""
    curves: tuple[Box, ...] = ()
    """Boxes around drawn lines that run neither level nor upright, such as those of a chart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. A heading that spans several columns or rows is repeated in each of them."""

    row: int
    """0-based, over header and body rows."""
    column: int
    """0-based, over label and data columns."""
    text: str = ""
    """The text as printed."""
    box: Box | None = None
    confidence: float = 1.0
    """Chance that it is right, 0-1; before a page is stored, what its reader states of the text alone."""
    alternatives: tuple[str, ...] = ()
    """Other readings of a single number, the likeliest first."""
    stated: float | None = None
    """Chance that its reader states, 0-1; 1 for a page's own characters. None before a page is stored."""
    reading: str = ""
    """The text as it was read, where a label was misread and other labels of the archive corrected it."""

    @property
    def reader_confidence(self) -> float:
        """Chance that its reader states, 0-1, whether the cell is stored or not; 1 for a page's own characters."""
        return self.confidence if self.stated is None else self.stated


@dataclass(frozen=True, slots=True)
class Table:
    """One table of one page."""

    number: int
    """1-based, from top to bottom of the page."""
    page: int
    """1-based PDF page."""
    box: Box
    rows: tuple[tuple[Cell, ...], ...]
    """Header rows first; rectangular."""
    header_rows: int = 0
    label_columns: int = 1
    title: str = ""
    unit: str = ""
    """The unit as printed, such as `In millions of dollars`."""
    notes: tuple[str, ...] = ()
    """Footnotes below the table, as printed."""

    @property
    def grid(self) -> list[list[str]]:
        """The texts alone."""
        return [[cell.text for cell in row] for row in self.rows]

    @property
    def markdown(self) -> str:
        """Title, unit, rows and notes. Several header rows become one, their texts parted by `>`."""
        lines = [f"### Table {self.number}: {_inline(self.title)}" if self.title else f"### Table {self.number}"]
        if self.unit:
            lines += ["", f"*{_inline(self.unit)}*"]
        wide = max((len(row) for row in self.rows), default=0)
        if wide:
            heads = self.rows[: self.header_rows]
            # As printed, without what only repeats the line above it.
            paths = ([row[c].text for row in heads if c < len(row) and row[c].text] for c in range(wide))
            told = [" > ".join(t for i, t in enumerate(path) if not i or t != path[i - 1]) for path in paths]
            lines += ["", _row(told), _row(["---"] * wide)]
            lines += [_row([cell.text for cell in row]) for row in self.rows[self.header_rows :]]
        if self.notes:
            lines += ["", *(f"- {_inline(note)}" for note in self.notes)]
        return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(_inline(cell) for cell in cells)} |"


def _inline(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


@dataclass(frozen=True, slots=True)
class PageContent:
    """Everything an archive knows of a page."""

    number: int
    width: float
    height: float
    route: str
    """A `Route`."""
    text: str
    """All text in reading order, tables included, one line a line."""
    tables: tuple[Table, ...] = ()
    confidence: float = 1.0
    """Mean over the words, as their reader states it; less where the layout is doubtful."""
    trouble: str | None = None
    layout: float | None = None
    """Share of its figures that stand in regular rows and columns, 0-1; None where there are too few to tell."""

    @property
    def layout_doubt(self) -> str:
        """Doubt about the layout, in words; empty where there is none."""
        if self.layout is None or self.layout >= DOUBTFUL_LAYOUT:
            return ""
        return f"layout doubtful: {self.layout:.0%} of the figures stand in regular rows and columns"

    @property
    def markdown(self) -> str:
        """Its tables, then the lines of its text that are not all in them."""
        parts = [table.markdown for table in self.tables]
        text = "\n".join(self._beside_tables()).strip("\n")
        if text.strip():
            fence = "```" if "```" not in text else "~~~~~~"
            parts.append(f"{fence}text\n{text}\n{fence}")
        return "\n\n".join(parts) + "\n" if parts else ""

    def _beside_tables(self) -> Iterator[str]:
        """Lines with a word more than the tables have: what no table took is not lost."""
        held: Counter[str] = Counter()
        for table in self.tables:
            # A heading over several columns is one.
            cells = {(cell.text, cell.box or (cell.row, cell.column)): cell for row in table.rows for cell in row}
            texts = [table.title, table.unit, *table.notes, *(cell.reading or cell.text for cell in cells.values())]
            held.update(word for text in texts for word in _WORD.findall(text))
        for line in self.text.split("\n"):
            words = Counter(_WORD.findall(line))
            if words and words <= held:
                held -= words
            else:
                yield line


class Address(NamedTuple):
    """A cell, written `document:page:tTABLE:rROW:cCOLUMN`, such as `bulletin_1941_01:15:t1:r5:c3`."""

    document: str
    page: int
    """1-based PDF page."""
    table: int
    """1-based, from top to bottom of the page."""
    row: int
    """0-based, header rows included."""
    column: int
    """0-based, label columns included."""

    def __str__(self) -> str:
        return f"{self.document}:{self.page}:t{self.table}:r{self.row}:c{self.column}"
