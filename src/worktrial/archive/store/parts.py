"""A document on disk: three Parquet files, and its record.

`pages` has each page whole (column `content`) beside what queries ask for; `tables` and `cells` are for queries
only.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from io import RawIOBase
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from worktrial.archive.meaning.periods import month_number
from worktrial.archive.pages import PageContent, Route
from worktrial.archive.store.record import DocumentRecord, FootingCount, replace_file
from worktrial.archive.store.rows import (
    CELL_SCHEMA,
    PAGE_SCHEMA,
    TABLE_SCHEMA,
    PartCounts,
    decode_page,
    describe_page,
)
from worktrial.errors import DataError, extra
from worktrial.outside.files import read_bytes, refuse_leaving

with extra("documents", "Reading an archive"):
    import pyarrow as pa
    import pyarrow.parquet as pq

PARTS = "parts"
RECORD = "record.json"
PAGES, TABLES, CELLS = "pages.parquet", "tables.parquet", "cells.parquet"
SCHEMAS = {PAGES: PAGE_SCHEMA, TABLES: TABLE_SCHEMA, CELLS: CELL_SCHEMA}
GROUP = 32
"""Pages per row group: what a look at one page reads, and what writing keeps in memory."""

_YEAR = r"(?P<year>1[789]\d\d|20\d\d)"
_YEAR_MONTH = re.compile(rf"(?<!\d){_YEAR}[_\-. ]?(?P<month>0[1-9]|1[0-2])(?!\d)")
_YEAR_QUARTER = re.compile(rf"(?<!\d){_YEAR}[_\-. ]?q(?:uarter)?[_\-. ]?(?P<quarter>[1-4])(?!\d)", re.IGNORECASE)
_YEAR_WORD = re.compile(rf"(?<!\d){_YEAR}[_\-., ]{{0,2}}(?P<word>[a-z]{{3,9}})", re.IGNORECASE)
_WORD_YEAR = re.compile(rf"(?<![a-z])(?P<word>[a-z]{{3,9}})[_\-., ]{{0,2}}{_YEAR}(?!\d)", re.IGNORECASE)
_ONLY_YEAR = re.compile(rf"(?<!\d){_YEAR}(?!\d)")


class StoredPart(NamedTuple):
    """A finished document in the archive."""

    folder: Path
    record: DocumentRecord


def write_slice(folder: Path, document: str, pages: Iterable[PageContent]) -> PartCounts:
    """Write some of a document's pages, with their tables and cells.

    Args:
        folder: an empty folder, where no reader looks.
        document: its name.
        pages: in order; they are not kept in memory. All slices but the last have a multiple of `GROUP` pages.
    """
    counts = PartCounts()
    with ExitStack() as files:
        writers = {name: files.enter_context(_writer(folder / name)) for name in SCHEMAS}
        for batch in _batches(pages, GROUP):
            rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in SCHEMAS}
            for page in batch:
                described = describe_page(document, page)
                rows[PAGES].append(described.page)
                rows[TABLES] += described.tables
                rows[CELLS] += described.cells
                counts = counts.plus(described.counts)
            for name, schema in SCHEMAS.items():
                if rows[name]:
                    writers[name].write_table(_arrow(rows[name], schema))
    return counts


def join_slices(
    folder: Path,
    record: DocumentRecord,
    slices: Sequence[Path],
    counts: PartCounts,
    read_with: Callable[[list[str]], str],
) -> DocumentRecord:
    """Make a document's part of its slices.

    Args:
        folder: an empty folder, not yet where readers look.
        record: what is known before the pages are.
        slices: in order.
        counts: of all of them.
        read_with: what the pages depend on, told their routes.

    Returns:
        The record with everything counted.
    """
    for name in SCHEMAS:
        with _writer(folder / name) as writer:
            for place in slices:
                with pq.ParquetFile(place / name) as file:
                    for group in range(file.num_row_groups):
                        writer.write_table(file.read_row_group(group))
        _settle(folder / name)
    # Pages with doubts are scans that were read without recognition.
    routes = [*counts.routes, *([Route.OCR] if counts.doubts else [])]
    done = msgspec.structs.replace(
        record,
        pages=counts.pages,
        routes=counts.routes,
        tables=counts.tables,
        cells=counts.cells,
        doubtful_cells=counts.doubtful,
        confidence=round(counts.sure / counts.with_text, 4) if counts.with_text else 0.0,
        footing=FootingCount(counts.checked, counts.held),
        failed=list(counts.failed),
        doubts=list(counts.doubts),
        irregular=list(counts.irregular),
        read_with=read_with(routes),
    )
    replace_file(folder / RECORD, msgspec.json.encode(done))
    return done


def read_record(folder: Path) -> DocumentRecord | None:
    """The record of a part, or None when the folder holds no whole one."""
    if not all((folder / name).is_file() for name in SCHEMAS):
        return None
    try:
        return msgspec.json.decode(read_bytes(folder / RECORD, within=folder), type=DocumentRecord)
    except (DataError, msgspec.MsgspecError, RecursionError):
        return None


def read_part_page(part: Path | RawIOBase, number: int) -> PageContent:
    """One page of a part.

    Args:
        part: its folder, or its file of pages.
        number: 1-based.

    Raises:
        DataError: there is no such page, or the file is damaged.
    """
    group, place = divmod(number - 1, GROUP)
    with _open_pages(part) as file:
        if 0 <= group < file.num_row_groups:
            column = file.read_row_group(group, columns=["content"]).column("content")
            if place < len(column):
                return decode_page(column[place].as_py())
    raise DataError(part, f"has no page {number}")


def read_part_pages(part: Path | RawIOBase, first: int, last: int) -> Iterator[PageContent]:
    """Some pages of a part in order, a row group at a time; see `read_part_page`."""
    with _open_pages(part) as file:
        for group in range((first - 1) // GROUP, min((last - 1) // GROUP + 1, file.num_row_groups)):
            for content in file.read_row_group(group, columns=["content"]).column("content"):
                page = decode_page(content.as_py())
                if first <= page.number <= last:
                    yield page


def _open_pages(part: Path | RawIOBase) -> pq.ParquetFile:
    where = part / PAGES if isinstance(part, Path) else part
    if isinstance(part, Path):
        refuse_leaving(part, part / PAGES)
    try:
        return pq.ParquetFile(where)
    except (OSError, pa.ArrowException) as error:
        raise DataError(where, f"cannot be read ({error})", "Remove its folder and build again") from None


def _arrow(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    # Column by column: a dictionary per row costs more than reading the page did.
    columns = zip(*rows, strict=True)
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def _writer(path: Path) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, SCHEMAS[path.name], compression="zstd")


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
    """Force the file onto the disk before its folder is renamed to where readers look."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def issue_of(name: str, opening: str = "") -> str:
    """A document's date of issue: `1939-02`, `1939` where only the year is told, or nothing.

    Args:
        name: of the document; what it says is taken first. A quarter counts as its last month.
        opening: text of the first pages, where periodicals print the date.
    """
    dated = _YEAR_MONTH.search(name)
    if dated is not None:
        return f"{dated['year']}-{dated['month']}"
    quarter = _YEAR_QUARTER.search(name)
    if quarter is not None:
        return f"{quarter['year']}-{int(quarter['quarter']) * 3:02}"
    named = _with_month(name)
    if named:
        return named
    year = _ONLY_YEAR.search(name)
    return year["year"] if year is not None else _with_month(opening)


def _with_month(text: str) -> str:
    for pattern in (_WORD_YEAR, _YEAR_WORD):
        for found in pattern.finditer(text):
            month = month_number(found["word"])
            if month is not None:
                return f"{found['year']}-{month:02}"
    return ""
