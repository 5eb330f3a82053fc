"""Trust: a cell's chance of being right, out of what its reader says of it and what stands around it.

The chance is that of a logistic regression: to the log odds of what the reader says, the evidence adds its weights.
They were fitted by `python -m lab trust --fit` to the 1,900 numbers of seven scans of odd years that
`lab/panels/truth` transcribes, together with those of `chances.py`. benchmarks/RESULTS.md has the diagram.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from worktrial.archive.chances import chance_of, log_odds
from worktrial.archive.meaning.footing import Footing
from worktrial.archive.meaning.labels import header_paths
from worktrial.archive.meaning.separators import Separators
from worktrial.archive.meaning.value import CellValue, ValueKind, value_of
from worktrial.archive.pages import DOUBTFUL_LAYOUT, Cell, Table

_LEAST, _OWN = 0.001, 0.995
"""Chances are taken to lie between these. A file's own characters are right, and may stand in the wrong cell: the
upper one is the cell F1 of made pages that were held back."""
_FEW = 4
"""Numbers of a column that say nothing of its form."""
_MOSTLY = 0.75
"""Share of a column's numbers that makes a form its own."""
_SEPARATED = re.compile(r"\d[.,'’\s]\d{3}")

Place = tuple[int, int]
"""Row and column in a table's grid."""


class SumOutcome(StrEnum):
    """Outcome of the printed sums that a number takes part in."""

    HOLDS = "a sum of it holds"
    FAILS = "its sums fail"
    UNKNOWN = "no sum known"


class CellEvidence(NamedTuple):
    """All that bears on whether a cell is right."""

    stated: float
    """Chance that its reader states, 0-1; 1 for a file's own characters."""
    sums: SumOutcome = SumOutcome.UNKNOWN
    misfit: bool = False
    """Whether it is no number in a column of numbers, or has other decimals or separators than they have."""
    irregular: bool = False
    """Whether the layout of its page is doubtful."""
    nameless: bool = False
    """Whether it holds several numbers, or its table has no headings: nobody can ask for the one that is meant."""

    @property
    def unproven(self) -> bool:
        """Whether nothing tells that it stands where it belongs, on a page whose layout is doubtful."""
        return self.irregular and self.sums is not SumOutcome.HOLDS


class TrustWeights(NamedTuple):
    """Weights of the evidence beside the reading, in log odds."""

    holds: float
    fails: float
    misfit: float


WEIGHTS = TrustWeights(2.443, -0.724, -3.222)
NAMELESS = 0.5
"""Chance at most of a cell that nobody can ask for, however sure its figures are; set, not fitted."""
EARNED = 0.785
"""Share of the numbers right that no sum holds for, on pages whose layout is doubtful: no such cell is surer."""


def amounts(evidence: CellEvidence) -> TrustWeights:
    """Amounts that the weights multiply, each 0 or 1."""
    holds, fails = (evidence.sums is outcome for outcome in (SumOutcome.HOLDS, SumOutcome.FAILS))
    return TrustWeights(*map(float, (holds, fails, evidence.misfit)))


def chance(evidence: CellEvidence) -> float:
    """Chance that a cell is right, 0-1."""
    told = sum(weight * amount for weight, amount in zip(WEIGHTS, amounts(evidence), strict=True))
    return chance_of(log_odds(evidence.stated, _LEAST, _OWN) + told)


def trusted(
    table: Table,
    sums: Sequence[Footing] = (),
    separators: Separators = Separators.ENGLISH,
    layout: float | None = None,
) -> Table:
    """A table whose cells' confidences are chances; what its reader stated stays beside them.

    Args:
        table: As it was read, or made by this before.
        sums: Sums that it prints.
        separators: What commas and points mean on its page.
        layout: Confidence in the layout of its page, 0-1; None where nothing is said of it. Where it is doubtful,
            all cells are less sure in proportion, which is set, and none is surer than such cells were right.
    """
    placed = 1.0 if layout is None else min(1.0, layout / DOUBTFUL_LAYOUT)
    told = evidence_of(table, sums, separators, layout)
    # Most cells of a page are alike in what bears on them.
    chances: dict[CellEvidence, float] = {}

    def weighed(cell: Cell) -> Cell:
        if not cell.text:
            return cell
        evidence = told.get((cell.row, cell.column)) or CellEvidence(cell.reader_confidence, irregular=placed < 1)
        sure = chances.get(evidence)
        if sure is None:
            sure = chance(evidence) * placed
            most = NAMELESS if evidence.nameless else EARNED if evidence.unproven else 1.0
            sure = chances[evidence] = round(min(sure, most), 4)
        return Cell(
            *(cell.row, cell.column, cell.text, cell.box, sure, cell.alternatives),
            *(evidence.stated, cell.reading),
        )

    rows = tuple(tuple(weighed(cell) for cell in row) for row in table.rows)
    return Table(
        *(table.number, table.page, table.box, rows, table.header_rows, table.label_columns),
        *(table.title, table.unit, table.notes),
    )


def evidence_of(
    table: Table,
    sums: Sequence[Footing] = (),
    separators: Separators = Separators.ENGLISH,
    layout: float | None = None,
) -> dict[Place, CellEvidence]:
    """The evidence for each cell of the body that says something; arguments are those of `trusted`."""
    irregular = layout is not None and layout < DOUBTFUL_LAYOUT
    outcomes = sum_outcomes(sums)
    misfits = set(_misfits(table, separators))
    headed = any(any(path) for path in header_paths(table)[table.label_columns :])
    found = {}
    for row in table.rows[table.header_rows :]:
        for cell in row[table.label_columns :]:
            if cell.text:
                place = (cell.row, cell.column)
                around_it = (outcomes.get(place, SumOutcome.UNKNOWN), place in misfits, irregular)
                nameless = not headed or _holds_several(cell.text, separators)
                found[place] = CellEvidence(cell.reader_confidence, *around_it, nameless)
    return found


def _holds_several(text: str, separators: Separators) -> bool:
    """Whether a text is no number, but has several among its words, and no letters."""
    if " " not in text.strip() or any(map(str.isalpha, text)) or value_of(text, separators).number is not None:
        return False
    return sum(value_of(word, separators).number is not None for word in text.split()) > 1


def sum_outcomes(sums: Sequence[Footing]) -> Mapping[Place, SumOutcome]:
    """Outcomes for each place that takes part in a sum; where one of several holds, that one."""
    checks = [(check.holds, place) for found in sums for check in found.checks for place in found.cells(check)]
    held = {place: SumOutcome.HOLDS for holds, place in checks if holds}
    return {place: SumOutcome.FAILS for _, place in checks} | held


def _misfits(table: Table, separators: Separators) -> Iterator[Place]:
    """Places of figures that have not the form of their column."""
    for column in range(table.label_columns, len(table.rows[0]) if table.rows else 0):
        cells = [row[column] for row in table.rows[table.header_rows :]]
        figures = [(cell, value_of(cell.text, separators)) for cell in cells if any(map(str.isdigit, cell.text))]
        numbers = [(cell, value) for cell, value in figures if value.number is not None]
        if len(numbers) < max(_FEW, len(figures) / 2):
            continue
        decimals = _usual([value.decimals for _, value in numbers if value.number])
        separated = _usual([_is_separated(cell) for cell, value in numbers if _is_large(value)])
        for cell, value in figures:
            other = bool(value.number) and decimals not in (None, value.decimals)
            unparted = separated is True and _is_large(value) and not _is_separated(cell)
            if value.kind is ValueKind.TEXT or other or unparted:
                yield cell.row, cell.column


def _usual(forms: Sequence[int]) -> int | None:
    """The form that nearly all have; None where there is none, or too few have one."""
    if len(forms) < _FEW:
        return None
    form, count = Counter(forms).most_common(1)[0]
    return form if count >= _MOSTLY * len(forms) else None


def _is_large(value: CellValue) -> bool:
    return value.number is not None and abs(value.number) >= 1000


def _is_separated(cell: Cell) -> bool:
    return _SEPARATED.search(cell.text) is not None
