import pytest
from tests.archive.tables import table

from worktrial.archive.meaning.cells import units
from worktrial.archive.meaning.units import parse_unit


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


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        # What follows `in` is the unit, whatever else the line names.
        ("(Crop years; in thousands of sacks)", "thousands of sacks"),
        ("(Crop years; in sacks)", "sacks"),
        ("(Fiscal years, in thousands of bales)", "thousands of bales"),
        ("[Years ended June 30. In millions of bushels]", "millions of bushels"),
        ("Campaign years - in thousands of barrels per day", "thousands of barrels per day"),
        ("Ten-year averages, in bushels", "bushels"),
        ("In thousands of persons 14 years of age and over", "thousands of persons"),
        ("In thousands of sacks held in store", "thousands of sacks"),
        ("in thousands of 60-kilogram bags", "thousands of 60-kilogram bags"),
        ("Weekly averages; in thousands of head", "thousands of head"),
        ("In thousands of metric tons", "thousands of metric tons"),
        ("In million fine ounces of gold, at $35 an ounce", "millions of ounces"),
        ("In thousands, except per share data", "thousands"),
        ("Amounts in thousands of florins", "thousands of florins"),
        ("In thousands of dollars per head", "thousands of dollars per head"),
        ("In dollars (thousands)", "thousands of dollars"),
        ("Number of employees, in thousands", "thousands of employees"),
        ("Shares in thousands", "thousands of shares"),
        ("Thousand metric tons", "thousands of metric tons"),
        ("Crop years, in thousands", "thousands"),
        ("In thousand million dollars", "billions of dollars"),
        ("In 1,000 bushels", "thousands of bushels"),
        ("In $1,000", "thousands of dollars"),
        ("(000 omitted)", "thousands"),
        ("Average length in months", "months"),
        ("(years)", "years"),
        ("Erntejahre; in Tausend Tonnen", "thousands of tonnen"),
        ("Wirtschaftsjahre, in Mio. EUR", "millions of euros"),
        ("Angaben in 1.000 t", "thousands of t"),
        ("in TDM", "thousands of German marks"),
        ("T€", "thousands of euros"),
        ("Campagnes agricoles ; en milliers de sacs", "thousands of sacs"),
        ("Années civiles - en millions d'euros", "millions of euros"),
        ("En milliards de francs", "billions of francs"),
    ],
)
def test_what_follows_in_is_the_unit(line: str, shown: str) -> None:
    assert str(parse_unit(line)) == shown


@pytest.mark.parametrize(
    "line",
    [
        # Time that figures are for is no unit.
        "(fiscal years)",
        "(12 months ended)",
        "In years ended June 30",
        # Two units: which column has which is not said.
        "In thousands of tons; prices in dollars",
        "In millions of dollars; shares in thousands",
        "In thousands except per share amounts in dollars",
        "In millions of dollars; index, 1967=100",
        "In tons; change in per cent",
        # Words that are not understood may be scales.
        "In crores of Indian rupees",
        "In lakhs of dollars",
        "In hundreds of millions of dollars",
        "단위: 백만 KRW",
        # For each of something, or only named.
        "In florins a quintal",
        "per thousand inhabitants",
        "Cases per thousand persons",
        "(loans of $5,000)",
        "(loans of one million or more)",
        "In circulation",
    ],
)
def test_a_line_that_is_not_understood_has_no_unit(line: str) -> None:
    assert parse_unit(line) is None


def test_a_scale_that_may_be_anybodys_leaves_money_open() -> None:
    grid = [["", "Exports", "Value", "Price (dollars per ton)"], ["1951", "1,200", "$3,400", "$17"]]
    found = units(table(grid, unit="Crop years; in thousands of tons, values in millions of dollars"))
    assert [None if unit is None else str(unit) for unit in found] == [None, None, None, "dollars per ton"]


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


def test_a_heading_that_names_several_units_is_in_none_of_them_nor_in_the_tables_money() -> None:
    grid = [["", "Amount", "Period to maturity (years, months, days)"], ["01/02/19", "5", "4y 11m"]]
    found = units(table(grid, unit="In millions of dollars"))
    assert [str(unit) for unit in found[1:]] == ["millions of dollars", ""]
