"""Rows written as they come: CSV, JSON, JSONL, Markdown."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from worktrial.results.exports.markdown import markdown_table
from worktrial.results.exports.values import csv_value, distinct, json_row, text_value

_NUMERIC = ("BIGINT", "INTEGER", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "SMALLINT", "TINYINT", "UBIGINT")


class RowForm(StrEnum):
    """A form that rows can be written in, one after the other."""

    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


def write_rows(
    form: RowForm,
    columns: Sequence[str],
    types: Sequence[str],
    rows: Iterable[Sequence[Any]],
    write: Callable[[str], object],
) -> int:
    """Write rows.

    Args:
        form: Which.
        columns: Their names.
        types: Their types, in the words of DuckDB.
        rows: As DuckDB gives them.
        write: Takes one piece of text after the other.

    Returns:
        How many rows there were.
    """
    counted = _Counted(rows)
    for piece in _WRITERS[form](columns, types, counted):
        write(piece)
    return counted.count


class _Counted:
    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for row in self._rows:
            self.count += 1
            yield row


def csv_line(cells: Iterable[str]) -> str:
    """One line of CSV (RFC 4180, but with a plain line feed)."""
    line = io.StringIO()
    row = list(cells)
    # Python's writer leaves a carriage return bare, and readers begin a new row there.
    bare = any("\r" in cell for cell in row)
    csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_ALL if bare else csv.QUOTE_MINIMAL).writerow(row)
    return line.getvalue()


def _csv(columns: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield csv_line(csv_value(column) for column in columns)
    for row in rows:
        yield csv_line(csv_value(value) for value in row)


def _json(columns: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    yield "["
    for number, line in enumerate(_jsonl(columns, types, rows)):
        yield ("\n " if number == 0 else ",\n ") + line[:-1]
    yield "\n]\n"


def _jsonl(columns: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    names = distinct(columns)
    for row in rows:
        yield msgspec.json.encode(json_row(names, types, row)).decode() + "\n"


def _markdown(columns: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    numeric = frozenset(n for n, kind in enumerate(types) if kind.startswith(_NUMERIC))
    cells = ([text_value(value) for value in row] for row in rows)
    return (f"{line}\n" for line in markdown_table(columns, cells, numeric))


_WRITERS: dict[RowForm, Callable[..., Iterator[str]]] = {
    RowForm.CSV: _csv,
    RowForm.JSON: _json,
    RowForm.JSONL: _jsonl,
    RowForm.MARKDOWN: _markdown,
}
