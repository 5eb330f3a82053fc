"""A summary in Markdown: one row for each run and condition, to be pasted where people read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import agent_of
from worktrial.grading import Outcome
from worktrial.results.conditions import by_condition
from worktrial.results.exports.files import new_file
from worktrial.results.exports.markdown import markdown_table
from worktrial.results.tables.source import RunSource
from worktrial.statistics import CompletionRate, Rate

_HEADERS = (
    "run",
    "suite",
    "agent",
    "condition",
    "passed",
    "completion rate",
    "95 % interval",
    "invalid",
    "of valid",
    "cost per sample",
    "seconds per sample",
)


@dataclass(slots=True)
class _Sum:
    """What is added up over the samples of one condition."""

    passed: int = 0
    failed: int = 0
    invalid: int = 0
    cost: float | None = 0.0
    seconds: float = 0.0

    def add(self, record: SampleRecord) -> None:
        self.passed += record.outcome is Outcome.PASS
        self.failed += record.outcome is Outcome.FAIL
        self.invalid += record.outcome is Outcome.INVALID
        self.cost = None if self.cost is None or record.cost is None else self.cost + record.cost
        self.seconds += record.seconds


def export_summary(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> int:
    """Write the summary; conditions are never mixed into one rate.

    Returns:
        How many rows there are.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    rows = [row for source in sources for row in _rows(source)]
    with new_file(out, force=force) as file:
        for line in markdown_table(_HEADERS, rows, frozenset(range(4, len(_HEADERS)))):
            file.write(f"{line}\n".encode(errors="replace"))
    return len(rows)


def _rows(source: RunSource) -> Iterator[list[str]]:
    sums: dict[str, _Sum] = {}
    firsts: dict[str, SampleRecord] = {}
    for record in source.records():
        sums.setdefault(record.condition, _Sum()).add(record)
        firsts.setdefault(record.condition, record)
    who = [source.name, source.manifest.suite, agent_of(source.manifest) or ""]
    for condition in by_condition(firsts.values()):
        added = sums[condition]
        rate = CompletionRate(added.passed, added.failed, added.invalid)
        n, interval = rate.of_all.n, rate.of_all.interval()
        yield [
            *who,
            condition,
            f"{added.passed}/{n}",
            _share(rate.of_all),
            f"{interval.low:.1%} - {interval.high:.1%}",
            str(added.invalid),
            _share(rate.of_valid),
            "unknown" if added.cost is None else f"${added.cost / n:.4f}",
            f"{added.seconds / n:.1f}",
        ]


def _share(rate: Rate) -> str:
    return "none" if rate.share is None else f"{rate.share:.1%}"
