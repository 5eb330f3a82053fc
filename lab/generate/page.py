"""The blocks on the pages of an issue, before they are set."""

from dataclasses import dataclass
from enum import StrEnum

from lab.generate.printed import PrintedTable


@dataclass(frozen=True, slots=True)
class Prose:
    """A heading and paragraphs."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The title of the issue, and what is in it, with printed page numbers."""

    lines: tuple[str, ...]
    """The masthead."""
    entries: tuple[tuple[str, str], ...] = ()


class ChartKind(StrEnum):
    """The way in which a chart is drawn."""

    BARS = "bars"
    """Bars with their values printed."""
    LINE = "line"
    """A line with a scale only."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn series."""

    kind: ChartKind
    title: str
    unit: str
    phrase: str
    labels: tuple[str, ...]
    values: tuple[int, ...]
    """The values, in the unit."""


Block = PrintedTable | Prose | Contents | Chart


@dataclass(frozen=True, slots=True)
class Page:
    """One page; without blocks it is blank but for nothing at all."""

    blocks: tuple[Block, ...] = ()
    folio: str = ""
    """The printed page number, which is not the number of the PDF page."""

    @property
    def tables(self) -> tuple[PrintedTable, ...]:
        """Top to bottom."""
        return tuple(block for block in self.blocks if isinstance(block, PrintedTable))
