"""Number recall: how many of the true numbers were read at all, wherever they were put."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lab.scoring.truth import TruthTable
from worktrial.archive.meaning.value import split_marks

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
