"""Tables as an archive keeps them: a grid of cells, each with an address and a meaning."""

from dataclasses import dataclass
from typing import NamedTuple

from worktrial.archive.geometry import Box


class Repair(NamedTuple):
    """A cell whose reading was changed by arithmetic."""

    read: str
    """What had been read."""
    why: str
    """The sum that decided, in words."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. A heading that spans several columns or rows is repeated in each of them."""

    row: int
    """0-based, over header and body rows."""
    column: int
    """0-based, over label and data columns."""
    text: str = ""
    """As printed."""
    box: Box | None = None
    confidence: float = 1.0
    """How sure the reading is, 0-1; 1 for a page's own characters."""
    alternatives: tuple[str, ...] = ()
    repair: Repair | None = None


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
    """As printed, such as `In millions of dollars`."""
    notes: tuple[str, ...] = ()
    """Footnotes below the table, as printed."""

    @property
    def grid(self) -> list[list[str]]:
        """The texts alone."""
        return [[cell.text for cell in row] for row in self.rows]


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
    """Mean over the words."""
    trouble: str | None = None
