"""A question with its answer, the figures that it is asked about, and the words that name them."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from fractions import Fraction

from lab.generate.calendar import Period, PeriodKind, month_year
from lab.generate.issue import Issue
from lab.generate.printed import PrintedTable, digits
from lab.generate.truth import Place
from lab.generate.world import vocabulary

_NUMBER = re.compile(r"-?[\d,]+(?:\.\d+)?")


class Kind(StrEnum):
    """The task that is left once the figures are found."""

    LOOKUP = "lookup"
    SUM = "sum"
    DIFFERENCE = "difference"
    PERCENT_CHANGE = "percent_change"
    RATIO = "ratio"
    MEAN = "mean"
    REGRESSION = "regression"
    REVISION = "revision"
    CALENDAR_VS_FISCAL = "calendar_vs_fiscal"
    LIST = "list"
    CHART = "chart"


class Difficulty(StrEnum):
    """The amount of help that a question gives."""

    EASY = "easy"
    """Issue and table are named, and one table is enough."""
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class CellUsed:
    """One figure behind an answer."""

    table: str
    """The id in `tables.jsonl` or `charts.jsonl`."""
    doc: str
    pdf_page: int
    row: int
    """0-based in the grid, header rows counted; in a chart, the number of the value."""
    column: int
    """0-based in the grid, label columns counted; in a chart, 0."""
    row_label: tuple[str, ...]
    """Parents first."""
    header: tuple[str, ...]
    """Top to bottom."""
    text: str
    """Text as printed."""


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question before it has a number."""

    question: str
    answer: str
    kind: Kind
    unit: str
    difficulty: Difficulty
    decimals: int
    """Decimals of the answer."""
    cells: tuple[CellUsed, ...]
    """Cells in the order of the formula: the one subtracted or divided by comes last."""


@dataclass(frozen=True, slots=True)
class Question:
    """One row of the question files."""

    id: str
    asked: DraftQuestion

    @property
    def docs(self) -> tuple[str, ...]:
        """Documents that hold the answer, in the order of its cells."""
        return tuple(dict.fromkeys(cell.doc for cell in self.asked.cells))

    @property
    def pages(self) -> tuple[tuple[str, int], ...]:
        """Documents with 1-based PDF pages."""
        return tuple(dict.fromkeys((cell.doc, cell.pdf_page) for cell in self.asked.cells))

    def row(self) -> dict[str, object]:
        """Row of `questions.jsonl`."""
        asked = self.asked
        return {
            "id": self.id,
            "question": asked.question,
            "answer": asked.answer,
            "docs": list(self.docs),
            "pdf_pages": [list(page) for page in self.pages],
            "kind": asked.kind.value,
            "unit": asked.unit,
            "difficulty": asked.difficulty.value,
            "decimals": asked.decimals,
            "cells": [asdict(cell) for cell in asked.cells],
        }

    def csv_row(self) -> dict[str, str]:
        """Row of `questions.csv`: several documents and pages are separated by semicolons."""
        asked = self.asked
        return {
            "id": self.id,
            "question": asked.question,
            "answer": asked.answer,
            "docs": "; ".join(self.docs),
            "pdf_pages": "; ".join(f"{doc}:{page}" for doc, page in self.pages),
            "kind": asked.kind.value,
            "unit": asked.unit,
            "difficulty": asked.difficulty.value,
        }


CSV_COLUMNS: Sequence[str] = ("id", "question", "answer", "docs", "pdf_pages", "kind", "unit", "difficulty")


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


@dataclass(frozen=True, slots=True)
class Words:
    """The words for one column of a table: its headings quoted, or what it means."""

    source: Source
    column: int
    difficulty: Difficulty

    @property
    def where(self) -> str:
        """Begins the question."""
        bulletin = f"{self.source.issue.name} of the {vocabulary().bulletin}"
        if self.difficulty is Difficulty.HARD and not self.source.table.province:
            return f"In {bulletin}"
        return f"According to the table “{self.source.table.name}” in {bulletin}"

    @property
    def what(self) -> str:
        """The column."""
        column = self.source.table.columns[self.column]
        if self.difficulty is Difficulty.HARD and column.phrase and not self.source.table.province:
            return column.phrase
        if len(column.path) == 1:
            return f"“{column.path[-1]}”"
        return f"“{column.path[-1]}” under “{column.path[-2]}”"

    @property
    def unit(self) -> str:
        """Unit of the column."""
        return self.source.table.columns[self.column].unit

    def at(self, period: Period) -> str:
        """`in April 1951`, `at the end of April 1951`."""
        return f"at the end of {named(period)}" if self.source.stock else f"in {named(period)}"
