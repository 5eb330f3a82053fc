"""Cell F1: the cells of the true table that were found with the right text at the right place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lab.scoring.truth import TruthTable, marks_of, plain_text, strict_text, unmarked_text
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Table

Floats = npt.NDArray[np.float64]
Grid = Sequence[Sequence[str]]

_ANY = 1e-3
"""Worth of pairing two unlike lines: more than leaving both alone, so that misread rows keep their place."""
_ROUNDS = 6

_OTHER_PART_ROWS = 3
"""Rows of numbers beyond the true table that are another table on the same grid, not spurious rows."""


class Alignment(NamedTuple):
    """Pairs of (true, found) indices, both increasing."""

    rows: tuple[tuple[int, int], ...]
    columns: tuple[tuple[int, int], ...]


def align(true: Grid, found: Grid, normal: Callable[[str], str]) -> Alignment:
    """Pair rows and columns in order so that as many cells as possible are equal, or at least alike.

    Rows are first paired by the best alignment of their cells (two nested dynamic programs), then columns given
    the rows, then rows given the columns, until nothing changes.
    """
    alike = _similarity(true, found, normal)
    rows = best_pairs(_rows_in_any_order_of_columns(alike))
    columns: tuple[tuple[int, int], ...] = ()
    for _ in range(_ROUNDS):
        t, f = _indices(rows)
        better_columns = best_pairs(alike[t, :, f, :].sum(axis=0))
        t, f = _indices(better_columns)
        # A pair of separate index arrays moves its axis to the front.
        better_rows = best_pairs(alike[:, t, :, f].sum(axis=0))
        if better_columns == columns and better_rows == rows:
            break
        rows, columns = better_rows, better_columns
    return Alignment(rows, columns)


def best_pairs(worth: Floats) -> tuple[tuple[int, int], ...]:
    """The increasing pairs of indices whose worth adds up to most."""
    n, m = worth.shape
    best = np.zeros((n + 1, m + 1))
    for i in range(n):
        paired = best[i, :-1] + worth[i] + _ANY
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(paired, best[i, 1:]))
    pairs: list[tuple[int, int]] = []
    i, j = n, m
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return tuple(reversed(pairs))


def _rows_in_any_order_of_columns(alike: Floats) -> Floats:
    """Worth of the best alignment of the cells of each pair of rows; all pairs at once."""
    rows, columns, found_rows, found_columns = alike.shape
    above = np.zeros((found_columns + 1, rows, found_rows))
    for c in range(columns):
        here = np.zeros_like(above)
        for d in range(found_columns):
            np.maximum(above[d + 1], here[d], out=here[d + 1])
            np.maximum(here[d + 1], above[d] + alike[:, c, :, d], out=here[d + 1])
        above = here
    last: Floats = above[-1]
    return last


def _similarity(true: Grid, found: Grid, normal: Callable[[str], str]) -> Floats:
    """1 for equal texts, a part of that for shared pairs of letters, next to nothing for two blanks."""
    true_texts = [[normal(text) for text in row] for row in true]
    found_texts = [[normal(text) for text in row] for row in found]
    texts = dict.fromkeys(text for row in (*true_texts, *found_texts) for text in row)
    known = {text: i for i, text in enumerate(texts)}
    alike = _dice(list(known))
    t = np.array([[known[text] for text in row] for row in true_texts])
    f = np.array([[known[text] for text in row] for row in found_texts])
    pairs: Floats = alike[t[:, :, None, None], f[None, None, :, :]]
    return pairs


def _dice(texts: list[str]) -> Floats:
    pairs = [{a + b for a, b in pairwise(f"\0{text}\0")} for text in texts]
    grams = {gram: i for i, gram in enumerate(set().union(*pairs))}
    counts = np.zeros((len(texts), len(grams)))
    for i, own in enumerate(pairs):
        counts[i, [grams[gram] for gram in own]] = 1
    sizes = counts.sum(axis=1)
    shared: Floats = 2 * (counts @ counts.T) / np.maximum(sizes[:, None] + sizes[None, :], 1)
    # Half-alike numbers are chance as often as not.
    shared = 0.4 * shared**2
    np.fill_diagonal(shared, 1.0)
    if "" in texts:
        blank = texts.index("")
        shared[blank, blank] = 0.02
    return shared


def _indices(pairs: tuple[tuple[int, int], ...]) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    array = np.array(pairs, dtype=np.int_).reshape(-1, 2)
    return array[:, 0], array[:, 1]


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
