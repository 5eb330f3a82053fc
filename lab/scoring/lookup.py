"""Value found: would someone who asks for a row and a column by their labels get the true value?"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from lab.scoring.truth import TruthTable, label_text
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Cell, Table

ALIKE = 0.65
"""Least likeness of two paths of labels: a letter or two misread passes, another label does not."""
_YEAR = re.compile(r"\b(?:1[789]|20)\d\d\b")


class LookUpOutcome(StrEnum):
    """Outcome of one look-up."""

    RIGHT = "right"
    WRONG = "wrong"
    """A cell was found, with another value."""
    AMBIGUOUS = "ambiguous"
    """Several cells answer to the same labels, with different values."""
    MISSING = "missing"
    """No row or no column has these labels."""


@dataclass(frozen=True, slots=True)
class LookUp:
    """One true number, looked up."""

    row: int
    column: int
    """Column of the true table."""
    label: tuple[str, ...]
    header: tuple[str, ...]
    value: float
    outcome: LookUpOutcome
    got: tuple[str, ...]
    """The texts of the cells that answered."""


def look_up_all(truth: TruthTable, tables: Sequence[Table]) -> tuple[LookUp, ...]:
    """Look every true number up, in the first table first, and in the others where that has no such labels."""
    own = truth.as_table()
    labels, headers = row_labels(own), header_paths(own)
    finders = [Finder(table) for table in tables]
    results: list[LookUp] = []
    for r in range(truth.header_rows, len(truth.grid)):
        for c in range(truth.row_label_cols, len(truth.grid[r])):
            value = value_of(truth.grid[r][c]).number
            if value is None:
                continue
            cells = next((found for finder in finders if (found := finder.cells(labels[r], headers[c]))), ())
            got = tuple(cell.text for cell in cells)
            results.append(LookUp(r, c, labels[r], headers[c], value, outcome_of(value, got), got))
    return tuple(results)


def outcome_of(value: float, got: Sequence[str]) -> LookUpOutcome:
    """Compare a true value with the texts of the cells that answer to its labels."""
    if not got:
        return LookUpOutcome.MISSING
    read = {value_of(text).number for text in got}
    if len(read) > 1:
        return LookUpOutcome.AMBIGUOUS
    return LookUpOutcome.RIGHT if read == {value} else LookUpOutcome.WRONG


class Finder:
    """Look-ups in one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        paths = list(zip(row_labels(table), table.rows, strict=True))
        body = list(enumerate(paths))[table.header_rows :]
        # A row without a label of its own answers only by the label above, which has a row already.
        self._rows = [
            (r, label_text(path))
            for r, (path, row) in body
            if path and any(cell.text.strip() for cell in row[: table.label_columns])
        ]
        heads = header_paths(table)
        self._columns = [(c, label_text(heads[c])) for c in range(table.label_columns, len(heads))]
        self._rows_known: dict[str, tuple[int, ...]] = {}
        self._columns_known: dict[str, tuple[int, ...]] = {}

    def cells(self, label: tuple[str, ...], header: tuple[str, ...]) -> tuple[Cell, ...]:
        """Cells that answer to the labels and headings; blank ones do not."""
        rows = _nearest(label_text(label), self._rows, self._rows_known)
        columns = _nearest(label_text(header), self._columns, self._columns_known)
        cells = (self._table.rows[r][c] for r in rows for c in columns)
        return tuple(cell for cell in cells if value_of(cell.text).kind is not ValueKind.BLANK)


def _nearest(wanted: str, known: list[tuple[int, str]], cache: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """All that are most alike, and alike enough."""
    if wanted not in cache:
        ranked = [(alike(wanted, text), i) for i, text in known]
        best = max(ranked, default=(0.0, 0))[0]
        cache[wanted] = tuple(i for likeness, i in ranked if likeness == best >= ALIKE)
    return cache[wanted]


def alike(wanted: str, text: str) -> float:
    """0-1. Years are names, not spellings: where they differ, nothing is alike."""
    if wanted == text:
        return 1.0
    if sorted(_YEAR.findall(wanted)) != sorted(_YEAR.findall(text)):
        return 0.0
    return min(SequenceMatcher(None, a, b, autojunk=False).ratio() for a, b in _parts(wanted, text))


def _parts(wanted: str, text: str) -> Iterator[tuple[str, str]]:
    """The texts, and the same without years, which are the longer part of many a row's label.

    Years go first in both: a label prints `Mar. 31, 1997` and its path says `1997 > Mar. 31`.
    """
    bare = [" ".join(_YEAR.sub(" ", one).split()) for one in (wanted, text)]
    years = " ".join(sorted(_YEAR.findall(wanted)))
    yield f"{years} {bare[0]}".strip(), f"{years} {bare[1]}".strip()
    yield bare[0], bare[1]
