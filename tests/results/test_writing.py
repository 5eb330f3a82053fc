import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.html_tree import parsed

from worktrial.results import writing
from worktrial.results.writing import ShownTable, Value, cell_of, link, to_html, to_markdown, to_rich
from worktrial.statistics import Figure, Interval, Unit
from worktrial.terminal import SafeConsole

# What HTML itself cannot hold: the parser reads a carriage return as a line feed.
_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


def test_a_table_names_its_columns_and_rows() -> None:
    made = parsed(
        to_html(
            ShownTable("Rates", ["agent", "rate"], [["a", Value("62%", 0.62, "samples.html#run=a")], ["b", "c"]])
        )
    )
    assert made.one("caption").text == "Rates"
    assert [h.attributes["scope"] for h in made.all("th")] == ["col", "col", "row", "row"]
    assert made.one("a").attributes == {"href": "samples.html#run=a"}
    region = made.one(role="region")
    assert (region.attributes["aria-label"], region.attributes["tabindex"]) == ("Rates", "0")
    assert "data-sortable" in made.one("table").attributes


def test_a_column_of_numbers_is_flush_right_and_unknown_ones_sort_last() -> None:
    rows = [["a", Value("1", 1), Value("1", 1)], ["b", Value("–", float("nan")), "no number"]]
    made = parsed(to_html(ShownTable("T", ["name", "n", "mixed"], rows), sortable=False))
    assert [h.attributes.get("class") for h in made.all("th", scope="col")] == [None, "number", None]
    assert [c.attributes.get("data-sort") for c in made.all("td", class_="number")] == ["1", ""]
    assert "data-sortable" not in made.one("table").attributes


def test_a_row_must_fit_the_headers() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 headings"):
        ShownTable("T", ["a", "b"], [["only"]])


@given(_TEXT)
def test_any_text_appears_as_text(anything: str) -> None:
    made = parsed(
        to_html(ShownTable(anything, [anything, "x"], [[anything, Value(anything, anything, f"#{anything}")]]))
    )
    assert made.one("caption").text == anything
    assert [cell.text for cell in (*made.all("th", scope="row"), *made.all("td"))] == [anything, anything]
    assert made.one("td").attributes["data-sort"] == anything
    assert {e.name for e in made.all()} <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "a"}
    assert parsed(link(anything, None)).text == anything


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (writing.percent(0.6234), "62.3%"),
        (writing.percent(1.0), "100.0%"),
        (writing.percent(-0.0001), "0.0%"),
        (writing.percent(None), "–"),
        (writing.percent(float("nan")), "–"),
        (writing.percents(Interval(0.51, 0.7244)), "51.0 to 72.4%"),
        (writing.percents(Interval(float("nan"), 1)), ""),
        (writing.dollars(0.0), "$0.00"),
        (writing.dollars(0.0401), "$0.0401"),
        (writing.dollars(0.00004), "$0.000040"),
        (writing.dollars(1234.5), "$1,234.50"),
        (writing.dollars(-2), "-$2.00"),
        (writing.seconds(0.04), "40\u00a0ms"),
        (writing.seconds(0.9999), "1.0\u00a0s"),
        (writing.seconds(59.97), "1\u00a0min 0\u00a0s"),
        (writing.seconds(250), "4\u00a0min 10\u00a0s"),
        (writing.amount(12345), "12,345"),
        (writing.amount(0.25), "0.25"),
        (writing.amount(12345.6), "12,346"),
        (writing.amount(float("inf")), "–"),
    ],
)
def test_numbers_are_written_the_same_everywhere(shown: str, expected: str) -> None:
    assert shown == expected


def test_a_table_is_the_same_for_terminal_markdown_and_page() -> None:
    rate = Figure(name="completion", value=0.5, low=0.251, high=0.749, n=8)
    cost = Figure(name="cost_per_task", value=None, unit=Unit.DOLLARS, unknown="the price of a model is unknown")
    kept = Figure(name="robustness", value=0.41, low=0.2, high=float("inf"), unit=Unit.RATIO)
    rows = [["a|b", rate, 1234, kept, cost], ["c", cell_of(rate, href="#c", notes=["of 8"]), None, None, "free"]]
    made = ShownTable("Rates", ["agent", "completed", "samples", "R", "cost"], rows, "R is what is left")
    for written in (_printed(made), to_markdown(made).replace("\\", ""), parsed(to_html(made)).text):
        told = " ".join(written.replace("│", " ").replace("(", "").replace(")", "").split())
        for said in ("50.0% 25.1 to 74.9%", "of 8", "1,234", "0.41 0.20 to ∞", "the price of a model is unknown"):
            assert said in told
        assert "R is what is left" in told and told.count("–") >= 3
    assert "a\\|b" in to_markdown(made)
    assert [h.attributes.get("class") for h in parsed(to_html(made)).all("th", scope="col")] == [
        None,
        "number",
        "number",
        "number",
        None,
    ]


def _printed(table: ShownTable) -> str:
    console = SafeConsole(width=200, color_system=None)
    with console.capture() as shown:
        console.print(to_rich(table))
    return shown.get()


def test_an_interval_is_written_in_the_unit_of_its_figure() -> None:
    took = Figure(name="seconds", value=2.0, low=1.0, high=250.0, unit=Unit.SECONDS)
    assert (writing.number(took), writing.interval(took)) == ("2.0\u00a0s", "1.0\u00a0s to 4\u00a0min 10\u00a0s")
    assert writing.points(Interval(-0.01, 0.093)) == "-1.0 to +9.3"
    assert [writing.p_value(p) for p in (0.0, 0.0414)] == ["< 0.001", "0.041"]
