import pytest
from tests.archive.tables import table

from worktrial.archive.meaning import CellRecord, cells_of, link_revisions, points_of
from worktrial.archive.pages import Address, Table
from worktrial.errors import DataError


def issue(
    defense: str, *, number: int = 1, title: str = "Table B-1. - Expenditures by Function - Continued"
) -> Table:
    grid = [
        ["Fiscal year or month", "Total", "National defense 2/"],
        ["1940", "8,736", defense],
        ["1940-July", "700", "177 r"],
    ]
    return table(grid, title=title, unit="In millions of dollars", number=number, page=3)


def test_cells_say_what_they_are_about() -> None:
    records = {(c.row_no, c.column_no): c for c in cells_of(issue("1,580"), "bulletin_1941_01")}
    assert records[2, 2] == CellRecord(
        document="bulletin_1941_01",
        page=3,
        table_no=1,
        row_no=2,
        column_no=2,
        text="177 r",
        value=177.0,
        label="1940 > July",
        header="National defense 2/",
        unit="millions of dollars",
        period="1940-07",
        confidence=1.0,
        is_header=False,
    )
    assert records[1, 1].period == "FY1940"
    assert records[0, 1].is_header and records[0, 1].value is None
    assert records[1, 0].value is None
    assert str(records[2, 2].address) == "bulletin_1941_01:3:t1:r2:c2"


def test_blank_cells_are_left_out() -> None:
    assert len(list(cells_of(table([["", "a"], ["x", ""]]), "d"))) == 2


def test_a_revision_links_the_issues_and_shows_who_differs() -> None:
    issues = {"1940-10": "1,559", "1941-01": "1,580 4/", "1941-03": "1,559"}
    points = [p for date, value in issues.items() for p in points_of(issue(value), f"b_{date}", date)]
    links = link_revisions(points)
    assert {str(link.points[0].period) for link in links} == {"FY1940", "1940-07"}
    (changed,) = [link for link in links if link.changes]
    assert [point.value for point in changed.points] == [1559, 1580, 1559]
    assert [(a.as_of, b.as_of) for a, b in changed.changes] == [("1940-10", "1941-01"), ("1941-01", "1941-03")]
    assert str(changed.points[1].address) == "b_1941-01:3:t1:r1:c2"


def test_another_title_year_or_unit_is_another_series() -> None:
    first = list(points_of(issue("1,559"), "a", "1940-10"))
    other_title = points_of(issue("1,600", title="Expenditures by Agency"), "b", "1941-01")
    calendar = table(
        [["Calendar year", "Total", "National defense"], ["1940", "9,000", "1,700"]],
        title="Expenditures by Function",
        unit="In millions of dollars",
    )
    assert link_revisions([*first, *other_title]) == ()
    assert link_revisions([*first, *points_of(calendar, "c", "1941-01")]) == ()


def test_a_table_number_and_continuation_do_not_make_another_series() -> None:
    points = [
        *points_of(issue("1,559"), "a", "1940-10"),
        *points_of(issue("1,559", title="TABLE C-7.—Expenditures by function 1/"), "b", "1941-01"),
    ]
    assert len(link_revisions(points)) == 4


def test_what_one_issue_prints_in_two_ways_is_not_linked() -> None:
    points = [
        *points_of(issue("1,559"), "a", "1940-10"),
        *points_of(issue("1,559"), "b", "1941-01"),
        *points_of(issue("1,580", number=2), "b", "1941-01"),
    ]
    assert {link.points[0].value for link in link_revisions(points)} == {8736, 700, 177}


def test_fewer_digits_in_one_issue_are_no_revision() -> None:
    def rate(text: str) -> Table:
        return table([["Year", "Rate"], ["1940", text]], title="Rates", unit="Percent")

    points = [*points_of(rate("2.54"), "a", "1940-10"), *points_of(rate("2.5"), "b", "1941-01")]
    assert link_revisions(points)[0].changes == ()


@pytest.mark.parametrize("address", [Address("doc", 12, 1, 5, 3), Address("a:b c", 1, 2, 0, 0)])
def test_addresses_are_read_back(address: Address) -> None:
    assert Address.parse(str(address)) == address


@pytest.mark.parametrize(
    "text", ["", "doc", "doc:12:t1:r5", "doc:0:t1:r5:c3", "doc:12:1:r5:c3", ":1:t1:r1:c1", "d:1:t1:r-1:c1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="not an address"):
        Address.parse(text)
