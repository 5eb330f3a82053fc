"""A table while it is put together."""

from dataclasses import dataclass

from worktrial.archive.geometry import Box
from worktrial.archive.tables import Cell, Table


@dataclass(slots=True)
class DraftCell:
    """Text and place of a cell; its address comes from where it lies in the grid."""

    text: str = ""
    box: Box | None = None
    confidence: float = 1.0


@dataclass(slots=True)
class Draft:
    """A grid of cells with what stands around it."""

    box: Box
    grid: list[list[DraftCell]]
    header_rows: int = 0
    label_columns: int = 1
    title: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()

    def finished(self, number: int, page: int) -> Table:
        """The table with its addresses."""
        rows = tuple(
            tuple(Cell(r, c, cell.text, cell.box, cell.confidence) for c, cell in enumerate(row))
            for r, row in enumerate(self.grid)
        )
        labels = min(self.label_columns, len(rows[0]) - 1) if rows else 0
        return Table(number, page, self.box, rows, self.header_rows, labels, self.title, self.unit, self.notes)
