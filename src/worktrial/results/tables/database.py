"""Stored runs as a database in memory: views over their files, which DuckDB reads when it is asked."""

import contextlib
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import msgspec

from worktrial.engine.lines import cut_torn_tail
from worktrial.engine.record import SampleRecord
from worktrial.engine.records import SAMPLES
from worktrial.errors import DataError, SettingError
from worktrial.outside.files import open_file
from worktrial.results.figure import Ask
from worktrial.results.shown import tally_shown
from worktrial.results.tables.catalogue import (
    KEY,
    LINE,
    LINES,
    OF_WORK,
    RECORDS,
    RUN,
    TABLES,
    chosen,
    line_rows,
    run_row,
)
from worktrial.results.tables.query import plain_problem, single_select, tables_read
from worktrial.results.tables.schema import nothing, stored_fields
from worktrial.results.tables.source import RunSource, find_runs, sources
from worktrial.statistics import Estimand

if TYPE_CHECKING:
    import duckdb

MEMORY = 192 << 20
"""Bytes that DuckDB keeps in memory; what is more waits on disk."""
_LONGEST = 16 << 20  # bytes of a line, where no longer one is known
_FETCHED = 1_000
_NUMBERS = ("role", "vote", "number", "event", "call", "index", "name", "estimand", "group")
# A line that is no record ends the query; what is wrong with it, our own reader says.
_WHOLE = """CASE WHEN sample IS NULL OR repeat IS NULL OR coalesce(outcome, '') NOT IN ('pass', 'fail', 'invalid')
    THEN error('a damaged record') ELSE true END"""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a query."""

    columns: Sequence[str]
    types: Sequence[str]
    """Types of the columns, in DuckDB's words; values of the type JSON are text."""
    rows: Iterator[tuple[Any, ...]]
    """Fetched as they are taken; they end with the database, or with its next query."""


class RunTables:
    """Stored runs as tables. Use as a context manager: what is laid out for DuckDB is on disk until then.

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
        self._place = tempfile.TemporaryDirectory(prefix="worktrial-sql-")
        self._nothing = self._connection = _filled((), (), Path(self._place.name), self._memory)
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._nothing.close()
        self._place.cleanup()

    def select(self, sql: str) -> Answer:
        """Run one query that only reads; what it does not name is not read.

        Raises:
            SettingError: it is no such query, or wrong.
            DataError: the folder of the only run is damaged, or those of all.
        """
        empty = self._nothing
        statement = _plainly(lambda: single_select(sql))
        if statement.type == statement.type.SELECT:
            # Over the empty tables: what is wrong is said before anything is read.
            _plainly(lambda: empty.execute(f"EXPLAIN {statement.query}"))
        # Not the text again: it could be read in another way a second time.
        return self._answer(statement, _plainly(lambda: tables_read(empty, statement.query)))

    def rows_of(self, table: str) -> Answer:
        """All rows of a table, in the order of their samples.

        Raises:
            DataError: the folder of the only run is damaged, or those of all.
        """
        return self._answer(_in_order(table), {table})

    def write_parquet(self, table: str, file: IO[bytes]) -> int:
        """Write all rows of a table, in the order of their samples; returns how many there are.

        Raises:
            DataError: the folder of the only run is damaged, or those of all.
        """
        place = Path(self._place.name) / f"{table}.parquet"
        copy = f"COPY ({_in_order(table)}) TO {_quoted(str(place))} (FORMAT parquet, COMPRESSION zstd)"
        [(count,)] = self._answer(copy, {table}).rows
        with place.open("rb") as written:
            shutil.copyfileobj(written, file)
        place.unlink()
        return int(count)

    def _answer(self, query: "str | duckdb.Statement", names: Collection[str]) -> Answer:
        import duckdb

        while True:
            if self._connection is not self._nothing:
                self._connection.close()
            try:
                self._connection = _filled(self._sources, names, Path(self._place.name), self._memory)
                self._connection.execute(query)
            except (duckdb.Error, DataError) as e:
                if not self._leave_out_damaged(names):
                    raise _told(e) from None
            else:
                break
        described = self._connection.description or []
        return Answer([d[0] for d in described], [str(d[1]) for d in described], _rows(self._connection))

    def _leave_out_damaged(self, names: Collection[str]) -> bool:
        """Leave out damaged runs; whether there are any."""
        damaged = [(source, why) for source in self._sources if (why := _damage(source, names)) is not None]
        if damaged and len(self._sources) == 1:
            raise damaged[0][1]
        for source, why in damaged:
            self._sources.remove(source)
            self.left_out.append(f"{source.name} is left out: {why}")
        return bool(damaged)


def database(runs: Sequence[Path], tables: Collection[str] | None = None) -> "duckdb.DuckDBPyConnection":
    """Stored runs as a DuckDB database in memory, for notebooks.

    Args:
        runs: Folders of runs, or folders that hold some.
        tables: Which to fill; the others are empty. None: all, with every call and message.

    Raises:
        DataError: a folder holds no run, or a damaged one.
        SettingError: the same run is named twice, or there is no such table.
    """
    import duckdb

    found = sources(find_runs(list(runs)))
    names = [table.name for table in chosen(TABLES if tables is None else tables)]
    with tempfile.TemporaryDirectory(prefix="worktrial-sql-") as place:
        connection = _filled(found, names, Path(place), None)
        for name in names:
            try:
                connection.execute(f"CREATE TABLE _held AS {_in_order(name)}")
            except duckdb.Error as e:
                raise next((why for one in found if (why := _damage(one, names)) is not None), _told(e)) from None
            connection.execute(f'DROP VIEW "{name}"; ALTER TABLE _held RENAME TO "{name}"')
    return connection


def _filled(
    found: Sequence[RunSource], names: Collection[str], folder: Path, memory: int | None
) -> "duckdb.DuckDBPyConnection":
    """A database with all tables, of which those of these names have the rows of `found`.

    Args:
        found: The runs.
        names: Tables that are asked.
        folder: Place for what is laid out for DuckDB, and for what does not fit into memory.
        memory: Bytes that it keeps there; None for as many as it likes, and what is more is refused.
    """
    import duckdb

    connection = duckdb.connect(":memory:", config={"temp_directory": str(folder) if memory else ""})
    settings = [
        f"threads = {min(4, os.cpu_count() or 1)}",
        # Nothing but these files: no others, no network, no extensions, no variables of this program.
        f"allowed_directories = [{_quoted(str(folder.resolve()))}]",
        f"allowed_paths = [{', '.join(_quoted(str((one.folder / SAMPLES).resolve())) for one in found)}]",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        "python_enable_replacements = false",
        "enable_external_access = false",
    ]
    if memory is not None:
        settings.insert(0, f"memory_limit = '{memory >> 20}MB'")
        settings.append("lock_configuration = true")
    for setting in settings:
        connection.execute(f"SET {setting}")
    connection.execute("CREATE MACRO _said(x) AS nullif(x::VARCHAR, 'null')::JSON")
    if names:
        for relation, query in _relations(found, names, folder):
            connection.execute(f"CREATE VIEW {relation} AS {query}")
    for table in TABLES.values():
        made = (
            f"VIEW {table.name} AS {table.select}"
            if table.name in names
            else f"TABLE {table.name} AS {table.nothing}"
        )
        connection.execute(f"CREATE {made}")
    return connection


def _relations(found: Sequence[RunSource], names: Collection[str], folder: Path) -> Iterator[tuple[str, str]]:
    """Relations that the tables are made from, each with its query."""
    records = [(source.name, _linked(source, folder / f"{at}.jsonl")) for at, source in enumerate(found)]
    last = f"QUALIFY row_number() OVER (PARTITION BY {', '.join(KEY[1:])} ORDER BY _line DESC) = 1"
    counted = [
        f"SELECT {_quoted(name)} AS run, * EXCLUDE (_line) FROM (SELECT *, row_number() OVER () AS _line"
        f" FROM {_read(path, stored_fields(SampleRecord))} WHERE {_WHOLE}) {last}"
        for name, path in records
    ]
    yield RECORDS, _united(counted, {"run": "VARCHAR", **stored_fields(SampleRecord)})
    if OF_WORK & {*names}:
        rows = chain.from_iterable(map(line_rows, found))
        yield LINES, _laid_out(folder / "lines.jsonl", LINE, rows)
    if "runs" in names:
        yield "_runs", _laid_out(folder / "runs.jsonl", RUN, map(run_row, found))
    if "figures" in names:
        fields = {one.name: one.kind for one in TABLES["figures"].columns}
        yield "_figures", _laid_out(folder / "figures.jsonl", fields, _figure_rows(found))


def _figure_rows(found: Iterable[RunSource]) -> Iterator[Mapping[str, Any]]:
    for source in found:
        tally = tally_shown(source.folder)
        for estimand in Estimand:
            for figure in tally.figures(Ask(estimand=estimand)).listed:
                yield {"run": source.name, **asdict(figure)}


def _laid_out(path: Path, fields: Mapping[str, str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Query of rows that are written into a file of ours first."""
    longest = _LONGEST
    with path.open("wb") as file:
        for row in rows:
            line = msgspec.json.encode(row)
            longest = max(longest, len(line) + 1)
            file.write(line + b"\n")
    return f"FROM {_read(path, fields, longest)}"


def _linked(source: RunSource, place: Path) -> Path:
    """The records of a run at a place of ours: under any name, and without a torn last line.

    Raises:
        DataError: they lie out of the run's folder.
    """
    path = source.folder / SAMPLES
    with open_file(path, within=source.folder) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        is_whole = file.read(1) in (b"", b"\n")
    if is_whole:
        place.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # not everywhere may everybody make links
            place.symlink_to(path.resolve())
            return place
    shutil.copyfile(path, place)
    cut_torn_tail(place)
    return place


def _read(path: Path, fields: Mapping[str, str], longest: int = _LONGEST) -> str:
    columns = ", ".join(f"{_quoted(name)}: {_quoted(kind)}" for name, kind in fields.items())
    told = f"columns = {{{columns}}}, auto_detect = false, maximum_object_size = {longest}"
    return f"read_ndjson({_quoted(str(path))}, {told})"


def _united(queries: Sequence[str], fields: Mapping[str, str]) -> str:
    return " UNION ALL BY NAME ".join(f"({query})" for query in (nothing(fields), *queries))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _in_order(table: str) -> str:
    """Query of a whole table, in the order of its samples and of what is numbered within them."""
    columns = [one.name for one in TABLES[table].columns]
    order = ", ".join(f'"{name}"' for name in (*KEY, *_NUMBERS) if name in columns)
    return f'FROM "{table}" ORDER BY {order}'


def _damage(source: RunSource, names: Collection[str]) -> DataError | None:
    """Damage of a run in what these tables are made from; None where there is none."""
    try:
        run_row(source)
        deque(source.records(), maxlen=0)
        if OF_WORK & {*names}:
            deque(line_rows(source), maxlen=0)
    except DataError as e:
        return e
    return None


def _rows(connection: "duckdb.DuckDBPyConnection") -> Iterator[tuple[Any, ...]]:
    while fetched := _plainly(lambda: connection.fetchmany(_FETCHED)):
        yield from fetched


def _plainly(do: Callable[[], _T]) -> _T:
    import duckdb

    try:
        return do()
    except duckdb.Error as e:
        raise _told(e) from None


def _told(error: Exception) -> Exception:
    """The error in words of ours."""
    return error if isinstance(error, DataError) else SettingError(f"sql: {plain_problem(error)}")
