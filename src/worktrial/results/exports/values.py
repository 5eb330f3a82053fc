"""One value of a table in the forms of files."""

import datetime
import decimal
import math
import re
from collections.abc import Sequence
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
