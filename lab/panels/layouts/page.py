"""Made pages before they are set: blocks in columns, and the tables that stand in them as truth."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from lab.scoring.truth import TruthTable

Align = Literal["l", "r", "c"]


@dataclass(frozen=True, slots=True)
class Text:
    """A heading, paragraphs of prose, or a small note."""

    text: str
    role: Literal["title", "heading", "prose", "note", "right"] = "prose"
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table's body."""

    cells: tuple[str, ...]
    role: Literal["item", "section", "total"] = "item"
    indent: int = 0
    """Levels by which its label is set in."""


@dataclass(frozen=True, slots=True)
class Tabular:
    """A table as it is set and as it is to be read."""

    head: tuple[tuple[tuple[str, int], ...], ...]
    """Rows of headings from left to right, each with the number of columns that it covers; `""` over nothing."""
    rows: tuple[TableRow, ...]
    align: tuple[Align, ...]
    style: Literal["booktabs", "bands", "grid", "lines", "plain"]
    labels: int = 1
    caption: str = ""
    below: bool = False
    """Whether the caption stands below."""
    unit: str = ""
    notes: tuple[str, ...] = ()
    widths: tuple[float, ...] = ()
    """Shares of the width; natural widths where empty."""
    kind: str = "table"

    @property
    def grid(self) -> tuple[tuple[str, ...], ...]:
        """Headings repeated in each column that they cover, then the rows."""
        head = tuple(tuple(text for text, span in row for _ in range(span)) for row in self.head)
        return (*head, *(row.cells for row in self.rows))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart: areas, lines and texts, in points from the top left."""

    width: float
    height: float
    bars: tuple[tuple[float, float, float, float, float], ...]
    """x, y, width, height, and how light, 0-1."""
    strokes: tuple[tuple[float, float, float, float], ...]
    texts: tuple[tuple[float, float, Align, str], ...]
    """x, y of the baseline, on which side of x it stands, and what it says."""
    caption: str = ""
    kind: str = "chart"


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks side by side."""

    parts: "tuple[tuple[Block, ...], ...]"
    widths: tuple[float, ...]
    """Shares of the width."""
    kind: str = "columns"


Block = Text | Tabular | Drawing | Columns


@dataclass(frozen=True, slots=True)
class MadePage:
    """One page with all that a typesetter needs to know."""

    kind: str
    name: str
    typesetter: str
    language: str
    size: float
    """Of the font, in points."""
    serif: bool
    blocks: tuple[Block, ...] = field(default=())

    @property
    def truth(self) -> tuple[TruthTable, ...]:
        """Its tables as they are to be read."""
        return tuple(
            TruthTable(
                f"{self.name}:{n}",
                self.name,
                1,
                table.grid,
                len(table.head),
                table.labels,
                table.caption,
                table.unit,
                self.kind,
            )
            for n, table in enumerate(_tables(self.blocks), 1)
        )

    def as_json(self) -> dict[str, Any]:
        """Plain data for a typesetter's own environment."""
        return asdict(self)


def _tables(blocks: tuple[Block, ...]) -> Iterator[Tabular]:
    for block in blocks:
        if isinstance(block, Tabular):
            yield block
        elif isinstance(block, Columns):
            for part in block.parts:
                yield from _tables(part)
