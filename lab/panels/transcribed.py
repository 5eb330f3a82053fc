"""Pages transcribed by eye: tables as rows of cells, and what else is printed."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.scoring.numbers import numbers_in
from lab.scoring.truth import TruthTable
from worktrial.errors import DataError


@dataclass(frozen=True, slots=True)
class Transcript:
    """One page as it is printed."""

    tables: tuple[TruthTable, ...]
    """Without headings: rows of a label and figures."""
    numbers: Counter[str]
    """All numbers of two or more digits on the page, by their digits."""


def read_transcripts(folder: Path) -> dict[str, Transcript]:
    """Transcribed pages by name: files `PAGE.yaml`, their format in the README of `lab/panels/truth`.

    Raises:
        DataError: a file cannot be read, a row has too few or too many cells, or nothing says how it was checked.
    """
    pages = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            content = yaml.safe_load(file.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as e:
            raise DataError(file, f"cannot be read: {e}") from e
        pages[file.stem] = _transcript(file, content)
    return pages


def _transcript(file: Path, content: Any) -> Transcript:
    if not isinstance(content, dict):
        raise DataError(file, "holds no fields", "Write read, checked, tables and rest")
    for field in ("read", "checked"):
        _text(file, content, field)
    rest = _text(file, content, "rest", missing="")
    texts = content.get("tables")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{file}: tables", "must be a list of texts, one for each table")
    tables = tuple(_table(file, n, text) for n, text in enumerate(texts, 1))
    numbers = numbers_in([rest, *(cell for table in tables for row in table.grid for cell in row)])
    if not numbers:
        raise DataError(file, "holds no number", "Write the page's rows as they are printed")
    return Transcript(tables, numbers)


def _text(file: Path, content: dict[str, Any], field: str, missing: str | None = None) -> str:
    value = content.get(field, missing)
    if not isinstance(value, str) or not (value.strip() or missing == ""):
        raise DataError(f"{file}: {field}", f"must be a text, and is {value!r}")
    return value


def _table(file: Path, number: int, text: str) -> TruthTable:
    rows = tuple(tuple(cell.strip() for cell in line.split("|")) for line in text.splitlines() if line.strip())
    if not rows or len(rows[0]) < 2:
        raise DataError(f"{file}: tables", f"table {number} has no row of a label and a figure")
    for n, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise DataError(
                f"{file}: tables", f"table {number}, row {n} has {len(row)} cells, the first has {len(rows[0])}"
            )
    return TruthTable(f"{file.stem}#{number}", file.stem, 1, rows, header_rows=0, row_label_cols=1, kind="scan")
