"""A query before it is run: the tables and columns that it reads, and plain words for what is wrong with it.

Tables and columns are those of DuckDB's own parse: nothing else has to be loaded.

A table or column too many costs time, one too few would give a wrong answer; in doubt everything is loaded.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from worktrial.errors import SettingError
from worktrial.language import JsonValue
from worktrial.results.tables.catalogue import TABLES

if TYPE_CHECKING:
    import duckdb

_NOWHERE = 2**64 - 1  # location of what stands in no query
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


def columns_read(connection: "duckdb.DuckDBPyConnection", sql: str) -> frozenset[str] | None:
    """The columns that the query may name; None for all.

    Names are all texts in the parsed query: names of columns, and much else that does no harm. None where columns
    are meant without being named: a star, a whole row, a natural join, and statements that DuckDB does not take
    apart. `ORDER BY ALL` means those that are selected.
    """
    found = connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
    parsed = msgspec.json.decode(found[0]) if found else {"error": True}
    if parsed["error"] or _BY_NAME.search(sql):
        return None
    texts: set[str] = set()
    tables: set[str] = set()
    named: set[str] = set()
    selected = {id(star) for node in _nodes(parsed["statements"]) for star in _selected(node)}
    for node in _nodes(parsed["statements"]):
        if id(node) in selected:
            continue
        if node.get("class") == "STAR" or node.get("type") == "SHOW_REF" or node.get("ref_type") == "NATURAL":
            return None
        if node.get("column_name_alias"):
            # `calls c(a, b)`: columns by their position.
            return None
        if "class" not in node:
            tables |= {str(node[key]).lower() for key in ("table_name", "alias") if node.get(key)}
        elif node["class"] == "COLUMN_REF":
            named.add(str(node["column_names"][-1]).lower())
        texts |= _texts(node)
    # A table's name or alias in the place of a column is its whole row.
    return None if tables & named else frozenset(texts)


def _nodes(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Every object within `value`."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _nodes(one)


def _selected(node: Mapping[str, JsonValue]) -> Iterator[JsonValue]:
    """The expression of `ORDER BY ALL`: to DuckDB a star that nobody wrote."""
    modifiers = node.get("modifiers")
    for modifier in modifiers if isinstance(modifiers, list) else ():
        orders = modifier.get("orders") if isinstance(modifier, dict) else None
        for order in orders if isinstance(orders, list) else ():
            by = order.get("expression") if isinstance(order, dict) else None
            if isinstance(by, dict) and by.get("class") == "STAR" and by.get("query_location") == _NOWHERE:
                yield by


def _texts(node: Mapping[str, JsonValue]) -> set[str]:
    """The texts among the values of an object, in lower case; those of inner objects are left to them."""
    found = {value.lower() for value in node.values() if isinstance(value, str)}
    for value in node.values():
        if isinstance(value, list):
            found |= {one.lower() for one in value if isinstance(one, str)}
    return found


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
