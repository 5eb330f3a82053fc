"""Sums that a table prints: which rows and columns add up, found without being told."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.meaning.marks import split_marks
from worktrial.archive.meaning.sums import Floats, find_sums, tolerance
from worktrial.archive.meaning.units import units
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.tables import Table

_PRINTED_NUMBER = re.compile(r"\s*\(\d{1,3}\)$")


class Check(NamedTuple):
    """One line in which a sum should hold."""

    line: int
    """The row for a sum of columns, the column for a sum of rows; as in the table's grid."""
    printed: float
    """The total as read."""
    summed: float
    """What the parts add up to."""
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
    checks: tuple[Check, ...]
    """For each line where all numbers could be read."""

    @property
    def share(self) -> float:
        """Of the lines, those that add up."""
        return sum(check.holds for check in self.checks) / len(self.checks)

    def cells(self, check: Check) -> tuple[tuple[int, int], ...]:
        """The places (row, column) that one of its checks ties together, the total first."""
        items = (self.total, *self.parts)
        return tuple((check.line, i) if self.of_columns else (i, check.line) for i in items)


def footing(table: Table, *, least_share: float = 0.5) -> tuple[Footing, ...]:
    """Find the sums of a table and check each line.

    Dashes, stars and blanks count as nothing; a line with a cell that is no number is left out.

    Args:
        table: its texts, header rows and label columns are used.
        least_share: of the lines must add up for a sum to be believed; lower for badly read tables.
    """
    first_row, first_column = table.header_rows, table.label_columns
    grid = [[value_of(cell.text) for cell in row[first_column:]] for row in table.rows[first_row:]]
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
) -> tuple[Check, ...]:
    summed = values[:, list(parts)].sum(axis=1)
    return tuple(
        Check(line + first_line, float(row[total]), float(summed[line]), tolerance(len(parts), line_units[line]))
        for line, row in enumerate(values)
        if not np.isnan(row[total] + summed[line])
    )
