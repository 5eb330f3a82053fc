"""Reading figures off printed tables, and exact arithmetic on them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from lab.generate.calendar import Period, PeriodKind, month_year
from lab.generate.issue import Issue
from lab.generate.printed import PrintedTable
from lab.generate.questions.question import CellUsed
from lab.generate.rounding import digits
from lab.generate.truth import Place

_NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Source:
    """A table that can be asked about."""

    issue: Issue
    place: Place
    table: PrintedTable

    @property
    def over_time(self) -> bool:
        """Whether its rows are years and months."""
        return (
            self.table.rows[0].period is not None and self.table.rows[-1].period is not None and not self.of_regions
        )

    @property
    def of_regions(self) -> bool:
        """Whether its rows are provinces."""
        return self.table.stub[0].startswith("Region")

    @property
    def stock(self) -> bool:
        """Whether its figures hold for the end of a period."""
        return self.table.stub[0].startswith("End of")

    def cell(self, row: int, column: int) -> CellUsed:
        """Cell by row and column of figures, both from 0."""
        body, head = self.table.rows[row], self.table.columns[column]
        return CellUsed(
            table=self.place.id,
            doc=self.place.document,
            pdf_page=self.place.page,
            row=self.table.header_rows + row,
            column=len(self.table.stub) + column,
            row_label=body.path,
            header=head.path,
            text=body.cells[column],
        )

    def number(self, row: int, column: int) -> Fraction | None:
        """The figure of a cell; None for dashes, stars, blanks and text."""
        return number_in(self.table.rows[row].cells[column])

    def rows(self, kind: PeriodKind) -> list[int]:
        """Rows that cover such a period."""
        return [i for i, row in enumerate(self.table.rows) if row.period is not None and row.period.kind is kind]


def number_in(text: str) -> Fraction | None:
    """A printed number without its marks."""
    found = _NUMBER.fullmatch(text.removesuffix(" r"))
    return Fraction(found[0].replace(",", "")) if found else None


def decimals_of(texts: Sequence[str]) -> int:
    """The most digits after a decimal point."""
    return max(len(text.removesuffix(" r").partition(".")[2]) for text in texts)


def shown(value: Fraction, decimals: int) -> str:
    """Rounded, halves away from zero."""
    scaled = abs(value) * 10**decimals
    units = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return digits(-units if value < 0 else units, decimals)


def slope(points: Sequence[tuple[int, Fraction]]) -> Fraction:
    """Slope of the least-squares line."""
    mean_x = Fraction(sum(x for x, _ in points), len(points))
    mean_y = sum((y for _, y in points), Fraction()) / len(points)
    across = sum(((x - mean_x) * (y - mean_y) for x, y in points), Fraction())
    return across / sum(((x - mean_x) ** 2 for x, _ in points), Fraction())


def named(period: Period) -> str:
    """`April 1951`, `fiscal year 1951`."""
    if period.kind is PeriodKind.MONTH:
        return month_year(period.last)
    return f"fiscal year {period.year}" if period.kind is PeriodKind.FISCAL else f"the half-year {period.year}"
