"""A page as bytes, and as rows of an archive's files: itself, its tables, their cells."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec

from worktrial.archive.meaning.cells import CellRecord, cells_of
from worktrial.archive.meaning.footing import Footing, footing
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.separators import separators_of
from worktrial.archive.meaning.trust import trusted
from worktrial.archive.pages import LOW_CONFIDENCE, PageContent, Route, Table
from worktrial.archive.store.record import PageTrouble
from worktrial.errors import extra

with extra("documents", "Reading an archive"):
    import pyarrow as pa

_TYPES = {"text": pa.string(), "whole": pa.int32(), "real": pa.float64(), "bool": pa.bool_(), "bytes": pa.binary()}


def _schema(columns: str) -> pa.Schema:
    """Columns as `name type`, parted by commas."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, columns.split(","))])


PAGE_SCHEMA = _schema(
    "document text, page whole, width real, height real, route text, text text, tables whole, confidence real,"
    "trouble text, layout real, content bytes"
)
TABLE_SCHEMA = _schema(
    "document text, page whole, table_no whole, title text, unit text, rows whole, columns whole,"
    "header_rows whole, label_columns whole, headers text, labels text, periods text, notes text, text text,"
    "confidence real, x0 real, y0 real, x1 real, y1 real"
)
CELL_SCHEMA = _schema(
    "document text, page whole, table_no whole, row_no whole, column_no whole, text text, value real, label text,"
    "header text, unit text, period text, confidence real, is_header bool"
)

_Row = tuple[Any, ...]


def encode_page(page: PageContent) -> bytes:
    """JSON of a page; one line."""
    return _encoder.encode(page)


def decode_page(content: bytes) -> PageContent:
    """The page again.

    Raises:
        msgspec.MsgspecError: the bytes are not those of a page.
    """
    return _decoder.decode(content)


def _plain(value: Any) -> Any:
    # Numbers of numpy, which readers compute with, are no JSON.
    if hasattr(value, "item"):
        return value.item()
    raise NotImplementedError(f"a page holds a {type(value).__name__}, which cannot be stored")


_encoder = msgspec.json.Encoder(enc_hook=_plain)

_decoder = msgspec.json.Decoder(PageContent)


class PartCounts(msgspec.Struct, frozen=True):
    """Contents of a slice of a document in numbers; slices add up to the document."""

    pages: int = 0
    tables: int = 0
    cells: int = 0
    doubtful: int = 0
    sure: float = 0.0
    """Sum of the confidences of pages that have text."""
    with_text: int = 0
    checked: int = 0
    held: int = 0
    routes: dict[str, int] = {}
    failed: tuple[PageTrouble, ...] = ()
    doubts: tuple[PageTrouble, ...] = ()
    irregular: tuple[int, ...] = ()
    """Pages whose layout is doubtful."""

    def plus(self, other: "PartCounts") -> "PartCounts":
        """Both together, this one's pages first."""
        routes = {
            route: self.routes.get(route, 0) + other.routes.get(route, 0)
            for route in {**self.routes, **other.routes}
        }
        summed = {
            name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__ if name != "routes"
        }
        return PartCounts(**summed, routes=routes)


class PageRows(NamedTuple):
    """A page's rows, in the order of the columns of `schemas`."""

    page: _Row
    tables: list[_Row]
    cells: list[_Row]
    counts: PartCounts


def describe_page(document: str, page: PageContent) -> PageRows:
    """Work out what a page's tables mean. A table that cannot be understood is a doubt of the page, not its end."""
    tables: list[_Row] = []
    cells: list[_Row] = []
    counts = _page_counts(page)
    texts = [cell.text for table in page.tables for row in table.rows[table.header_rows :] for cell in row]
    separators = separators_of(texts, page.text)
    kept: list[Table] = []
    for table in page.tables:
        try:
            sums = footing(table, separators=separators)
            table = trusted(table, sums, separators, page.layout)
            records = list(cells_of(table, document, separators, page.text))
            row, own = _table_row(document, table, records), _table_counts(table, sums)
        except Exception as error:  # noqa: BLE001 - a defect met in one table must not cost the document
            what = f"table {table.number} was not understood: {type(error).__name__}: {error}"
            counts = counts.plus(PartCounts(doubts=(PageTrouble(page.number, what),)))
        else:
            tables.append(row)
            cells += records
            counts = counts.plus(own)
        kept.append(table)
    return PageRows(_page_row(document, replace(page, tables=tuple(kept))), tables, cells, counts)


def _page_counts(page: PageContent) -> PartCounts:
    failed = page.route == Route.FAILED
    trouble = (PageTrouble(page.number, page.trouble or "could not be read"),) if failed or page.trouble else ()
    return PartCounts(
        pages=1,
        sure=page.confidence if page.text else 0.0,
        with_text=int(bool(page.text)),
        routes={str(page.route): 1},
        failed=trouble if failed else (),
        doubts=() if failed else trouble,
        irregular=(page.number,) if page.layout_doubt else (),
    )


def _table_counts(table: Table, sums: Sequence[Footing]) -> PartCounts:
    printed = [cell for row in table.rows for cell in row if cell.text]
    return PartCounts(
        tables=1,
        cells=len(printed),
        doubtful=sum(cell.confidence < LOW_CONFIDENCE for cell in printed),
        checked=sum(len(found.checks) for found in sums),
        held=sum(check.holds for found in sums for check in found.checks),
    )


def _page_row(document: str, page: PageContent) -> tuple[Any, ...]:
    size = (float(page.width), float(page.height))
    # Of a page that was not read, or on which there is nothing, nobody can be sure.
    sure = float(page.confidence) if page.text and page.route != Route.FAILED else None
    told = (str(page.route), page.text, len(page.tables), sure, page.trouble, page.layout)
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
