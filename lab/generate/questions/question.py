"""A question with its answer and the cells that the answer was computed from."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum


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
class Asked:
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
    asked: Asked

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
