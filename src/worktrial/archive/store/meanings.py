"""The cells of a table as rows for queries."""

from collections.abc import Iterator
from typing import NamedTuple

from worktrial.archive.meaning import header_paths, row_labels, value_of
from worktrial.archive.store.record import Footing
from worktrial.archive.tables import Table


class CellRow(NamedTuple):
    """One row of the `cells` view, in the order of its columns."""

    document: str
    page: int
    table_no: int
    row_no: int
    column_no: int
    text: str
    value: float | None
    label: str
    header: str
    unit: str
    period: str
    confidence: float
    repaired: bool
    is_header: bool


def cell_rows(table: Table, document: str) -> Iterator[CellRow]:
    """Every cell with text, and what it stands for."""
    headers = [" > ".join(path) for path in header_paths(table)]
    labels = [" > ".join(path) for path in row_labels(table)]
    for r, row in enumerate(table.rows):
        for c, cell in enumerate(row):
            is_header = r < table.header_rows
            value = None if is_header or c < table.label_columns else value_of(cell.text).number
            meaning = (labels[r], headers[c], table.unit, "")
            place = (document, table.page, table.number, r, c)
            yield CellRow(*place, cell.text, value, *meaning, float(cell.confidence), cell.repair is not None, is_header)


def footing_of(table: Table) -> Footing:
    """How many of the table's printed sums add up."""
    return Footing()
