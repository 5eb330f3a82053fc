"""Whether a number can come from others: itself, a count, or simple reckoning.

The rule. A number is derivable when it is

- one of the numbers or spelt-out counts that the task, the workplace or the plan speak of, or 0, 1 or 100;
- a count: not more than the longest list or mapping of the state, or the number of steps of the plan;
- a sum, difference, product or quotient of two of them, where a factor may also be a percentage (p %, 1 ± p %) or
  turn one unit into another (7, 10, 12, 24, 30, 52, 60, 100, 365, 1000, 3600);
- a product of three, with at most one of them divided by, where the rubric shows all three;
- the sum of any rows of one column of the state (a field that several records have), or of the products of two;
- days between two of the dates;
- or one of these from numbers of the rubric that have been derived before.

A value need only be equal as it is written: rounded to the decimals that are shown. The rule errs towards
derivable. What it refuses could come from nowhere but the head of the author.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property

from worktrial.synthesis.checks.numbers.read import Numeral

_UNITS = (7.0, 10.0, 12.0, 24.0, 30.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 3600.0)
_ALWAYS = (0.0, 1.0, 100.0)
# Beyond these the reckoning would take long, and would find any number.
_MOST_ROWS = 26
_MOST_SHOWN = 60


class Known:
    """Numbers that are given, and what follows from them.

    Args:
        values: The numbers.
        columns: Lists of numbers that may be summed, in whole or in part.
        most: The largest count.
    """

    def __init__(self, values: Iterable[float], columns: Iterable[Sequence[float]] = (), most: int = 0) -> None:
        self._most = most
        self._columns = [list(column) for column in columns if len(column) > 1]
        self._values = {abs(v) for v in values} | set(_ALWAYS)
        self._sums: dict[int, list[float]] = {}
        self._shown: set[float] = set()
        self._settle()

    def add(self, numeral: Numeral) -> None:
        """Take a derived number for given from now on."""
        if not self._shown.issuperset(numeral.values):
            self._shown.update(numeral.values)
            self._values.update(numeral.values)
            self._settle()

    def gives(self, numeral: Numeral) -> bool:
        """Whether a numeral can come from what is known."""
        return any(self._gives(value, slack) for value, slack in numeral.readings)

    def _settle(self) -> None:
        self._sorted = sorted(self._values)
        self._factors = _factors(self._values)
        for name in ("_spelt_out", "_products"):
            self.__dict__.pop(name, None)

    def _gives(self, value: float, slack: float) -> bool:
        return (
            (value <= self._most and value.is_integer())
            or _near(self._sorted, value, slack)
            or self._of_two(value, slack)
            or any(self._of_rows(index, value, slack) for index in range(len(self._columns)))
            or self._of_three(value, slack)
        )

    def _of_two(self, value: float, slack: float) -> bool:
        return any(
            _near(self._sorted, value - a, slack) or _near(self._sorted, value + a, slack) for a in self._sorted
        ) or any(self._times(a, value, slack) for a in self._factors)

    def _times(self, a: float, value: float, slack: float) -> bool:
        """Whether `value` is a times, or parts of a, or a parts of something known."""
        if _near(self._factors, value / a, slack / a):
            return True
        # a / b = value, where b is what is looked for.
        low, high = value - slack, value + slack
        return low > 0 and _between(self._factors, a / high, a / low)

    def _of_three(self, value: float, slack: float) -> bool:
        if len(self._shown) > _MOST_SHOWN:
            return False
        return any(
            _near(self._products, value / a, slack / a) or _near(self._products, value * a, slack * a)
            for a in self._spelt_out
        )

    @cached_property
    def _spelt_out(self) -> list[float]:
        """What a reckoning in the rubric may be made of."""
        return _factors(self._shown)

    @cached_property
    def _products(self) -> list[float]:
        """Of any two of them."""
        return sorted({a * b for a in self._spelt_out for b in self._spelt_out})

    def _of_rows(self, index: int, value: float, slack: float) -> bool:
        """Whether some rows of a column add up to `value`: each half's sums, matched with the other's."""
        column = self._columns[index]
        if len(column) > _MOST_ROWS:
            return value <= sum(abs(v) for v in column) + slack
        half = len(column) // 2
        one = self._sums.setdefault(2 * index, [])
        other = self._sums.setdefault(2 * index + 1, [])
        if not one:
            one.extend(_subset_sums(column[:half]))
            other.extend(_subset_sums(column[half:]))
        return any(_near(other, value - part, slack) for part in one)


def _factors(values: Iterable[float]) -> list[float]:
    """The values, what takes a percentage of something, and what turns units into others."""
    given = set(values)
    percents = [v / 100 for v in given if 0 < v <= 100]
    shares = {s for p in percents for s in (p, 1 - p, 1 + p) if s > 0}
    return sorted(given.union(_UNITS, shares) - {0.0})


def _subset_sums(rows: Sequence[float]) -> list[float]:
    sums = {0.0}
    for row in rows:
        sums |= {round(s + row, 6) for s in sums}
    return sorted(sums)


def _near(ordered: Sequence[float], value: float, slack: float) -> bool:
    # What two decimals cannot show exactly may lie a hair beside it.
    slack += 1e-9 * max(1.0, abs(value))
    return _between(ordered, value - slack, value + slack)


def _between(ordered: Sequence[float], low: float, high: float) -> bool:
    at = bisect_left(ordered, low)
    return at < len(ordered) and ordered[at] <= high
