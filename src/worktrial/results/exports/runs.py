"""Runs as files: their records, a summary for people, their tables."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import IO

import msgspec

from worktrial.engine.stored import agent_of
from worktrial.errors import DataError
from worktrial.results.corrections import JudgeCorrection
from worktrial.results.exports.files import new_file, new_folder
from worktrial.results.exports.rows import RowForm, markdown_table, write_rows
from worktrial.results.shown import tally_shown
from worktrial.results.tables.database import RunTables
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
    "cost per task",
    "seconds per task",
)
_RATES = ("completion", "completion_of_valid", "invalid")


_CORRECTED = ("of valid, without the judge's errors", "by")


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
    figures = tally_shown(source.folder).figures()
    who = [source.name, source.manifest.suite, agent_of(source.manifest) or ""]
    for condition in figures.conditions:
        done, valid, invalid = (figures.get(name, condition) for name in _RATES)
        cost, seconds = (figures.get(name, condition).value for name in ("cost_per_task", "seconds"))
        yield [
            *who,
            condition,
            f"{done.hits}/{done.n}",
            *rate_cells(done),
            str(invalid.hits),
            "none" if valid.value is None else f"{valid.value:.1%}",
            "unknown" if cost is None else f"${cost:.4f}",
            "unknown" if seconds is None else f"{seconds:.1f}",
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
    with new_folder(out, force=force) as folder, RunTables([source.folder for source in sources]) as found:
        for table in tables:
            with (folder / f"{table.name}.{form}").open("wb") as file:
                counts[table.name] = _write(found, table, form, file)
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
    with new_file(out, force=force) as file, RunTables([source.folder for source in sources]) as found:
        return _write(found, table, form, file)


def _write(found: RunTables, table: RunTable, form: TableForm, file: IO[bytes]) -> int:
    if form is TableForm.CSV:
        rows = found.rows_of(table.name)
        count = write_rows(
            RowForm.CSV, rows.columns, rows.types, rows.rows, lambda text: file.write(text.encode(errors="replace"))
        )
    else:
        count = found.write_parquet(table.name, file)
    if found.left_out:
        raise DataError("a run", found.left_out[0], "Export the others alone")
    return count
