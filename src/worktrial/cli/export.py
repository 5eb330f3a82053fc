"""`worktrial export RUN…`: stored runs as files for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from worktrial.cli.options import takes
from worktrial.cli.places import output_to, run_at
from worktrial.engine.notices import say
from worktrial.errors import SettingError
from worktrial.options import Flag, Names, Options

if TYPE_CHECKING:
    from worktrial.results.corrections import JudgeCorrection
    from worktrial.results.exports.runs import Correct
    from worktrial.results.tables import RunSource


class ExportForm(StrEnum):
    """Formats that every run has."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


_BY_ENDING = {f".{form}": form for form in ExportForm} | {".md": ExportForm.MARKDOWN}


class ExportOptions(Options):
    """Format of an export, and what only some formats take."""

    format: Annotated[str | None, Flag(metavar="FORMAT")] = None
    """csv, parquet, jsonl, markdown; of other programs atif, harbor, inspect. Default: as the ending of OUT
    says."""
    table: Annotated[Names, Flag(metavar="NAME")] = Field([])
    """csv, parquet: only these tables; comma-separated or repeated. Default: all into a folder, samples into a
    file."""
    judge_audit: Annotated[Path | None, Flag(metavar="AUDIT")] = None
    """markdown: audit of the runs' judge; adds each rate corrected for its errors."""
    labels: Annotated[Path | None, Flag(metavar="FILE")] = None
    """markdown, of one run: CSV of people's verdicts (sample, label) on some samples drawn at random, or the
    labels.jsonl beside the run; adds the corrected rate."""
    force: Annotated[bool, Flag()] = False
    """Replace files that are there."""


@takes(lambda: ExportOptions)
def export(
    runs: Annotated[list[Path], run_at("Folders or addresses of runs, or folders that hold some.", "RUN...")],
    output: Annotated[
        Path,
        output_to(
            "csv and parquet: a folder, for a file of each table; or a file, for one table. jsonl and "
            "markdown: a file. Other formats: a folder.",
            "OUT",
        ),
    ],
    **given: Any,
) -> None:
    """Write runs as csv, parquet, jsonl, markdown, or in a format of other programs.

    Example: worktrial export runs/first --format parquet -o first-tables

    Example: worktrial export runs/first runs/second -o summary.md
    """
    from worktrial.interop.exchange import FORMATS, writer
    from worktrial.results.exports import export_records, export_summary
    from worktrial.results.tables import find_runs, sources

    asked = ExportOptions.read(given, suite="export")
    force, chosen = asked.force, asked.format or _BY_ENDING.get(output.suffix.lower())
    known = [*ExportForm, *FORMATS]
    if chosen is None:
        said = f"its ending names no format; name one of {', '.join(known)} with --format"
        raise SettingError(f"-o {output}: {said}")
    if chosen not in known:
        raise SettingError(f"--format {chosen}: there is {', '.join(known)}")
    found = sources(find_runs(runs))
    correct = _correct(asked.judge_audit, asked.labels, len(found))
    if correct is not None and chosen != ExportForm.MARKDOWN:
        raise SettingError(f"--judge-audit, --labels: are for markdown, not for {chosen}")
    if chosen in (ExportForm.CSV, ExportForm.PARQUET):
        _tables(found, ExportForm(chosen), output, asked.table, force)
        return
    if asked.table:
        raise SettingError(f"--table: is for csv and parquet, not for {chosen}")
    if chosen == ExportForm.JSONL:
        _say(f"{export_records(found, output, force=force):,} records", output)
    elif chosen == ExportForm.MARKDOWN:
        _say(f"{export_summary(found, output, correct=correct, force=force):,} rows", output)
    else:
        done = writer(chosen)(found, output, force=force)
        _say(f"{done.written:,} samples", output)
        for what in done.lost:
            say(what, err=True)


def _correct(audit: Path | None, labels: Path | None, runs: int) -> "Correct | None":
    """Function from a run to its corrected rate; None where nothing is named that tells of the judge's errors.

    Raises:
        SettingError: two sources are named, or labels for several runs.
        DataError: the labels cannot be read, or the audit is none.
    """
    from worktrial.audits.corrected import corrected_by_audit, corrected_by_labels, labels_of, open_audit
    from worktrial.engine.stored import open_run

    if audit is not None and labels is not None:
        raise SettingError("--judge-audit, --labels: a column holds one corrected rate; give one of the two")
    if audit is not None:
        opened = open_audit(audit)
        return lambda source: corrected_by_audit(open_run(source.folder), opened)
    if labels is None:
        return None
    if runs > 1:
        raise SettingError(f"--labels {labels}: labels are of the samples of one run; {runs} are named")

    def corrected(source: "RunSource") -> "JudgeCorrection":
        run = open_run(source.folder)
        return corrected_by_labels(run, labels_of(run, labels))

    return corrected


def _tables(found: "list[RunSource]", form: ExportForm, output: Path, names: list[str], force: bool) -> None:
    from worktrial.results.exports import TableForm, export_table, export_tables
    from worktrial.results.tables import TABLES, chosen

    into_file = output.suffix.lower() == f".{form}"
    tables = chosen(names or (["samples"] if into_file else TABLES))
    if not into_file:
        counts = export_tables(tables, found, TableForm(form), output, force=force)
        _say(", ".join(f"{name} {count:,}" for name, count in counts.items()), output)
    elif len(tables) > 1:
        raise SettingError(f"-o {output}: a file holds one table; name one with --table, or a folder with -o")
    else:
        _say(f"{export_table(tables[0], found, TableForm(form), output, force=force):,} rows", output)


def _say(what: str, output: Path) -> None:
    say(f"{what} -> {output}", err=True)
