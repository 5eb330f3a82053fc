"""Runs as files: their records, a summary for people, their tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import agent_of
from worktrial.results.completion import completion_of
from worktrial.results.conditions import by_condition
from worktrial.results.corrections import JudgeCorrection
from worktrial.results.exports.files import new_file, new_folder
from worktrial.results.exports.rows import RowForm, markdown_table, write_rows
from worktrial.results.outcomes import OutcomeTally
from worktrial.results.spending import quantity_in
from worktrial.results.tables.catalogue import batches, schema_of, values
from worktrial.results.tables.schema import RunTable
from worktrial.results.tables.source import RunSource
from worktrial.terminal import rate_cells


def export_records(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> int:
    """Write the last record of every sample, with the name of its run before its own fields.

    Returns:
        How many lines there are.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    count = 0
    encoder = msgspec.json.Encoder()
    with new_file(out, force=force) as file:
        for source in sources:
            for record in source.records():
                file.write(encoder.encode({"run": source.name, **msgspec.structs.asdict(record)}) + b"\n")
                count += 1
    return count


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


_CORRECTED = ("of valid, without the judge's errors", "by")


@dataclass(slots=True)
class _Sum:
    """Sums over the samples of one condition."""

    tally: OutcomeTally = field(default_factory=OutcomeTally)
    cost: float | None = 0.0
    seconds: float | None = 0.0

    def add(self, record: SampleRecord, cost: float | None, seconds: float | None) -> None:
        self.tally.add(record)
        self.cost = None if self.cost is None or cost is None else self.cost + cost
        self.seconds = None if self.seconds is None or seconds is None else self.seconds + seconds


Correct = Callable[[RunSource], JudgeCorrection]
"""A run's rate without the errors of its judge."""


def export_summary(
    sources: Sequence[RunSource], out: Path, *, correct: Correct | None = None, force: bool = False
) -> int:
    """Write the summary; conditions are never mixed into one rate.

    Args:
        sources: The runs.
        out: The file.
        correct: Adds columns with the corrected rate of each run.
        force: Replace what is there.

    Returns:
        How many rows there are.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    rows = [row for source in sources for row in _summary_rows(source, correct)]
    headers = _HEADERS if correct is None else (*_HEADERS, *_CORRECTED)
    with new_file(out, force=force) as file:
        for line in markdown_table(headers, rows, frozenset(range(4, len(_HEADERS)))):
            file.write(f"{line}\n".encode(errors="replace"))
    return len(rows)


def _corrected_cells(found: JudgeCorrection, condition: str) -> list[str]:
    """Cells of the corrected rate, in the row of the condition that it is about."""
    if found.condition != condition:
        return ["", ""]
    if found.found is None:
        return [f"not corrected: {found.why_not}", ""]
    low, high = found.found.interval
    return [f"{found.found.value:.1%} ({low:.1%} - {high:.1%})", found.basis]


def _summary_rows(source: RunSource, correct: Correct | None) -> Iterator[list[str]]:
    corrected = None if correct is None else correct(source)
    sums: dict[str, _Sum] = {}
    firsts: dict[str, SampleRecord] = {}
    cost_of, seconds_of = (quantity_in(source, name) for name in ("cost", "seconds"))
    for record in source.records():
        sums.setdefault(record.condition, _Sum()).add(record, cost_of(record), seconds_of(record))
        firsts.setdefault(record.condition, record)
    who = [source.name, source.manifest.suite, agent_of(source.manifest) or ""]
    for condition in by_condition(firsts.values()):
        added = sums[condition]
        done = completion_of(added.tally)
        n = done.counts.of_all.n
        yield [
            *who,
            condition,
            f"{done.counts.passed}/{n}",
            *rate_cells(done.of_all),
            str(done.counts.invalid),
            "none" if done.of_valid is None else f"{done.of_valid.value:.1%}",
            "unknown" if added.cost is None else f"${added.cost / n:.4f}",
            "unknown" if added.seconds is None else f"{added.seconds / n:.1f}",
            *([] if corrected is None else _corrected_cells(corrected, condition)),
        ]


class TableForm(StrEnum):
    """A form of file that holds one table."""

    CSV = "csv"
    PARQUET = "parquet"


def export_tables(
    tables: Sequence[RunTable], sources: Sequence[RunSource], form: TableForm, out: Path, *, force: bool = False
) -> dict[str, int]:
    """Write one file for each table into the folder `out`.

    Returns:
        Table to its number of rows.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    counts = {}
    with new_folder(out, force=force) as folder:
        for table in tables:
            with (folder / f"{table.name}.{form}").open("wb") as file:
                counts[table.name] = _write(table, sources, form, file)
    return counts


def export_table(
    table: RunTable, sources: Sequence[RunSource], form: TableForm, out: Path, *, force: bool = False
) -> int:
    """Write one table into the file `out`.

    Returns:
        Its number of rows.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    with new_file(out, force=force) as file:
        return _write(table, sources, form, file)


def _write(table: RunTable, sources: Sequence[RunSource], form: TableForm, file: IO[bytes]) -> int:
    if form is TableForm.CSV:
        columns = [column.name for column in table.columns]
        types = [column.kind.value for column in table.columns]
        return write_rows(
            RowForm.CSV,
            columns,
            types,
            values(table, sources),
            lambda text: file.write(text.encode(errors="replace")),
        )
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(file, schema_of(table), compression="zstd") as writer:
        for batch in batches(table, sources):
            writer.write_batch(batch)
            count += batch.num_rows
    return count
