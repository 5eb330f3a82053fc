from pathlib import Path

import pytest

from lab.panels import look_up_meanings, print_meanings, read_meanings
from worktrial.archive.pages import Box, Cell, PageContent, Table
from worktrial.errors import DataError

TRUTH = """
tables:
- title: Debt
  unit: millions of dollars
  columns:
  - path: [Held, Total]
  - {path: [Rate], unit: percent}
  rows:
  - {path: [2012], period: FY2012, values: ["16,090", "1.5"]}
  - {path: [2013, Jan], period: 2013-01, values: ["16,100", ""]}
  - {path: [Average], period: "", values: ["16,095", ""]}
"""


def page(*rows: tuple[str, ...]) -> PageContent:
    cells = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(rows))
    table = Table(1, 1, Box(0, 0, 9, 9), cells, 2, 1, "Debt", "In millions of dollars")
    return PageContent(1, 100, 100, "text", "", (table,))


def test_values_units_and_periods_are_asked_for_by_row_and_column(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b_1999_page_001.yaml").write_text(TRUTH)
    read = page(
        ("End of fiscal year", "Held", "Held", "Rate"),
        ("End of fiscal year", "Total", "Other", "Rate"),
        ("2012", "16,090", "1", "1.5"),
        ("2013 - Jan", "16,001", "2", "1.6"),
        ("Mean", "16,095", "2", "1.6"),
    )
    found = look_up_meanings(read_meanings(tmp_path)["b_1999_page_001"], read)
    assert [one.outcome for one in found] == ["right", "right", "wrong", "missing"]
    assert [one.unit[0] for one in found[:2]] == ["right", "wrong"]
    assert [one.period for one in found[:2]] == [("right", "FY2012", "FY2012")] * 2
    print_meanings({"p": found}, show=True)
    printed = capsys.readouterr().out
    assert "value found 0.500" in printed
    assert "1 x unit wrong: 'percent', not 'millions of dollars'" in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["16,090", "1.5"]', '["16,090"]', "row '2012' has not one value for each of 2 columns"),
        ('"1.5"', '"n.a."', "'n.a.' in row '2012' is no number"),
        ("title: Debt", "name: Debt", "Field required"),
    ],
)
def test_truth_that_is_not_as_the_readme_says_names_its_place(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    (tmp_path / "b_1999_page_001.yaml").write_text(TRUTH.replace(old, new))
    with pytest.raises(DataError, match=message):
        read_meanings(tmp_path)
