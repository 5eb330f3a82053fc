"""The assignment problem: rows to columns, each at most once, so that the sum is greatest."""

from collections.abc import Sequence
from typing import NamedTuple


def assignment(gains: Sequence[Sequence[int]]) -> list[int | None]:
    """The column of each row, or None; pairs of negative gain are never made.

    Shortest augmenting paths (Jonker and Volgenant, 1987), in whole numbers; time rows^2 * columns for the narrower
    side.
    """
    if not gains or not gains[0]:
        return [None] * len(gains)
    if len(gains) == 1:
        best = max(gains[0])
        return [gains[0].index(best) if best >= 0 else None]
    if len(gains) > len(gains[0]):
        rows: list[int | None] = [None] * len(gains)
        for column, row in enumerate(assignment(list(zip(*gains, strict=True)))):
            if row is not None:
                rows[row] = column
        return rows
    return [c if gains[r][c] >= 0 else None for r, c in enumerate(_solve(gains).columns)]


def column_prices(gains: Sequence[Sequence[int]]) -> list[int]:
    """What each column is worth: the prices, 0 or more, that make the limit below as low as the greatest sum.

    No choice of columns sums to more than all prices plus, for each row, its greatest gain less price.
    """
    return [-price for price in _solve(gains).prices] if gains else []


class _Solution(NamedTuple):
    columns: list[int]
    prices: list[int]


def _solve(gains: Sequence[Sequence[int]]) -> _Solution:
    """The column of each row where there are at least as many columns; a negative gain counts as none."""
    n, m = len(gains), len(gains[0])
    row_price, price = [0] * n, [0] * m
    owner = [-1] * m
    for new in range(n):
        least, before = [0] * m, [-1] * m
        seen = [False] * m
        row, column = new, -1
        offset = 0
        first = True
        while row >= 0:
            line, base = gains[row], offset - row_price[row]
            best, best_column = None, -1
            for c in range(m):
                if not seen[c]:
                    g = line[c]
                    cost = base - (g if g > 0 else 0) - price[c]
                    if first or cost < least[c]:
                        least[c], before[c] = cost, column
                    if best is None or least[c] < best:
                        best, best_column = least[c], c
            assert best is not None
            first = False
            offset, column = best, best_column
            seen[column] = True
            row = owner[column]
        row_price[new] += offset
        for c in range(m):
            if seen[c]:
                price[c] += least[c] - offset
                if owner[c] >= 0:
                    row_price[owner[c]] += offset - least[c]
        while column >= 0:
            previous = before[column]
            owner[column] = owner[previous] if previous >= 0 else new
            column = previous
    columns = [0] * n
    for c, r in enumerate(owner):
        if r >= 0:
            columns[r] = c
    return _Solution(columns, price)
