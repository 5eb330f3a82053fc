"""A query before it is run: the tables that it reads, and plain words for what is wrong with it."""

import difflib
import re
from typing import TYPE_CHECKING

from worktrial.errors import SettingError
from worktrial.results.tables.catalogue import TABLES

if TYPE_CHECKING:
    import duckdb

# Functions that read tables whose names are text.
_BY_NAME = re.compile(r"\bquery(_table)?\b", re.IGNORECASE)
_NO_COLUMN = re.compile(r'(?:Referenced column |does not have a column named )"([^"]+)"')
_NO_TABLE = re.compile(r"Table with name (\S+) does not exist")
_LONGEST = 400


def single_select(sql: str) -> "duckdb.Statement":
    """The one statement of `sql`.

    Raises:
        SettingError: it is none, several, or one that does more than read.
        duckdb.Error: it is no SQL.
    """
    import duckdb

    statements = duckdb.extract_statements(sql)
    if len(statements) != 1:
        raise SettingError(f"sql: exactly one statement is needed, not {len(statements)}")
    kind = statements[0].type
    # PIVOT over values that are not listed is several statements to DuckDB.
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI):
        raise SettingError(
            f"sql: only SELECT (also FROM, WITH, PIVOT, DESCRIBE, SUMMARIZE) can be run, not {kind.name}; "
            "stored runs are never changed, and files are written with -o or `worktrial export`"
        )
    return statements[0]


def tables_read(connection: "duckdb.DuckDBPyConnection", sql: str) -> set[str]:
    """The tables that the query names.

    Args:
        connection: A database with all tables, which may be empty.
        sql: One statement.
    """
    import duckdb

    if _BY_NAME.search(sql):
        return set(TABLES)
    try:
        return {name.lower() for name in connection.get_table_names(sql)} & set(TABLES)
    except duckdb.Error:
        # It does not see through joins with USING, nor PIVOT: then every table whose name occurs anywhere.
        return {name for name in TABLES if name in sql.lower()}


def plain_problem(error: Exception) -> str:
    """DuckDB's message without its kind, its drawing and its lists, with a hint."""
    text = str(error)
    # Where it is comes last, as a drawing; candidates of functions are many lines.
    text = text.split("\n\nLINE ")[0].split("\n\tCandidate functions:")[0].split("Possible solutions:")[0]
    text = text.partition(" Error: ")[2] or text
    if column := _NO_COLUMN.search(text):
        return f"there is no column {column[1]!r}{_column_hint(column[1])}"
    if table := _NO_TABLE.search(text):
        return f"there is no table {table[1]!r}{_table_hint(table[1])}"
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _column_hint(name: str) -> str:
    places: dict[str, list[str]] = {}
    for table in TABLES.values():
        for column in table.columns:
            places.setdefault(column.name, []).append(table.name)
    near = difflib.get_close_matches(name.lower(), sorted(places), n=3)
    if not near:
        return " here; `worktrial sql --schema` lists them"
    return f" here; did you mean {' or '.join(f'{one} (of {_some(places[one])})' for one in near)}?"


def _some(tables: list[str]) -> str:
    return ", ".join(tables[:4]) + (", …" if len(tables) > 4 else "")


def _table_hint(name: str) -> str:
    near = difflib.get_close_matches(name.lower(), TABLES, n=2)
    return f"; did you mean {' or '.join(near)}?" if near else f"; there are {', '.join(TABLES)}"
