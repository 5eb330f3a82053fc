"""Rows in, rows out: files of one JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from worktrial.errors import DataError
from worktrial.language import JsonObject


def rows(file: Path) -> Iterator[tuple[int, JsonObject | str]]:
    """The rows of `file` with their line numbers; a line that is no JSON object comes as what is wrong with it.

    Raises:
        DataError: the file cannot be read.
    """
    try:
        handle = file.open("rb")
    except OSError as e:
        raise DataError(file, e.strerror or str(e), "Name a file of one JSON object a line") from None
    return _rows(handle)


def _rows(handle: IO[bytes]) -> Iterator[tuple[int, JsonObject | str]]:
    with handle:
        for number, line in enumerate(handle, start=1):
            if line.strip():
                yield number, _row(line)


def _row(line: bytes) -> JsonObject | str:
    try:
        # Not msgspec: NaN and very long numbers are in files that other programs wrote.
        value = json.loads(line)
    except (ValueError, RecursionError) as e:
        return f"not JSON ({str(e) or type(e).__name__})"
    return value if isinstance(value, dict) else f"a JSON {type(value).__name__}, not an object"


def write_row(out: IO[bytes], row: JsonObject) -> None:
    """Write one row; what JSON cannot hold (half of a surrogate pair) is replaced."""
    out.write(json.dumps(row, ensure_ascii=False).encode(errors="replace") + b"\n")
