"""A document on disk: three Parquet files, and its record.

`pages` has each page whole (column `content`) beside what queries ask for; `tables` and `cells` are for queries only.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from worktrial.archive.confidence import LOW_CONFIDENCE
from worktrial.archive.meaning import header_paths, row_labels
from worktrial.archive.store.content import decode_page, encode_page
from worktrial.archive.store.meanings import CellRow, cell_rows, footing_of
from worktrial.archive.store.record import DocumentRecord, Footing, PageTrouble, replace_file
from worktrial.archive.store.schemas import CELL_SCHEMA, PAGE_SCHEMA, TABLE_SCHEMA
from worktrial.archive.tables import PageContent, Table
from worktrial.archive.words import Route
from worktrial.errors import DataError

PARTS = "parts"
RECORD = "record.json"
PAGES, TABLES, CELLS = "pages.parquet", "tables.parquet", "cells.parquet"
GROUP = 32
"""Pages per row group: what a look at one page reads, and what writing keeps in memory."""

_Rows = dict[str, list[tuple[Any, ...]]]


class Part(NamedTuple):
    """A finished document in the archive."""

    folder: Path
    record: DocumentRecord


@dataclass(slots=True)
class _Counts:
    pages: int = 0
    tables: int = 0
    cells: int = 0
    doubtful: int = 0
    repaired: int = 0
    sure: float = 0.0
    with_text: int = 0
    checked: int = 0
    held: int = 0


def write_part(folder: Path, record: DocumentRecord, pages: Iterable[PageContent]) -> DocumentRecord:
    """Write a document's files.

    Args:
        folder: an empty folder, not yet where readers look.
        record: what is known before the pages are.
        pages: in order; they are not kept in memory.

    Returns:
        The record with everything counted.
    """
    counts = _Counts()
    routes: dict[str, int] = {}
    failed, doubts = [], []
    with ExitStack() as files:
        writers = {
            name: files.enter_context(pq.ParquetWriter(folder / name, schema, compression="zstd"))
            for name, schema in ((PAGES, PAGE_SCHEMA), (TABLES, TABLE_SCHEMA), (CELLS, CELL_SCHEMA))
        }
        for batch in _batches(pages, GROUP):
            rows: _Rows = {PAGES: [], TABLES: [], CELLS: []}
            for page in batch:
                counts.pages += 1
                routes[page.route] = routes.get(page.route, 0) + 1
                if page.route == Route.FAILED:
                    failed.append(PageTrouble(page.number, page.trouble or "could not be read"))
                elif page.trouble:
                    doubts.append(PageTrouble(page.number, page.trouble))
                if page.text:
                    counts.with_text += 1
                    counts.sure += page.confidence
                rows[PAGES].append(_page_row(record.name, page))
                for table in page.tables:
                    _add_table(record.name, table, rows, counts)
            for name, schema in ((PAGES, PAGE_SCHEMA), (TABLES, TABLE_SCHEMA), (CELLS, CELL_SCHEMA)):
                if rows[name] or name == PAGES:
                    writers[name].write_table(_arrow(rows[name], schema))
    done = msgspec.structs.replace(
        record,
        pages=counts.pages,
        routes=routes,
        tables=counts.tables,
        cells=counts.cells,
        doubtful_cells=counts.doubtful,
        repaired_cells=counts.repaired,
        confidence=round(counts.sure / counts.with_text, 4) if counts.with_text else 0.0,
        footing=Footing(counts.checked, counts.held),
        failed=failed,
        doubts=doubts,
    )
    for name in (PAGES, TABLES, CELLS):
        _settle(folder / name)
    replace_file(folder / RECORD, msgspec.json.encode(done))
    return done


def read_record(folder: Path) -> DocumentRecord | None:
    """The record of a part, or None when the folder holds no whole one."""
    if not all((folder / name).is_file() for name in (PAGES, TABLES, CELLS)):
        return None
    try:
        return msgspec.json.decode((folder / RECORD).read_bytes(), type=DocumentRecord)
    except (OSError, msgspec.MsgspecError):
        return None


def read_part_page(folder: Path, number: int) -> PageContent:
    """One page of a part.

    Raises:
        DataError: there is no such page, or the file is damaged.
    """
    with _open_pages(folder) as file:
        first = _first_page(file)
        if number < first:
            raise DataError(folder, f"has no page {number}")
        group, place = divmod(number - first, GROUP)
        if group < file.num_row_groups:
            column = file.read_row_group(group, columns=["content"]).column("content")
            if place < len(column):
                return decode_page(column[place].as_py())
    raise DataError(folder, f"has no page {number}")


def read_part_pages(folder: Path) -> Iterator[PageContent]:
    """All pages of a part, a row group at a time."""
    with _open_pages(folder) as file:
        for group in range(file.num_row_groups):
            for content in file.read_row_group(group, columns=["content"]).column("content"):
                yield decode_page(content.as_py())


def _open_pages(folder: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(folder / PAGES)
    except (OSError, pa.ArrowException) as error:
        raise DataError(folder / PAGES, f"cannot be read ({error})", "Remove its folder and build again") from None


def _first_page(file: pq.ParquetFile) -> int:
    statistics = file.metadata.row_group(0).column(1).statistics if file.num_row_groups else None
    return int(statistics.min) if statistics is not None and statistics.has_min_max else 1


def _page_row(document: str, page: PageContent) -> tuple[Any, ...]:
    size = (float(page.width), float(page.height))
    told = (str(page.route), page.text, len(page.tables), float(page.confidence), page.trouble)
    return (document, page.number, *size, *told, encode_page(page))


def _add_table(document: str, table: Table, rows: _Rows, counts: _Counts) -> None:
    cells = list(cell_rows(table, document))
    rows[CELLS].extend(cells)
    rows[TABLES].append(_table_row(document, table, cells))
    counts.tables += 1
    printed = [cell for row in table.rows for cell in row if cell.text]
    counts.cells += len(printed)
    counts.doubtful += sum(cell.confidence < LOW_CONFIDENCE for cell in printed)
    counts.repaired += sum(cell.repair is not None for cell in printed)
    footing = footing_of(table)
    counts.checked += footing.checked
    counts.held += footing.held


def _table_row(document: str, table: Table, cells: list[CellRow]) -> tuple[Any, ...]:
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


def _arrow(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    # Column by column: a dictionary per row costs more than reading the page did.
    columns = zip(*rows, strict=True)
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def _batches(pages: Iterable[PageContent], size: int) -> Iterator[list[PageContent]]:
    batch: list[PageContent] = []
    for page in pages:
        batch.append(page)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _settle(path: Path) -> None:
    """Have the file on the disk before its folder is renamed to where readers look."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
