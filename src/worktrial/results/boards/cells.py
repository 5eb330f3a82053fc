"""A run's counts, fine enough to be filtered and added up again."""

from collections.abc import Iterable
from dataclasses import dataclass

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.results.boards.spent import cost_of, seconds_of
from worktrial.results.summary import completion

CELL_TAGS = ("category", "difficulty", "language")


@dataclass(frozen=True, slots=True)
class CellCounts:
    """The samples of a run that share industry, difficulty, language and condition."""

    category: str | None
    """The industry; this and the next two are None where the suite does not say."""
    difficulty: str | None
    language: str | None
    condition: str
    passed: int
    failed: int
    invalid: int
    cost: float | None
    """US dollars of all roles, summed; None where a price is unknown, or where the work was only judged again."""
    seconds: float | None
    """Wall-clock seconds, summed; None where the work was only judged again."""


def cells(run: StoredRun) -> list[CellCounts]:
    """The counts of `run` by category, difficulty, language and condition, in the order of samples."""
    found: dict[tuple[str | None, ...], list[SampleRecord]] = {}
    for record in run.records:
        tags = (record.tags.get(name) for name in CELL_TAGS)
        key = (*(None if tag is None else str(tag) for tag in tags), record.condition)
        found.setdefault(key, []).append(record)
    return [_cell(run, records) for records in found.values()]


def _cell(run: StoredRun, records: list[SampleRecord]) -> CellCounts:
    rate = completion(records)
    category, difficulty, language = (records[0].tags.get(name) for name in CELL_TAGS)
    return CellCounts(
        category=None if category is None else str(category),
        difficulty=None if difficulty is None else str(difficulty),
        language=None if language is None else str(language),
        condition=records[0].condition,
        passed=rate.passed,
        failed=rate.failed,
        invalid=rate.invalid,
        cost=_sum(cost_of(run, record) for record in records),
        seconds=_sum(seconds_of(run, record) for record in records),
    )


def _sum(values: Iterable[float | None]) -> float | None:
    listed = list(values)
    return None if None in listed else sum(v for v in listed if v is not None)
