"""Rows of tables as text: one value in the forms of files, and whole files in CSV, JSON, JSONL and Markdown."""

import csv
import datetime
import decimal
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from worktrial.language import JsonValue

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
# Also in their full-width form, which some spreadsheets take for the same.
_FORMULA = frozenset("=+-@＝＋－＠")


def json_value(value: Any, kind: str = "") -> JsonValue:
    """A value as JSON can say it.

    Args:
        value: As DuckDB or a column gives it.
        kind: The type of its column; text of the type `JSON` becomes what it says.
    """
    if isinstance(value, str):
        return msgspec.Raw(value.encode()) if kind == "JSON" else value
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): json_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(inner) for inner in value]
    return value.hex() if isinstance(value, bytes) else str(value)


def text_value(value: Any) -> str:
    """A value as text; nothing for null."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    plain = json_value(value)
    if isinstance(plain, str):
        return plain
    return msgspec.json.encode(plain).decode()


def csv_value(value: Any) -> str:
    """A value for a CSV file that a spreadsheet may open.

    Text that a spreadsheet could take for a formula gets an apostrophe before it, which is how spreadsheets mark
    text. Numbers stay numbers, also where they are text.
    """
    text = text_value(value)
    if not isinstance(value, str) or _NUMBER.fullmatch(text):
        return text
    # Spreadsheets pass over what is blank; a tab or a line break at the start can begin a cell of its own.
    start = text.lstrip()
    dangerous = text[:1] in ("\t", "\r", "\n") or (bool(start) and start[0] in _FORMULA)
    return f"'{text}" if dangerous else text


def json_row(columns: Sequence[str], types: Sequence[str], row: Sequence[Any]) -> dict[str, JsonValue]:
    """A row as an object; of columns of the same name, the later ones get a number."""
    return dict(zip(columns, (json_value(v, kind) for v, kind in zip(row, types, strict=True)), strict=True))


def distinct(names: Sequence[str]) -> list[str]:
    """`names` with a number after those that came before."""
    found: list[str] = []
    for name in names:
        number, free = 1, name
        while free in found:
            number += 1
            free = f"{name}_{number}"
        found.append(free)
    return found


# What Markdown, or the HTML within it, reads as more than a character. A mention or a link to an issue is made
# harmless by a joiner of no width.
_MARKS = re.compile(r"([\\`*_{}\[\]<>|~&!#])")
_MENTIONS = re.compile(r"([@#])(?=\w)")
_LINKS = re.compile(r"(?i)(https?|ftp)(?=://)|(www)(?=\.)")


def markdown_cell(text: str) -> str:
    """`text` shown as it is, on one line."""
    plain = " ".join(text.split())
    escaped = _MARKS.sub(r"\\\1", plain)
    escaped = escaped.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")
    escaped = _LINKS.sub(lambda found: f"{found[0]}\u2060", escaped)
    return _MENTIONS.sub("\\1\u2060", escaped)


def markdown_table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], numeric: frozenset[int] = frozenset()
) -> Iterable[str]:
    """The lines of a table.

    Args:
        headers: Of the columns.
        rows: Texts of the cells.
        numeric: Positions of columns that are set to the right.
    """
    yield "| " + " | ".join(markdown_cell(header) for header in headers) + " |"
    yield "|" + "|".join(" ---: " if n in numeric else " --- " for n in range(len(headers))) + "|"
    for row in rows:
        yield "| " + " | ".join(markdown_cell(cell) for cell in row) + " |"


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
