"""All tables, in the order in which people are shown them, and their rows in Arrow batches of bounded size."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from worktrial.errors import DataError, SettingError
from worktrial.results.tables import rows, trajectories
from worktrial.results.tables.schema import Kind, RunTable
from worktrial.results.tables.source import RunSource

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 5_000
_CHARACTERS = 4_000_000

TABLES: Mapping[str, RunTable] = {
    table.name: table
    for table in (
        rows.RUNS,
        rows.SAMPLES,
        rows.USAGE,
        rows.VOTES,
        rows.CHECKS,
        rows.FAULT_EVENTS,
        rows.FAULTS,
        rows.FAULT_MISSES,
        rows.VIOLATIONS,
        trajectories.TRAJECTORIES,
        trajectories.CALLS,
        trajectories.MESSAGES,
    )
}


def chosen(names: Collection[str]) -> list[RunTable]:
    """The tables of these names.

    Raises:
        SettingError: there is no such table.
    """
    for name in names:
        if name not in TABLES:
            raise SettingError(f"there is no table {name!r}; there are {', '.join(TABLES)}")
    return [TABLES[name] for name in names]


def schema_of(table: RunTable) -> "pa.Schema":
    """The table's columns in Arrow."""
    import pyarrow as pa

    return pa.schema([(column.name, column.kind.arrow) for column in table.columns])


def values(table: RunTable, sources: Sequence[RunSource]) -> Iterator[Sequence[Any]]:
    """The table's rows over all `sources`, as Python values in the order of the columns.

    Raises:
        DataError: a run's folder is damaged.
    """
    cells = table.cells()
    for source in sources:
        yield from map(cells, table.rows(source))


def batches(table: RunTable, sources: Sequence[RunSource]) -> Iterator["pa.RecordBatch"]:
    """The same, a few thousand rows or megabytes at a time.

    Raises:
        DataError: a run's folder is damaged.
    """
    collected: list[Sequence[Any]] = []
    characters = 0
    texts = [n for n, column in enumerate(table.columns) if column.kind in (Kind.TEXT, Kind.JSON)]
    for row in values(table, sources):
        collected.append(row)
        for place in texts:
            characters += len(row[place] or "")
        if len(collected) >= _ROWS or characters >= _CHARACTERS:
            yield _batch(table, collected)
            collected, characters = [], 0
    if collected:
        yield _batch(table, collected)


def _batch(table: RunTable, rows: list[Sequence[Any]]) -> "pa.RecordBatch":
    import pyarrow as pa

    arrays = []
    for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True):
        try:
            arrays.append(pa.array(cells, column.kind.arrow))
        except (pa.ArrowException, OverflowError, TypeError) as e:
            where = f"table {table.name}, column {column.name}"
            raise DataError(where, f"a stored value is no {column.kind.value}: {e}") from None
    return pa.RecordBatch.from_arrays(arrays, schema=schema_of(table))
