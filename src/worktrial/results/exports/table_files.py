"""Tables as CSV and Parquet files, straight from the run folders."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import IO

from worktrial.results.exports.files import new_file, new_folder
from worktrial.results.exports.rows import RowForm, write_rows
from worktrial.results.tables.catalogue import batches, schema_of, values
from worktrial.results.tables.schema import Table
from worktrial.results.tables.source import RunSource


class TableForm(StrEnum):
    """A form of file that holds one table."""

    CSV = "csv"
    PARQUET = "parquet"


def export_tables(
    tables: Sequence[Table], sources: Sequence[RunSource], form: TableForm, out: Path, *, force: bool = False
) -> dict[str, int]:
    """Write one file for each table into the folder `out`.

    Returns:
        Table to its number of rows.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    counts = {}
    with new_folder(out, force=force) as folder:
        for table in tables:
            with (folder / f"{table.name}.{form}").open("wb") as file:
                counts[table.name] = _write(table, sources, form, file)
    return counts


def export_table(
    table: Table, sources: Sequence[RunSource], form: TableForm, out: Path, *, force: bool = False
) -> int:
    """Write one table into the file `out`.

    Returns:
        Its number of rows.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    with new_file(out, force=force) as file:
        return _write(table, sources, form, file)


def _write(table: Table, sources: Sequence[RunSource], form: TableForm, file: IO[bytes]) -> int:
    if form is TableForm.CSV:
        columns = [column.name for column in table.columns]
        types = [column.kind.value for column in table.columns]
        return write_rows(
            RowForm.CSV,
            columns,
            types,
            values(table, sources),
            lambda text: file.write(text.encode(errors="replace")),
        )
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(file, schema_of(table), compression="zstd") as writer:
        for batch in batches(table, sources):
            writer.write_batch(batch)
            count += batch.num_rows
    return count
