import pytest

from worktrial.archive.meaning.periods import period_of


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
        (("1999Q1",), {}, "1999-Q1"),
        (("1Q1999",), {}, "1999-Q1"),
        (("IV-1998",), {}, "1998-Q4"),
        (("1999:II",), {}, "1999-Q2"),
        (("1999", "Jan.-Mar."), {}, "1999-Q1"),
        (("October to December 1999",), {}, "1999-Q4"),
        (("Mar. quarter 1999",), {}, "1999-Q1"),
        (("2020", "– Mar"), {}, "2020-03"),
        (("Bonds",), {"header": ("June 30, 1940",)}, "1940-06-30"),
        (("Bonds",), {"header": ("Fiscal year 1985", "Amount")}, "FY1985"),
        (("Alabama",), {"title": "Collections, fiscal year 2018"}, "FY2018"),
        (("Austria",), {"title": "Liabilities, Mar. 31, 1997, Preliminary"}, "1997-03-31"),
        (("Yen",), {"header": ("July 1, 2019, through Sept. 30, 2019",)}, "2019-Q3"),
        (("Yen",), {"header": ("June 1, 2019 to June 30, 2019",)}, "2019-06"),
        (("State",), {"title": "Net Cost for the Year Ended September 30, 2019"}, "FY2019"),
        (("State",), {"header": ("Year ended Dec. 31, 2019",)}, "CY2019"),
    ],
)
def test_periods(label: tuple[str, ...], settings: dict[str, str], text: str) -> None:
    assert str(period_of(label, **settings)) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "label",
    [
        ("Series break",),
        ("1939-1941",),
        ("Twelve months ended June 1940",),
        ("February",),
        ("June-Sept. 1999",),
        ("Receipts, September 2019 and Other Periods",),
        ("Oct. 1, 2022 through Sept 30, 2023",),
        ("July 2, 2019, through Sept. 30, 2019",),
    ],
)
def test_no_single_period(label: tuple[str, ...]) -> None:
    assert period_of(label) is None
