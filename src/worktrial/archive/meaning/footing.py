"""Sums that a table prints: rows and columns that add up, found without being told."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from worktrial.archive.meaning.cells import units
from worktrial.archive.meaning.labels import header_paths
from worktrial.archive.meaning.separators import Separators
from worktrial.archive.meaning.value import ValueKind, split_marks, value_of
from worktrial.archive.pages import Table

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int_]

_UNLIKELY = math.log(1e3)
"""A sum is believed when chance would bring it about less than once in so many tables."""
_MOST_FOR_TRIPLES = 16
_LONGEST = 60
"""Parts of a sum; a year of weeks."""

_PRINTED_NUMBER = re.compile(r"\s*\(\d{1,3}\)$")


class Sum(NamedTuple):
    """Items (columns, or rows) that add up to another."""

    total: int
    parts: tuple[int, ...]


_Ways = Callable[[int], Iterator[tuple[Ints, Ints]]]


class _Block(NamedTuple):
    """Neighbouring items that a sum ties together; from outside one of them stands for all."""

    total: int
    other: int
    """The last part where there are two: of gross, refunds and net, sums further out take the net."""


class _Candidate(NamedTuple):
    found: Sum
    at: int
    parts_at: frozenset[int]
    """Positions among the blocks."""
    worth: tuple[float, float]


def find_sums(values: Floats, unit: float, *, least_share: float, triples: bool) -> Iterator[Sum]:
    """Find sums that hold in the rows of `values` (lines x items), the surest first.

    A total stands before or after its parts. Items that a sum already ties together count as one in sums further
    out, so that totals of subtotals are found. No heading is read: a sum is believed when it holds so often, among
    numbers so large, that chance is no explanation, given how many sums were tried.

    Args:
        values: NaN where there is no number to go by.
        unit: the last printed digit.
        least_share: of the lines, must add up.
        triples: also try any three blocks, whatever lies between.
    """
    blocks = [_Block(i, i) for i in range(values.shape[1])]
    while len(blocks) > 2:
        # Sums of neighbours first: only when those are tied together is it clear what lies between the rest.
        best = _best(values, blocks, unit, least_share, _runs)
        if best is None and triples and len(blocks) <= _MOST_FOR_TRIPLES:
            best = _best(values, blocks, unit, least_share, _triples)
        if best is None:
            return
        yield best.found
        total = best.found.total
        other = max(best.found.parts) if len(best.found.parts) == 2 else total
        blocks[best.at] = _Block(total, other)
        blocks = [block for i, block in enumerate(blocks) if i not in best.parts_at]


def _best(
    values: Floats, blocks: Sequence[_Block], unit: float, least_share: float, ways: _Ways
) -> _Candidate | None:
    batches = list(ways(len(blocks)))
    tried = sum(len(at) for at, _ in batches)
    candidates: list[_Candidate] = []
    for items in _standing_for(blocks):
        known = values[:, items]
        for at, parts in batches:
            for which, worth in _judge(known, at, parts, unit, least_share, tried):
                found = Sum(items[at[which]], tuple(items[p] for p in parts[which]))
                candidates.append(_Candidate(found, int(at[which]), frozenset(parts[which].tolist()), worth))
    return max(candidates, key=lambda candidate: candidate.worth, default=None)


def _standing_for(blocks: Sequence[_Block]) -> Iterator[list[int]]:
    totals, others = [b.total for b in blocks], [b.other for b in blocks]
    yield totals
    if others != totals:
        yield others


def _runs(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Each position with each run of neighbours before or after it, by the length of the run."""
    for length in range(2, min(n, _LONGEST + 1)):
        at = np.arange(n - length)
        run = at[:, None] + np.arange(length)
        yield np.concatenate([at, at + length]), np.concatenate([run + 1, run])


def _triples(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Each position with any two others."""
    threes = np.array(list(combinations(range(n), 3)), dtype=np.int_).reshape(-1, 3)
    for total in range(3):
        yield threes[:, total], np.delete(threes, total, axis=1)


def tolerance(parts: int, unit: float) -> float:
    """Most that rounding takes off a sum of printed numbers: three standard deviations, at least one unit."""
    return unit * max(1.0, 3 * math.sqrt((parts + 1) / 12)) + unit * 1e-6


def _judge(
    values: Floats, at: Ints, parts: Ints, unit: float, least_share: float, tried: int
) -> Iterator[tuple[int, tuple[float, float]]]:
    """The good sums of a batch and their worth: lines that add up less those that do not, then the evidence."""
    within = tolerance(parts.shape[1], unit)
    terms = values[:, parts]
    off = np.abs(values[:, at] - terms.sum(axis=2))
    # With a single part that is not nothing, the total only repeats it: no evidence either way.
    telling = ~np.isnan(off) & ((np.abs(terms) > within).sum(axis=2) >= 2)
    hits = telling & (off <= within)
    counts, held = telling.sum(axis=0), hits.sum(axis=0)
    for which in np.flatnonzero((held >= 3) & (held >= least_share * counts)):
        n, h = int(counts[which]), int(held[which])
        lines = hits[:, which]
        spread = np.maximum(np.abs(values[lines, at[which]]), np.abs(terms[lines, which]).max(axis=1))
        luck = np.minimum(1.0, (2 * within + unit) / np.maximum(spread, unit))
        evidence = float(-np.log(luck).sum()) - math.log(math.comb(n, h)) - math.log(tried)
        if evidence >= _UNLIKELY:
            yield int(which), (float(2 * h - n), evidence)


class SumCheck(NamedTuple):
    """One line in which a sum should hold."""

    line: int
    """The row for a sum of columns, the column for a sum of rows; as in the table's grid."""
    printed: float
    """The total as read."""
    summed: float
    """Sum of the parts."""
    within: float
    """The most that rounding explains."""

    @property
    def residual(self) -> float:
        """Printed less summed."""
        return self.printed - self.summed

    @property
    def holds(self) -> bool:
        """Whether rounding explains the difference."""
        return abs(self.residual) <= self.within


@dataclass(frozen=True, slots=True)
class Footing:
    """A column that is the sum of others in each row, or a row that is the sum of others in each column.

    A difference is a sum read the other way: gross is refunds plus net.
    """

    of_columns: bool
    total: int
    """A column, or a row; as in the table's grid."""
    parts: tuple[int, ...]
    checks: tuple[SumCheck, ...]
    """One check for each line where all numbers could be read."""

    @property
    def share(self) -> float:
        """Share of the lines that add up, 0-1."""
        return sum(check.holds for check in self.checks) / len(self.checks)

    def cells(self, check: SumCheck) -> tuple[tuple[int, int], ...]:
        """The places (row, column) that one of its checks ties together, the total first."""
        items = (self.total, *self.parts)
        return tuple((check.line, i) if self.of_columns else (i, check.line) for i in items)


def footing(
    table: Table, *, least_share: float = 0.5, separators: Separators = Separators.ENGLISH
) -> tuple[Footing, ...]:
    """Find the sums of a table and check each line.

    Dashes, stars and blanks count as nothing; a line with a cell that is no number is left out.

    Args:
        table: its texts, header rows and label columns are used.
        least_share: of the lines must add up for a sum to be believed; lower for badly read tables.
        separators: What commas and points mean on its page.
    """
    first_row, first_column = table.header_rows, table.label_columns
    grid = [[value_of(cell.text, separators) for cell in row[first_column:]] for row in table.rows[first_row:]]
    if not grid or not grid[0]:
        return ()
    values = np.array([[_number(value.kind, value.number) for value in row] for row in grid], dtype=np.float64)
    decimals = [_usual([row[c].decimals for row in grid if row[c].number is not None]) for c in range(len(grid[0]))]
    found: list[Footing] = []
    for columns in _comparable(table, decimals):
        unit = 10.0 ** -max(decimals[c] for c in columns)
        for one in find_sums(values[:, columns], unit, least_share=least_share, triples=True):
            total, parts = columns[one.total], [columns[p] for p in one.parts]
            checks = _checks(values, total, parts, [unit] * len(values), first_row)
            found.append(
                Footing(True, total + first_column, tuple(sorted(p + first_column for p in parts)), checks)
            )
    found += _of_rows(table, values, decimals, least_share)
    return tuple({(f.of_columns, f.total, f.parts): f for f in found if f.checks}.values())


def _number(kind: ValueKind, number: float | None) -> float:
    if number is not None:
        return number
    return 0.0 if kind in (ValueKind.NIL, ValueKind.SMALL, ValueKind.BLANK) else float("nan")


def _usual(decimals: list[int]) -> int:
    return Counter(decimals).most_common(1)[0][0] if decimals else 0


def _comparable(table: Table, decimals: list[int]) -> Iterator[list[int]]:
    """Columns that can add up: all of one unit; and those with the same lowest heading under different ones."""
    unit_of, paths = units(table)[table.label_columns :], header_paths(table)[table.label_columns :]
    by_unit: defaultdict[object, list[int]] = defaultdict(list)
    by_leaf: defaultdict[object, list[int]] = defaultdict(list)
    for c, (unit, path) in enumerate(zip(unit_of, paths, strict=True)):
        by_unit[unit, decimals[c]].append(c)
        leaf = _PRINTED_NUMBER.sub("", split_marks(path[-1]).body).casefold() if path else ""
        by_leaf[unit, decimals[c], leaf].append(c)
    groups = {tuple(columns) for columns in (*by_unit.values(), *by_leaf.values()) if len(columns) > 2}
    for columns in sorted(groups, key=len, reverse=True):
        yield list(columns)


def _of_rows(table: Table, values: Floats, decimals: list[int], least_share: float) -> Iterator[Footing]:
    amounts = [
        c
        for c, unit in enumerate(units(table)[table.label_columns :])
        if unit is None or unit.measure not in ("percent", "index")
    ]
    if len(amounts) < 3 or not amounts:
        return
    # Each column in its own last digit, so that one tolerance serves all.
    scale = np.array([10.0 ** decimals[c] for c in amounts])
    in_digits = (values[:, amounts] * scale).T
    for one in find_sums(in_digits, 1.0, least_share=least_share, triples=False):
        line_units = [10.0 ** -decimals[c] for c in amounts]
        checks = _checks(values[:, amounts].T, one.total, one.parts, line_units, 0)
        placed = tuple(check._replace(line=amounts[check.line] + table.label_columns) for check in checks)
        parts = tuple(sorted(p + table.header_rows for p in one.parts))
        yield Footing(False, one.total + table.header_rows, parts, placed)


def _checks(
    values: Floats, total: int, parts: Sequence[int], line_units: Sequence[float], first_line: int
) -> tuple[SumCheck, ...]:
    summed = values[:, list(parts)].sum(axis=1)
    return tuple(
        SumCheck(line + first_line, float(row[total]), float(summed[line]), tolerance(len(parts), line_units[line]))
        for line, row in enumerate(values)
        if not np.isnan(row[total] + summed[line])
    )
