"""What is wrong with a query, in one line, with the names that may have been meant."""

import difflib
import re

from worktrial.results.tables.catalogue import TABLES

_NO_COLUMN = re.compile(r'(?:Referenced column |does not have a column named )"([^"]+)"')
_NO_TABLE = re.compile(r"Table with name (\S+) does not exist")
_LONGEST = 400


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
