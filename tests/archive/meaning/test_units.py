import pytest
from tests.archive.tables import table

from worktrial.archive.meaning import parse_unit, units


@pytest.mark.parametrize(
    ("text", "shown", "scale"),
    [
        (
            "In millions of dollars - on basis of daily Treasury statements, unrevised 1/",
            "millions of dollars",
            1e6,
        ),
        ("[Dollar amounts in billions]", "billions of dollars", 1e9),
        ("In thousands of fine ounces", "thousands of ounces", 1e3),
        ("(percent)", "percent", 1),
        ("1967=100", "index", 1),
        ("In cents", "dollars", 0.01),
        ("Number of banks", "banks", 1),
        ("In thousands", "thousands", 1e3),
        ("In millions of Canadian dollars", "millions of Canadian dollars", 1e6),
        ("In C$ millions", "millions of Canadian dollars", 1e6),
        ("In millions of U.S. dollars", "millions of dollars", 1e6),
        ("In billions of Japanese yen", "billions of yen", 1e9),
        ("[In millions of Swiss francs]", "millions of Swiss francs", 1e6),
        ("In Mrd. DM", "billions of German marks", 1e9),
        ("Canadian dollars per U.S. dollar", "Canadian dollars per U.S. dollar", 1),
    ],
)
def test_units(text: str, shown: str, scale: float) -> None:
    unit = parse_unit(text)
    assert unit is not None
    assert unit.scale == scale
    assert shown in str(unit)


def test_no_unit() -> None:
    assert parse_unit("Total") is None


def test_a_text_that_names_two_units_says_neither() -> None:
    assert parse_unit("Dollar amounts in millions; rates in percent") is None


def test_a_rate_of_exchange_is_no_amount_of_dollars() -> None:
    grid = [["", "Assets", "Exchange rate (Euros per U.S. dollar) (4)"], ["01/02/19", "5", "0.88"]]
    found = units(table(grid, unit="In millions of euros"))
    assert [str(unit) for unit in found[1:]] == ["millions of euros", "Euros per U.S. dollar"]


def test_a_column_may_have_its_own_unit() -> None:
    grid = [["", "Bonds", "Bonds", "Notes", "Rate"], ["", "Amount", "% of total", "(thousands)", "(per cent)"]]
    found = units(table([*grid, ["1940", "1", "2", "3", "4"]], header_rows=2, unit="In millions of dollars"))
    assert [str(unit) for unit in found[1:]] == [
        "millions of dollars",
        "percent",
        "thousands of dollars",
        "percent",
    ]


def test_without_a_unit_line_the_title_may_tell_it() -> None:
    found = units(table([["", "Debt"], ["1940", "1"]], title="Public debt (in billions of dollars)"))
    assert str(found[1]) == "billions of dollars"
    assert units(table([["", "Debt"], ["1940", "1"]], title="Public debt")) == (None, None)


def test_a_sign_of_money_on_the_first_figure_tells_the_measure_of_a_column_that_names_none() -> None:
    grid = [["", "Amount (in millions)", "Per head", "Share", "Notes", "Rate (U.S. dollars per pound)"]]
    body = [["1997", "$444,534", "($1.58)", "$1", "12", "$1.31"], ["1995", "409,272", "1.05", "3%", "13", "1.30"]]
    found = [None if unit is None else str(unit) for unit in units(table([*grid, *body]))[1:]]
    assert found == ["millions of dollars", "dollars", None, None, "U.S. dollars per pound"]


@pytest.mark.parametrize("heading", ["Exchange rate (10)", "Interest rate 2", "Ratio of reserves to deposits"])
def test_a_ratio_is_no_amount_of_the_tables_money_even_without_a_unit_of_its_own(heading: str) -> None:
    found = units(table([["", "Assets", heading], ["01/02/19", "5", "0.88"]], unit="In millions of euros"))
    assert [str(unit) for unit in found[1:]] == ["millions of euros", ""]


def test_a_unit_may_be_printed_above_the_labels() -> None:
    found = units(table([["(In billions of dollars)", "Gross cost"], ["Defense", "813.6"]]))
    assert str(found[1]) == "billions of dollars"
