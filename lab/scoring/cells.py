"""Cell F1: how many cells of the true table were found with the right text at the right place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.scoring.align import Alignment, align
from lab.scoring.texts import marks_of, plain_text, strict_text, unmarked_text
from lab.scoring.truth import TruthTable
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Table

_OTHER_PART_ROWS = 3
"""Rows of numbers beyond the true table that are another table on the same grid, not spurious rows."""


@dataclass(frozen=True, slots=True)
class F1:
    """Counts of cells that are not blank."""

    right: int
    true: int
    found: int

    @property
    def recall(self) -> float:
        """Share of the true cells that were found."""
        return self.right / self.true if self.true else 1.0

    @property
    def precision(self) -> float:
        """Share of the found cells that are true."""
        return self.right / self.found if self.found else float(not self.true)

    @property
    def value(self) -> float:
        """The harmonic mean of the two; 1 for nothing found where nothing is."""
        return 2 * self.right / (self.true + self.found) if self.true + self.found else 1.0


@dataclass(frozen=True, slots=True)
class CellScore:
    """One alignment, judged by three ideas of the same text."""

    strict: F1
    """Equal but for white space."""
    plain: F1
    """Equal also but for kinds of dashes and quotes, leader dots, and spaces beside dashes and stops."""
    unmarked: F1
    """Equal also but for footnote and revision marks: the headline."""
    marks_right: int
    """Cells whose marks, too, are right, among those with marks in truth."""
    marks_true: int


@dataclass(frozen=True, slots=True)
class Match:
    """A true table and the found table that stands for it."""

    truth: TruthTable
    table: Table
    alignment: Alignment
    window: tuple[int, int]
    """First and last+1 row of the found table that count as this table."""

    @property
    def cells(self) -> CellScore:
        """Cell F1 inside the window."""
        true, found = self.truth.grid, self.table.grid
        marked = [
            (true[r][c], found[fr][fc])
            for r, fr in self.alignment.rows
            for c, fc in self.alignment.columns
            if marks_of(true[r][c])
        ]
        return CellScore(
            strict=self._f1(strict_text),
            plain=self._f1(plain_text),
            unmarked=self._f1(unmarked_text),
            marks_right=sum(marks_of(t) == marks_of(f) for t, f in marked),
            marks_true=sum(bool(marks_of(text)) for row in true for text in row),
        )

    def _f1(self, normal: Callable[[str], str]) -> F1:
        true, found = self.truth.grid, self.table.grid
        right = sum(
            normal(true[r][c]) == normal(found[fr][fc]) != ""
            for r, fr in self.alignment.rows
            for c, fc in self.alignment.columns
        )
        first, last = self.window
        return F1(
            right,
            sum(normal(text) != "" for row in true for text in row),
            sum(normal(text) != "" for row in found[first:last] for text in row),
        )


def best_match(truth: TruthTable, tables: Sequence[Table]) -> Match | None:
    """The table of the page, or the part of one, that agrees with truth in most cells."""
    matches = [_match(truth, table) for table in tables if table.rows and table.rows[0]]
    ranked = sorted(matches, key=lambda m: (m.cells.unmarked.value, m.cells.unmarked.right), reverse=True)
    return ranked[0] if ranked and ranked[0].cells.unmarked.right else None


def _match(truth: TruthTable, table: Table) -> Match:
    alignment = align(truth.grid, table.grid, unmarked_text)
    return Match(truth, table, alignment, _window(truth, table, alignment))


def _window(truth: TruthTable, table: Table, alignment: Alignment) -> tuple[int, int]:
    """Leave off the rows above and below that belong to another table on the same grid."""
    real = [
        fr
        for r, fr in alignment.rows
        if any(
            unmarked_text(truth.grid[r][c]) == unmarked_text(table.rows[fr][fc].text) != ""
            for c, fc in alignment.columns
        )
    ]
    if not real:
        return 0, len(table.rows)
    first = 0 if _rows_of_numbers(table, 0, real[0]) < _OTHER_PART_ROWS else real[0]
    after = real[-1] + 1
    last = len(table.rows) if _rows_of_numbers(table, after, len(table.rows)) < _OTHER_PART_ROWS else after
    return first, last


def _rows_of_numbers(table: Table, first: int, last: int) -> int:
    return sum(
        sum(value_of(cell.text).kind is ValueKind.NUMBER for cell in row[table.label_columns :]) >= 2
        for row in table.rows[first:last]
    )
