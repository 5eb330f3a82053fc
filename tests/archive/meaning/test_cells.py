from tests.archive.tables import table

from worktrial.archive.meaning.cells import CellRecord, cells_of
from worktrial.archive.pages import Table


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


def test_blank_cells_are_left_out() -> None:
    assert len(list(cells_of(table([["", "a"], ["x", ""]]), "d"))) == 2
