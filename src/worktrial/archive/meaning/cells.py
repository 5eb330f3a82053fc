"""The cells of a table as rows for queries: what each says and what it is about."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from worktrial.archive.address import Address
from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.meaning.periods import Period, period_of
from worktrial.archive.meaning.rows import row_labels
from worktrial.archive.meaning.units import units
from worktrial.archive.meaning.value import value_of
from worktrial.archive.tables import Table

PATH = " > "
"""Between the steps of a label or heading."""


class CellRecord(NamedTuple):
    """One row of an archive's `cells`."""

    document: str
    page: int
    table_no: int
    row_no: int
    column_no: int
    text: str
    value: float | None
    """In the printed unit; None in headers and labels and where there is no number."""
    label: str
    """The row's labels, parents first: `1940 > February`."""
    header: str
    """The column's headings, from the top: `Receipts > Customs`."""
    unit: str
    """Of this column, such as `millions of dollars` or `percent`; as printed where it is not understood."""
    period: str
    """`1940`, `FY1940`, `CY1940`, `FY1985-Q2`, `1940-02`, `2018-09-30`; empty where none is told."""
    confidence: float
    repaired: bool
    is_header: bool

    @property
    def address(self) -> Address:
        """Where it stands."""
        return Address(self.document, self.page, self.table_no, self.row_no, self.column_no)


def cells_of(table: Table, document: str) -> Iterator[CellRecord]:
    """Every cell that says something, row by row."""
    headers, labels = header_paths(table), row_labels(table)
    header_texts, label_texts = [PATH.join(path) for path in headers], [PATH.join(path) for path in labels]
    unit_texts = [table.unit if unit is None else str(unit) for unit in units(table)]
    by_column = column_periods(table, headers)
    stub = stub_of(table, headers)
    for r, row in enumerate(table.rows):
        is_header = r < table.header_rows
        own = period_of(labels[r], stub=stub) if labels[r] else None
        for c, cell in enumerate(row):
            if not cell.text.strip():
                continue
            is_data = not is_header and c >= table.label_columns
            period = (own or by_column[c]) if is_data else None
            yield CellRecord(
                document,
                table.page,
                table.number,
                r,
                c,
                cell.text,
                value_of(cell.text).number if is_data else None,
                label_texts[r],
                header_texts[c],
                unit_texts[c] if c >= table.label_columns else "",
                "" if period is None else str(period),
                float(cell.confidence),
                cell.repair is not None,
                is_header,
            )


def column_periods(table: Table, headers: Sequence[tuple[str, ...]]) -> list[Period | None]:
    """The period that each column's headings, or else the title, give to rows that tell none."""
    return [period_of((), path, title=table.title) for path in headers]


def stub_of(table: Table, headers: Sequence[tuple[str, ...]]) -> str:
    """The words above the labels, which often say what kind of years they are."""
    return " ".join(text for path in headers[: table.label_columns] for text in path)
