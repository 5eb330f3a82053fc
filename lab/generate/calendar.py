"""Months, fiscal years and issues of the bulletin.

A month is counted from the year 0: `12 * year + month - 1`, so that months can be added and compared.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def month(year: int, number: int) -> int:
    """The month `number` (1-12) of a year."""
    return 12 * year + number - 1


def year_of(when: int) -> int:
    """The calendar year of a month."""
    return when // 12


def name_of(when: int) -> str:
    """`April`."""
    return MONTHS[when % 12]


def month_year(when: int) -> str:
    """`April 1951`."""
    return f"{name_of(when)} {year_of(when)}"


class PeriodKind(StrEnum):
    """The stretch of time that a row of figures covers."""

    MONTH = "month"
    FISCAL = "fiscal"
    TRANSITION = "transition"
    """The half-year between two kinds of fiscal year."""


class Period(NamedTuple):
    """A stretch of whole months."""

    kind: PeriodKind
    first: int
    last: int
    """Included."""

    @property
    def year(self) -> int:
        """The year that it ends in, which is also a fiscal year's name."""
        return year_of(self.last)


@dataclass(frozen=True, slots=True)
class FiscalCalendar:
    """Fiscal years end on 31 March up to a year of change, then come six months apart, then on 30 September."""

    change: int
    """The last fiscal year that ended in March."""

    def ending_by(self, last: int, count: int) -> tuple[Period, ...]:
        """The last `count` fiscal years over at the end of month `last`, and the half-year between them."""
        periods: list[Period] = []
        year = year_of(last) + 1
        while sum(period.kind is PeriodKind.FISCAL for period in periods) < count:
            if year == self.change and self.transition.last <= last:
                periods.append(self.transition)
            period = self.fiscal_year(year)
            if period.last <= last:
                periods.append(period)
            year -= 1
        return tuple(reversed(periods))

    def fiscal_year(self, year: int) -> Period:
        """The fiscal year of this name."""
        last = month(year, 3 if year <= self.change else 9)
        return Period(PeriodKind.FISCAL, last - 11, last)

    def year_to_date(self, last: int) -> Period:
        """The part of the current fiscal year that is over at the end of month `last`."""
        if self.transition.first <= last <= self.transition.last:
            return Period(PeriodKind.TRANSITION, self.transition.first, last)
        year = year_of(last)
        period = self.fiscal_year(year)
        if period.last < last:
            period = self.fiscal_year(year + 1)
        return Period(PeriodKind.FISCAL, period.first, last)

    @property
    def transition(self) -> Period:
        """April to September of the year of change."""
        return Period(PeriodKind.TRANSITION, month(self.change, 4), month(self.change, 9))


FIRST_ISSUE, LAST_ISSUE = month(1931, 1), month(2024, 12)
_QUARTERLY_FROM = month(1970, 1)
LAG = 2
"""Months between the last month reported and the issue that first reports it."""


def all_issues() -> tuple[int, ...]:
    """Every issue there is: monthly, then quarterly."""
    monthly = range(FIRST_ISSUE, _QUARTERLY_FROM)
    quarterly = range(_QUARTERLY_FROM + 2, LAST_ISSUE + 1, 3)
    return (*monthly, *quarterly)


def is_quarterly(issue: int) -> bool:
    """Whether the bulletin had become a quarterly by then."""
    return issue >= _QUARTERLY_FROM
