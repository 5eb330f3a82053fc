"""Stored runs as a database in memory."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from worktrial.errors import DataError, SettingError
from worktrial.results.tables.catalogue import TABLES, batches, chosen
from worktrial.results.tables.query import columns_read, plain_problem, single_select, tables_read
from worktrial.results.tables.schema import RunTable
from worktrial.results.tables.source import RunSource, find_runs, sources

if TYPE_CHECKING:
    import duckdb

MEMORY = 192 << 20
"""Bytes that DuckDB keeps in memory; what is more waits on disk."""
_FETCHED = 1_000

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a query."""

    columns: Sequence[str]
    types: Sequence[str]
    """Types of the columns, in DuckDB's words; values of the type JSON are text."""
    rows: Iterator[tuple[Any, ...]]
    """Fetched as they are taken; they end with the database."""


class RunTables:
    """Stored runs as tables. Use as a context manager: what does not fit into memory is on disk until then.

    Args:
        runs: Folders of runs, or folders that hold some.
        memory: Bytes that DuckDB keeps in memory.

    One damaged run among several is left out; see `left_out`.

    Raises:
        DataError: a folder holds no run.
        SettingError: the same run is named twice.
    """

    def __init__(self, runs: Sequence[Path], *, memory: int = MEMORY) -> None:
        self._sources = sources(find_runs(list(runs)))
        self._memory = memory
        self.left_out: list[str] = []
        """Damaged runs among several, each with the reason; they add no rows."""

    def __enter__(self) -> "RunTables":
        # Made with the first value, removed with the last: DuckDB does neither for a place in memory.
        self._spill = tempfile.TemporaryDirectory(prefix="worktrial-sql-")
        self._connection = _empty_database(self._memory, self._spill.name)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._spill.cleanup()

    def select(self, sql: str) -> Answer:
        """Run one query that only reads; what it does not name is not loaded.

        Raises:
            SettingError: it is no such query, or wrong.
            DataError: the folder of the only run is damaged, or those of all.
        """
        connection = self._connection
        statement = _plainly(lambda: single_select(sql))
        if statement.type == statement.type.SELECT:
            # Over the empty tables: what is wrong is said before anything is read.
            _plainly(lambda: connection.execute(f"EXPLAIN {statement.query}"))
        names = _plainly(lambda: tables_read(connection, statement.query))
        columns = _plainly(lambda: columns_read(connection, statement.query))
        for name in TABLES:
            if name in names:
                # Counting rows needs a column, too.
                self._fill(TABLES[name].narrowed(columns and columns | {"run"}))
        # Not the text again: it could be read in another way a second time.
        _plainly(lambda: connection.execute(statement))
        described = connection.description or []
        return Answer([d[0] for d in described], [str(d[1]) for d in described], _rows(connection))

    def _fill(self, table: RunTable) -> None:
        """Fill `table` run by run."""
        connection = self._connection
        connection.execute(f'DELETE FROM "{table.name}"')
        for source in list(self._sources):
            connection.execute("BEGIN")
            try:
                _add(connection, table, [source])
            except DataError as e:
                connection.execute("ROLLBACK")
                if len(self._sources) == 1:
                    raise
                self._leave_out(source, e)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            else:
                connection.execute("COMMIT")

    def _leave_out(self, source: RunSource, why: DataError) -> None:
        """Take a damaged run out of everything that was filled already."""
        self._sources.remove(source)
        self.left_out.append(f"{source.name} is left out: {why}")
        for name in TABLES:
            self._connection.execute(f'DELETE FROM "{name}" WHERE run = ?', [source.name])


def database(runs: Sequence[Path], tables: Collection[str] | None = None) -> "duckdb.DuckDBPyConnection":
    """Stored runs as a DuckDB database in memory, for notebooks and for our own reports.

    Args:
        runs: Folders of runs, or folders that hold some.
        tables: Which to fill; the others are empty. None: all, with every call and message.

    Raises:
        DataError: a folder holds no run, or a damaged one.
        SettingError: the same run is named twice, or there is no such table.
    """
    found = sources(find_runs(list(runs)))
    connection = _empty_database(None, None)
    for table in chosen(TABLES if tables is None else tables):
        _add(connection, table, found)
    return connection


def _empty_database(memory: int | None, spill: str | None) -> "duckdb.DuckDBPyConnection":
    import duckdb

    # No place on disk: more than fits into memory is refused then. Left out, it would be the working directory.
    connection = duckdb.connect(":memory:", config={"temp_directory": spill or ""})
    settings = [
        f"threads = {min(4, os.cpu_count() or 1)}",
        # No files, no network, no extensions, no variables of this program.
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "enable_external_access = false",
    ]
    if memory is not None:
        settings.insert(0, f"memory_limit = '{memory >> 20}MB'")
    for setting in settings:
        connection.execute(f"SET {setting}")
    for table in TABLES.values():
        columns = ", ".join(f'"{column.name}" {column.kind.value}' for column in table.columns)
        connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
    connection.execute("SET lock_configuration = true")
    return connection


def _add(connection: "duckdb.DuckDBPyConnection", table: RunTable, found: Sequence[RunSource]) -> None:
    """Add the rows of `found` to `table`."""
    import duckdb
    import pyarrow as pa

    names = ", ".join(f'"{column.name}"' for column in table.columns)
    for batch in batches(table, found):
        connection.register("_batch", pa.Table.from_batches([batch]))
        try:
            connection.execute(f'INSERT INTO "{table.name}" ({names}) SELECT {names} FROM _batch')
        except duckdb.Error as e:
            raise DataError(f"table {table.name}", plain_problem(e)) from None
        finally:
            connection.unregister("_batch")


def _rows(connection: "duckdb.DuckDBPyConnection") -> Iterator[tuple[Any, ...]]:
    while fetched := _plainly(lambda: connection.fetchmany(_FETCHED)):
        yield from fetched


def _plainly(do: Callable[[], _T]) -> _T:
    import duckdb

    try:
        return do()
    except duckdb.Error as e:
        raise SettingError(f"sql: {plain_problem(e)}") from None
