"""Questions that one table over time answers."""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from lab.generate.calendar import Period, PeriodKind, name_of, year_of
from lab.generate.questions.question import (
    CellUsed,
    Difficulty,
    DraftQuestion,
    Kind,
    Source,
    Words,
    decimals_of,
    shown,
    slope,
)

_ROUND = "rounded to {} (halves away from zero)"


class OneTable:
    """Draws one column of a table and asks about it. Each kind is None where the table does not allow it."""

    def __init__(self, source: Source, dice: np.random.Generator, difficulty: Difficulty) -> None:
        self._source, self._dice = source, dice
        self._column = int(dice.integers(len(source.table.columns)))
        self._words = Words(source, self._column, difficulty)
        self._difficulty = difficulty

    def lookup(self) -> DraftQuestion | None:
        """Ask for one figure."""
        row = self._drawn(range(len(self._source.table.rows)))
        if row is None:
            return None
        words = self._words
        text = f"{words.where}, what is given for {words.what} {words.at(self._period(row))}, in {words.unit}?"
        return self._asked(text, Kind.LOOKUP, [row], self._number(row), self._decimals([row]))

    def sum(self) -> DraftQuestion | None:
        """Ask for the sum of some months."""
        rows = self._months(3, 9)
        if rows is None or self._source.stock or self._words.unit == "percent":
            return None
        words = self._words
        text = (
            f"{words.where}, what is the sum of the monthly figures for {words.what} "
            f"{self._span(rows)}, in {words.unit}?"
        )
        return self._asked(text, Kind.SUM, rows, self._added(rows), self._decimals(rows))

    def mean(self) -> DraftQuestion | None:
        """Ask for the mean of some months."""
        rows = self._months(4, 9)
        if rows is None:
            return None
        words, decimals = self._words, self._decimals(rows) + 1
        text = (
            f"{words.where}, what is the arithmetic mean of the monthly figures for {words.what} "
            f"{self._span(rows)}, in {words.unit}, {_places(decimals)}?"
        )
        return self._asked(text, Kind.MEAN, rows, self._added(rows) / len(rows), decimals)

    def difference(self) -> DraftQuestion | None:
        """Ask for the difference between two periods."""
        pair = self._pair()
        if pair is None:
            return None
        early, late = pair
        words = self._words
        text = (
            f"{words.where}, by how much does the figure for {words.what} {words.at(self._period(late))} exceed "
            f"the one {words.at(self._period(early))}, in {_points(words.unit)}? "
            "Give a negative number if it is lower."
        )
        value = self._number(late) - self._number(early)
        return self._asked(text, Kind.DIFFERENCE, [late, early], value, self._decimals([late, early]))

    def percent_change(self) -> DraftQuestion | None:
        """Ask for the change between two periods, in percent."""
        pair = self._pair()
        if pair is None or self._words.unit == "percent" or self._number(pair[0]) <= 0:
            return None
        early, late = pair
        words = self._words
        text = (
            f"{words.where}, by what percentage does the figure for {words.what} change from the one "
            f"{words.at(self._period(early))} to the one {words.at(self._period(late))}, {_places(2)}? "
            "Give a negative number for a fall."
        )
        value = 100 * (self._number(late) - self._number(early)) / self._number(early)
        return self._asked(text, Kind.PERCENT_CHANGE, [late, early], value, 2, unit="percent")

    def ratio(self) -> DraftQuestion | None:
        """The column as a share of the last total of its table."""
        columns = self._source.table.columns
        whole = max((i for i, column in enumerate(columns) if column.total), default=None)
        row = self._drawn(range(len(self._source.table.rows)))
        if (
            whole is None
            or row is None
            or columns[self._column].unit != columns[whole].unit
            or whole <= self._column
        ):
            return None
        base = self._source.number(row, whole)
        if not base or self._number(row) < 0:
            return None
        words, other = self._words, Words(self._source, whole, self._difficulty)
        text = (
            f"{words.where}, what percentage of {other.what} is {words.what} {words.at(self._period(row))}, "
            f"{_places(1)}?"
        )
        cells = (self._source.cell(row, self._column), self._source.cell(row, whole))
        answer = shown(100 * self._number(row) / base, 1)
        return DraftQuestion(text, answer, Kind.RATIO, "percent", self._difficulty, 1, cells)

    def regression(self) -> DraftQuestion | None:
        """Ask for the slope of a line through fiscal years."""
        rows = [row for row in self._source.rows(PeriodKind.FISCAL) if self._has_number(row)]
        if len(rows) < 4:
            return None
        years = [self._period(row).year for row in rows]
        words, decimals = self._words, self._decimals(rows) + 1
        unit = f"{_points(words.unit)} per year"
        text = (
            f"{words.where}, fit an ordinary least-squares line of {words.what} on the fiscal year, using the "
            f"figures of the fiscal years {years[0]} to {years[-1]}: what is its slope in {unit}, "
            f"{_places(decimals)}?"
        )
        value = slope([(year, self._number(row)) for year, row in zip(years, rows, strict=True)])
        return self._asked(text, Kind.REGRESSION, rows, value, decimals, unit=unit)

    def calendar_vs_fiscal(self) -> DraftQuestion | None:
        """The twelve months of a calendar year beside the fiscal year of the same name."""
        by_year: dict[int, list[int]] = {}
        for row in self._source.rows(PeriodKind.MONTH):
            by_year.setdefault(self._period(row).year, []).append(row)
        whole = [year for year, rows in by_year.items() if len(rows) == 12]
        fiscal = {self._period(row).year: row for row in self._source.rows(PeriodKind.FISCAL)}
        if not whole or whole[0] not in fiscal or self._source.stock or self._words.unit == "percent":
            return None
        months, year_row = by_year[whole[0]], fiscal[whole[0]]
        if not all(map(self._has_number, (*months, year_row))):
            return None
        words = self._words
        text = (
            f"{words.where}, by how much does the sum of the twelve monthly figures of the calendar year "
            f"{whole[0]} for {words.what} exceed the figure of the fiscal year {whole[0]}, in {words.unit}? "
            "Give a negative number if it is lower."
        )
        value = self._added(months) - self._number(year_row)
        rows = [*months, year_row]
        return self._asked(text, Kind.CALENDAR_VS_FISCAL, rows, value, self._decimals(rows))

    def list_of_falls(self) -> DraftQuestion | None:
        """Months lower than the month before; the cells begin one month earlier."""
        rows = self._months(7, 12)
        if rows is None:
            return None
        falls = [b for a, b in pairwise(rows) if self._number(b) < self._number(a)]
        if not 2 <= len(falls) <= 6:
            return None
        words = self._words
        text = (
            f"{words.where}, in which months {self._span(rows[1:])} is the figure for {words.what} lower than the "
            "one of the month before? List months with their years in order of time, separated by semicolons."
        )
        months = (self._period(row).last for row in falls)
        answer = "; ".join(f"{name_of(when)} {year_of(when)}" for when in months)
        return DraftQuestion(text, answer, Kind.LIST, "months", self._difficulty, 0, self._cells(rows))

    def _asked(
        self, text: str, kind: Kind, rows: list[int], value: Fraction, decimals: int, *, unit: str = ""
    ) -> DraftQuestion:
        unit = unit or (_points(self._words.unit) if kind is Kind.DIFFERENCE else self._words.unit)
        return DraftQuestion(
            text, shown(value, decimals), kind, unit, self._difficulty, decimals, self._cells(rows)
        )

    def _cells(self, rows: list[int]) -> tuple[CellUsed, ...]:
        return tuple(self._source.cell(row, self._column) for row in rows)

    def _period(self, row: int) -> Period:
        period = self._source.table.rows[row].period
        assert period is not None
        return period

    def _number(self, row: int) -> Fraction:
        number = self._source.number(row, self._column)
        assert number is not None
        return number

    def _has_number(self, row: int) -> bool:
        return self._source.number(row, self._column) is not None

    def _added(self, rows: list[int]) -> Fraction:
        return sum(map(self._number, rows), Fraction())

    def _decimals(self, rows: list[int]) -> int:
        return decimals_of([self._source.table.rows[row].cells[self._column] for row in rows])

    def _drawn(self, among: range) -> int | None:
        rows = [r for r in among if self._source.table.rows[r].period is not None and self._has_number(r)]
        rows = [r for r in rows if self._period(r).kind is not PeriodKind.TRANSITION]
        return int(self._dice.choice(rows)) if rows else None

    def _pair(self) -> tuple[int, int] | None:
        """Two periods of one kind."""
        kind = PeriodKind.FISCAL if self._dice.random() < 0.5 else PeriodKind.MONTH
        rows = [row for row in self._source.rows(kind) if self._has_number(row)]
        if len(rows) < 3:
            return None
        early, late = sorted(self._dice.choice(len(rows), 2, replace=False).tolist())
        return rows[early], rows[late]

    def _months(self, least: int, most: int) -> list[int] | None:
        """Months in a row, all with figures."""
        rows = self._source.rows(PeriodKind.MONTH)
        count = int(self._dice.integers(least, most + 1))
        if len(rows) < count:
            return None
        start = int(self._dice.integers(0, len(rows) - count + 1))
        drawn = rows[start : start + count]
        return drawn if all(map(self._has_number, drawn)) else None

    def _span(self, rows: list[int]) -> str:
        first, last = self._period(rows[0]).first, self._period(rows[-1]).last
        return f"from {name_of(first)} {year_of(first)} to {name_of(last)} {year_of(last)} inclusive"


def _places(decimals: int) -> str:
    return _ROUND.format("one decimal" if decimals == 1 else f"{decimals} decimals")


def _points(unit: str) -> str:
    """Differences of percentages."""
    return "percentage points" if unit == "percent" else unit
