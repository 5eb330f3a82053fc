import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.html_tree import parsed

from worktrial.reports.html import Value, link, table, text

# What HTML itself cannot hold: the parser reads a carriage return as a line feed.
_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)


def test_a_table_names_its_columns_and_rows() -> None:
    made = parsed(table("Rates", ["agent", "rate"], [["a", Value("62%", 0.62, "samples.html#run=a")], ["b", "c"]]))
    assert made.one("caption").text == "Rates"
    assert [h.attributes["scope"] for h in made.all("th")] == ["col", "col", "row", "row"]
    assert made.one("a").attributes == {"href": "samples.html#run=a"}
    region = made.one(role="region")
    assert (region.attributes["aria-label"], region.attributes["tabindex"]) == ("Rates", "0")
    assert "data-sortable" in made.one("table").attributes


def test_a_column_of_numbers_is_flush_right_and_unknown_ones_sort_last() -> None:
    rows = [["a", Value("1", 1), Value("1", 1)], ["b", Value("–", float("nan")), "no number"]]
    made = parsed(table("T", ["name", "n", "mixed"], rows, sortable=False))
    assert [h.attributes.get("class") for h in made.all("th", scope="col")] == [None, "number", None]
    assert [c.attributes.get("data-sort") for c in made.all("td", class_="number")] == ["1", ""]
    assert "data-sortable" not in made.one("table").attributes


def test_a_row_must_fit_the_headers() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 headers"):
        table("T", ["a", "b"], [["only"]])


@given(_TEXT)
def test_any_text_appears_as_text(anything: str) -> None:
    made = parsed(table(anything, [anything, "x"], [[anything, Value(anything, anything, f"#{anything}")]]))
    assert made.one("caption").text == anything
    assert [cell.text for cell in (*made.all("th", scope="row"), *made.all("td"))] == [anything, anything]
    assert made.one("td").attributes["data-sort"] == anything
    assert {e.name for e in made.all()} <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "a"}
    assert parsed(text(anything)).text == parsed(link(anything, None)).text == anything
