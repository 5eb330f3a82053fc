"""All tables of an archive in one DuckDB file, for SQL.

The Parquet parts are the truth; this file is made from them. Views over the parts would do for reading, but then a
query needs access to files, and `COPY` could overwrite a part. A database opened read-only needs none.
"""

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.archive.store.parts import CELLS, PAGES, SCHEMAS, TABLES, StoredPart
from worktrial.errors import DataError, extra

if TYPE_CHECKING:
    import duckdb

_DOCUMENTS = """
CREATE TABLE documents (
    document VARCHAR, issue VARCHAR, kind VARCHAR, pages INTEGER, tables INTEGER, cells INTEGER,
    confidence DOUBLE, failed_pages INTEGER
)
"""

_SHUT: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "1GB",
    "autoinstall_known_extensions": False,
    "enable_external_access": False,
    "lock_configuration": True,
}


def database_path(folder: Path, fingerprint: str) -> Path:
    """Path of the database of these documents in an archive's folder; one with other columns has another."""
    columns = repr([(name, schema.names) for name, schema in SCHEMAS.items()])
    return folder / f"archive-{fingerprint}-{hashlib.sha256(columns.encode()).hexdigest()[:6]}.duckdb"


def write_database(path: Path, parts: Sequence[StoredPart]) -> None:
    """Make the database anew; a reader sees the old one or the new one."""
    with extra("documents", "The database of an archive"):
        import duckdb

    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    _remove(temporary)
    try:
        with duckdb.connect(temporary, config={"memory_limit": "256MB", "threads": 2}) as connection:
            connection.execute(_DOCUMENTS)
            for _, r in parts:
                row = (r.name, r.issue, r.kind, r.pages, r.tables, r.cells, r.confidence, len(r.failed))
                connection.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            for name, file in (("pages", PAGES), ("tables", TABLES), ("cells", CELLS)):
                _gather(connection, name, [str(part.folder / file) for part in parts])
        temporary.replace(path)
    finally:
        _remove(temporary)


def open_database(path: Path) -> "duckdb.DuckDBPyConnection":
    """A connection that can read the archive's tables and nothing else: no files, no network, no changes.

    Raises:
        DataError: the file is damaged.
    """
    with extra("documents", "The database of an archive"):
        import duckdb

    try:
        return duckdb.connect(path, read_only=True, config=_SHUT)
    except duckdb.Error as error:
        raise DataError(path, f"cannot be opened ({error})", "Remove it; it is made again from the parts") from None


def _gather(connection: "duckdb.DuckDBPyConnection", name: str, files: list[str]) -> None:
    schema = SCHEMAS[f"{name}.parquet"]
    # The whole page is for those who read it; a query has its text. Parts of other versions may have more columns,
    # or lack some, which are null then.
    columns = ", ".join(column for column in schema.names if column != "content")
    connection.register("nothing", schema.empty_table())
    connection.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM nothing")
    connection.unregister("nothing")
    if files:
        read = "read_parquet(?, union_by_name = true)"
        having = {row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {read}", [files]).fetchall()}
        known = ", ".join(column for column in schema.names if column != "content" and column in having)
        connection.execute(f"INSERT INTO {name} BY NAME SELECT {known} FROM {read}", [files])


def _remove(path: Path) -> None:
    for leftover in (path, path.with_name(f"{path.name}.wal")):
        with contextlib.suppress(FileNotFoundError):
            leftover.unlink()
