"""Reliability: how many of the numbers of one confidence are right, and what printed sums add to it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from lab.scoring.cells import best_match
from lab.scoring.numbers import judged
from lab.scoring.truth import TruthTable
from worktrial.archive.meaning import Separators, footing, separators_of
from worktrial.archive.pages import LOW_CONFIDENCE, PageContent, Table
from worktrial.statistics import Interval, agresti_coull

EDGES = (0.0, 0.1, 0.25, LOW_CONFIDENCE, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Ends of the bins; what is 1 has a bin of its own."""


class SumOutcome(StrEnum):
    """Outcome of the printed sums that a number takes part in."""

    HOLDS = "a sum of it holds"
    FAILS = "its sums fail"
    UNKNOWN = "no sum known"


@dataclass(frozen=True, slots=True)
class ReadNumber:
    """A number that was read, beside what is printed."""

    stated: float
    """The confidence of its cell, 0-1."""
    sums: SumOutcome
    right: bool


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Numbers that are alike in what is said of them."""

    name: str
    numbers: int
    right: int
    stated: float
    """Mean of the stated confidences."""

    @property
    def share(self) -> float:
        """Share of them that is right."""
        return self.right / self.numbers

    @property
    def interval(self) -> Interval:
        """Of that share, at 95 %, as if errors came one by one; on one page they come together."""
        return agresti_coull(self.right, self.numbers)


def numbers_read(page: PageContent, truths: Iterable[TruthTable]) -> Iterator[ReadNumber]:
    """Numbers of a page that stand where a true table has a cell, judged by it.

    Args:
        page: As it was read.
        truths: The tables printed on it.
    """
    texts = [cell.text for table in page.tables for row in table.rows[table.header_rows :] for cell in row]
    separators = separators_of(texts, page.text)
    for truth in truths:
        match = best_match(truth, page.tables)
        if match is None:
            continue
        outcomes = _outcomes(match.table, separators)
        for cell, right in judged(match):
            yield ReadNumber(cell.confidence, outcomes.get((cell.row, cell.column), SumOutcome.UNKNOWN), right)


def _outcomes(table: Table, separators: Separators) -> dict[tuple[int, int], SumOutcome]:
    checks = [
        (check.holds, place)
        for found in footing(table, separators=separators)
        for check in found.checks
        for place in found.cells(check)
    ]
    held = {place: SumOutcome.HOLDS for holds, place in checks if holds}
    return {place: SumOutcome.FAILS for _, place in checks} | held


def by_confidence(numbers: Sequence[ReadNumber]) -> tuple[ReliabilityBin, ...]:
    """The reliability diagram: bins from doubtful to sure, those without a number left out."""
    bins = [
        _bin(f"{low:g}-{high:g}", [one for one in numbers if low <= one.stated < high])
        for low, high in pairwise(EDGES)
    ]
    return tuple(one for one in (*bins, _bin("1", [one for one in numbers if one.stated >= 1])) if one.numbers)


def by_sums(numbers: Sequence[ReadNumber]) -> tuple[ReliabilityBin, ...]:
    """The same by what printed sums say, doubtful readings apart from others."""
    groups = [
        _bin(
            f"{name}, {sums}",
            [one for one in numbers if one.sums is sums and (one.stated < LOW_CONFIDENCE) is doubtful],
        )
        for name, doubtful in (("doubtful", True), ("not doubtful", False))
        for sums in SumOutcome
    ]
    return tuple(one for one in groups if one.numbers)


def _bin(name: str, own: Sequence[ReadNumber]) -> ReliabilityBin:
    stated = sum(one.stated for one in own) / len(own) if own else 0.0
    return ReliabilityBin(name, len(own), sum(one.right for one in own), stated)
