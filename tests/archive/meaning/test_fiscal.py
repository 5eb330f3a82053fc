import pytest
from tests.archive.tables import table

from worktrial.archive.meaning.cells import cells_of

WRAPPED = [["Fiscal year 1940", ""], ["April", "1"], ["December", "2"], ["January", "3"]]
ALONE = [["Fiscal year 1940", ""], ["July", "1"], ["August", "2"]]


def periods(rows: list[list[str]], text: str) -> list[str]:
    shown = table([["Month", "Total"], *rows], title="Receipts", unit="")
    return [cell.period for cell in cells_of(shown, "d", text=text) if cell.value is not None]


@pytest.mark.parametrize(
    ("rows", "text", "expected"),
    [
        # The order of the months decides, whatever the page says.
        (WRAPPED, "of the United States", ["1939-04", "1939-12", "1940-01"]),
        (ALONE, "Receipts of the United States", ["1939-07", "1939-08"]),
        (ALONE, "The fiscal year ends on 31 March and is named after it.", ["1939-07", "1939-08"]),
        (ALONE, "The fiscal year ends on July 31.", ["1940-07", "1939-08"]),
        (ALONE, "Every fiscal year begins on 1 August", ["1940-07", "1939-08"]),
        (ALONE, "The fiscal year begins on 1 January", ["1940-07", "1940-08"]),
        # Nothing tells, or it changed.
        (ALONE, "", ["", ""]),
        (
            ALONE,
            "Up to 1939 the fiscal year ended on 31 March; now the fiscal year ends on 30 September.",
            ["", ""],
        ),
    ],
)
def test_months_below_a_fiscal_year_follow_its_own_calendar(
    rows: list[list[str]], text: str, expected: list[str]
) -> None:
    assert periods(rows, text) == expected
