"""Numbers: the true ones that were read at all, and what confidences say of those that were not."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lab.scoring.cells import Match
from lab.scoring.truth import TruthTable, unmarked_text
from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import LOW_CONFIDENCE, Cell

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"[.,](?=\d{3}(?:\D|$))")


class Recall(NamedTuple):
    """A number of things out of all."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """0-1; 1 of nothing."""
        return self.right / self.total if self.total else 1.0


def true_numbers(truth: TruthTable) -> Counter[str]:
    """The numbers of two or more digits in the data cells, by their digits."""
    cells = (text for row in truth.grid[truth.header_rows :] for text in row[truth.row_label_cols :])
    return numbers_in(split_marks(cell).body for cell in cells)


def numbers_in(texts: Iterable[str]) -> Counter[str]:
    """Numbers of two or more digits. Signs are left out, and what separates thousands is, too."""
    numbers: Counter[str] = Counter()
    for text in texts:
        for number in _NUMBER.findall(text):
            digits = _THOUSANDS.sub("", number)
            if sum(d.isdigit() for d in digits) >= 2:
                numbers[digits] += 1
    return numbers


def recall(true: Counter[str], found: Counter[str]) -> Recall:
    """Each true number as often as it is printed."""
    return Recall((true & found).total(), true.total())


@dataclass(frozen=True, slots=True)
class Trust:
    """Counts of the found table's numbers that stand where truth has a cell."""

    numbers: int = 0
    wrong: int = 0
    flagged: int = 0
    """Numbers with a low confidence, right and wrong ones."""
    wrong_flagged: int = 0

    def __add__(self, other: "Trust") -> "Trust":
        return Trust(
            self.numbers + other.numbers,
            self.wrong + other.wrong,
            self.flagged + other.flagged,
            self.wrong_flagged + other.wrong_flagged,
        )


def judged(match: Match) -> Iterator[tuple[Cell, bool]]:
    """The found table's numbers that stand where truth has a data cell, and whether each is right."""
    truth, table = match.truth, match.table
    for r, fr in match.alignment.rows:
        for c, fc in match.alignment.columns:
            cell = table.rows[fr][fc]
            is_data = r >= truth.header_rows and c >= truth.row_label_cols
            if is_data and any(letter.isdigit() for letter in cell.text):
                yield cell, unmarked_text(truth.grid[r][c]) == unmarked_text(cell.text)


def trust(match: Match, low: float = LOW_CONFIDENCE) -> Trust:
    """Judge the readings of the data cells; one that was left blank is missing, not wrong."""
    return sum((_one(cell, right, low) for cell, right in judged(match)), Trust())


def _one(cell: Cell, right: bool, low: float) -> Trust:
    flagged = cell.confidence < low
    return Trust(
        numbers=1,
        wrong=int(not right),
        flagged=int(flagged),
        wrong_flagged=int(flagged and not right),
    )
