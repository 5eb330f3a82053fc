from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.archive.meaning import Period, YearBasis, fiscal_year_of, period_of


@pytest.mark.parametrize(
    ("label", "settings", "text"),
    [
        (("1940",), {"stub": "Fiscal year or month"}, "FY1940"),
        (("1940",), {"stub": "End of calendar year or month"}, "CY1940"),
        (("1940",), {"stub": "Calendar year, fiscal year"}, "1940"),
        (("1940",), {}, "1940"),
        (("Fiscal years:", "1933"), {}, "FY1933"),
        (("1940", "February"), {"stub": "Fiscal year or month"}, "1940-02"),
        (("1998", "Sept. p"), {}, "1998-09"),
        (("Fiscal year 1940", "July"), {}, "1939-07"),
        (("Fiscal year 1940", "June"), {}, "1940-06"),
        (("Fiscal year 1985", "October"), {}, "1984-10"),
        (("Fiscal year 2020 to date",), {}, "FY2020 to date"),
        (("1994 8",), {}, "1994"),
        (("2021 – Est 1",), {"stub": "Fiscal year or month"}, "FY2021"),
        (("Transition quarter 1976",), {}, "FY1976-TQ"),
        (("1985", "Second quarter"), {"title": "Fiscal outlays"}, "FY1985-Q2"),
        (("1985", "III"), {}, "1985-Q3"),
        (("Bonds",), {"header": ("June 30, 1940",)}, "1940-06-30"),
        (("Bonds",), {"header": ("Fiscal year 1985", "Amount")}, "FY1985"),
        (("Alabama",), {"title": "Collections, fiscal year 2018"}, "FY2018"),
    ],
)
def test_periods(label: tuple[str, ...], settings: dict[str, str], text: str) -> None:
    assert str(period_of(label, **settings)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "label", [("Series break",), ("1939-1941",), ("Twelve months ended June 1940",), ("February",)]
)
def test_no_single_period(label: tuple[str, ...]) -> None:
    assert period_of(label) is None


def test_states_at_an_end_are_told_from_flows() -> None:
    at_end = period_of(("1930", "June"), stub="End of month")
    flow = period_of(("1930", "June"), stub="Month")
    assert at_end is not None and at_end.end
    assert flow is not None and not flow.end


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        (Period(1976, basis=YearBasis.FISCAL), date(1975, 7, 1), date(1976, 6, 30)),
        (Period(1976, quarter=0, basis=YearBasis.FISCAL), date(1976, 7, 1), date(1976, 9, 30)),
        (Period(1977, basis=YearBasis.FISCAL), date(1976, 10, 1), date(1977, 9, 30)),
        (Period(1985, quarter=2, basis=YearBasis.FISCAL), date(1985, 1, 1), date(1985, 3, 31)),
        (Period(1985, quarter=2), date(1985, 4, 1), date(1985, 6, 30)),
        (Period(1940, month=2), date(1940, 2, 1), date(1940, 2, 29)),
        (Period(1940, basis=YearBasis.CALENDAR), date(1940, 1, 1), date(1940, 12, 31)),
        (Period(2018, month=9, day=30), date(2018, 9, 30), date(2018, 9, 30)),
    ],
)
def test_first_and_last_day(period: Period, first: date, last: date) -> None:
    assert (period.first, period.last) == (first, last)


@given(st.dates(date(1900, 1, 1), date(2090, 1, 1)))
def test_every_day_lies_in_its_fiscal_year(day: date) -> None:
    year = fiscal_year_of(day)
    period = (
        Period(1976, quarter=0, basis=YearBasis.FISCAL) if year is None else Period(year, basis=YearBasis.FISCAL)
    )
    assert period.first <= day <= period.last
