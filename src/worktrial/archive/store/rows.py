"""A page as rows of the three files: itself, its tables, their cells."""

from typing import Any, NamedTuple

import msgspec

from worktrial.archive.confidence import LOW_CONFIDENCE
from worktrial.archive.meaning import CellRecord, cells_of, footing, header_paths, row_labels
from worktrial.archive.store.content import encode_page
from worktrial.archive.store.record import PageTrouble
from worktrial.archive.tables import PageContent, Table
from worktrial.archive.words import Route

_Row = tuple[Any, ...]


class Counts(msgspec.Struct, frozen=True):
    """What a slice of a document holds; slices add up to the document."""

    pages: int = 0
    tables: int = 0
    cells: int = 0
    doubtful: int = 0
    repaired: int = 0
    sure: float = 0.0
    """Sum of the confidences of pages that have text."""
    with_text: int = 0
    checked: int = 0
    held: int = 0
    routes: dict[str, int] = {}
    failed: tuple[PageTrouble, ...] = ()
    doubts: tuple[PageTrouble, ...] = ()

    def plus(self, other: "Counts") -> "Counts":
        """Both together, this one's pages first."""
        routes = {
            route: self.routes.get(route, 0) + other.routes.get(route, 0)
            for route in {**self.routes, **other.routes}
        }
        summed = {
            name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__ if name != "routes"
        }
        return Counts(**summed, routes=routes)


class Described(NamedTuple):
    """A page's rows, in the order of the columns of `schemas`."""

    page: _Row
    tables: list[_Row]
    cells: list[_Row]
    counts: Counts


def describe_page(document: str, page: PageContent) -> Described:
    """Work out what a page's tables mean. A table that cannot be understood is a doubt of the page, not its end."""
    tables: list[_Row] = []
    cells: list[_Row] = []
    counts = _page_counts(page)
    for table in page.tables:
        try:
            records = list(cells_of(table, document))
            row, own = _table_row(document, table, records), _table_counts(table)
        except Exception as error:  # noqa: BLE001 - a defect met in one table must not cost the document
            what = f"table {table.number} was not understood: {type(error).__name__}: {error}"
            counts = counts.plus(Counts(doubts=(PageTrouble(page.number, what),)))
            continue
        tables.append(row)
        cells += records
        counts = counts.plus(own)
    return Described(_page_row(document, page), tables, cells, counts)


def _page_counts(page: PageContent) -> Counts:
    failed = page.route == Route.FAILED
    trouble = (PageTrouble(page.number, page.trouble or "could not be read"),) if failed or page.trouble else ()
    return Counts(
        pages=1,
        sure=page.confidence if page.text else 0.0,
        with_text=int(bool(page.text)),
        routes={str(page.route): 1},
        failed=trouble if failed else (),
        doubts=() if failed else trouble,
    )


def _table_counts(table: Table) -> Counts:
    printed = [cell for row in table.rows for cell in row if cell.text]
    sums = footing(table)
    return Counts(
        tables=1,
        cells=len(printed),
        doubtful=sum(cell.confidence < LOW_CONFIDENCE for cell in printed),
        repaired=sum(cell.repair is not None for cell in printed),
        checked=sum(len(found.checks) for found in sums),
        held=sum(check.holds for found in sums for check in found.checks),
    )


def _page_row(document: str, page: PageContent) -> tuple[Any, ...]:
    size = (float(page.width), float(page.height))
    told = (str(page.route), page.text, len(page.tables), float(page.confidence), page.trouble)
    return (document, page.number, *size, *told, encode_page(page))


def _table_row(document: str, table: Table, cells: list[CellRecord]) -> tuple[Any, ...]:
    printed = [cell.confidence for row in table.rows for cell in row if cell.text]
    headers = dict.fromkeys(" > ".join(path) for path in header_paths(table) if path)
    labels = dict.fromkeys(" > ".join(path) for path in row_labels(table) if path)
    periods = dict.fromkeys(cell.period for cell in cells if cell.period)
    columns = max((len(row) for row in table.rows), default=0)
    return (
        *(document, table.page, table.number, table.title, table.unit),
        *(len(table.rows), columns, table.header_rows, table.label_columns),
        *("\n".join(lines) for lines in (headers, labels, periods, table.notes)),
        "\n".join("\t".join(cell.text for cell in row) for row in table.rows),
        sum(printed) / len(printed) if printed else 1.0,
        *(float(side) for side in table.box),
    )
