"""Reliability: how many of the numbers of one confidence are right, and what printed sums add to it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lab.scoring.cells import best_match
from lab.scoring.numbers import judged
from lab.scoring.truth import TruthTable
from worktrial.archive.meaning.footing import footing
from worktrial.archive.meaning.separators import separators_of
from worktrial.archive.meaning.trust import CellEvidence, SumOutcome, evidence_of
from worktrial.archive.pages import LOW_CONFIDENCE, PageContent
from worktrial.statistics import Interval, agresti_coull

EDGES = (0.0, 0.5, 0.8, LOW_CONFIDENCE, 0.95, 0.98, 0.99, 0.995, 1.0)
"""Ends of the bins; what is 1 has a bin of its own."""


@dataclass(frozen=True, slots=True)
class ReadNumber:
    """A number that was read, beside what is printed."""

    confidence: float
    """That of its cell, 0-1."""
    evidence: CellEvidence
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
        told = evidence_of(match.table, footing(match.table, separators=separators), separators, page.layout)
        for cell, right in judged(match):
            # Truth may take for a figure what stands among our headings or labels.
            evidence = told.get((cell.row, cell.column)) or CellEvidence(cell.reader_confidence)
            yield ReadNumber(cell.confidence, evidence, right)


def by_confidence(numbers: Sequence[ReadNumber]) -> tuple[ReliabilityBin, ...]:
    """The reliability diagram: bins from doubtful to sure, those without a number left out."""
    bins = [
        _bin(f"{low:g}-{high:g}", [one for one in numbers if low <= one.confidence < high])
        for low, high in pairwise(EDGES)
    ]
    return tuple(one for one in (*bins, _bin("1", [one for one in numbers if one.confidence >= 1])) if one.numbers)


def by_sums(numbers: Sequence[ReadNumber]) -> tuple[ReliabilityBin, ...]:
    """The same by what printed sums say, doubtful readings apart from others."""
    groups = [
        _bin(
            f"{name}, {sums}",
            [n for n in numbers if n.evidence.sums is sums and (n.confidence < LOW_CONFIDENCE) is doubtful],
        )
        for name, doubtful in (("doubtful", True), ("not doubtful", False))
        for sums in SumOutcome
    ]
    return tuple(one for one in groups if one.numbers)


def _bin(name: str, own: Sequence[ReadNumber]) -> ReliabilityBin:
    stated = sum(one.confidence for one in own) / len(own) if own else 0.0
    return ReliabilityBin(name, len(own), sum(one.right for one in own), stated)
