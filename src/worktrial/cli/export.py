"""`worktrial export RUN…`: stored runs as files for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.errors import SettingError

if TYPE_CHECKING:
    from worktrial.results.tables import RunSource


class ExportForm(StrEnum):
    """What `--format` knows."""

    CSV = "csv"
    PARQUET = "parquet"
    JSONL = "jsonl"
    OCCUBENCH = "occubench"
    MARKDOWN = "markdown"


_BY_ENDING = {
    ".csv": ExportForm.CSV,
    ".parquet": ExportForm.PARQUET,
    ".jsonl": ExportForm.JSONL,
    ".md": ExportForm.MARKDOWN,
}


def export(
    runs: Annotated[
        list[Path], typer.Argument(help="Folders of runs, or folders that hold some.", metavar="RUN...")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="csv and parquet: a folder, for a file of each table; or a file, for one table. occubench: a "
            "folder, or a .jsonl file. jsonl and markdown: a file.",
            metavar="OUT",
        ),
    ],
    form: Annotated[
        ExportForm | None, typer.Option("--format", help="Default: as the ending of OUT says.", show_default=False)
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="csv, parquet: only these tables; comma-separated or repeated. Default: all into a folder, "
            "samples into a file.",
            metavar="NAME",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Write runs as csv, parquet, jsonl, markdown, or in the result format of the published OccuBench harness.

    Example: worktrial export runs/first --format parquet -o first-tables

    Example: worktrial export runs/first runs/second -o summary.md
    """
    from worktrial.results.exports import export_occubench, export_records, export_summary
    from worktrial.results.tables import find_runs, sources

    chosen_form = form or _BY_ENDING.get(output.suffix.lower())
    if chosen_form is None:
        raise SettingError(
            f"-o {output}: its ending names no format; name one of {', '.join(ExportForm)} with --format"
        )
    found = sources(find_runs(runs))
    if chosen_form in (ExportForm.CSV, ExportForm.PARQUET):
        _tables(found, chosen_form, output, [name for words in table or () for name in words.split(",")], force)
        return
    if table:
        raise SettingError(f"--table: is for csv and parquet, not for {chosen_form}")
    if chosen_form is ExportForm.OCCUBENCH:
        done = export_occubench(found, output, force=force)
        _say(f"{done.written:,} samples", output)
        if done.invalid:
            typer.echo(f"{done.invalid:,} invalid samples have no verdict and are left out.", err=True)
    elif chosen_form is ExportForm.JSONL:
        _say(f"{export_records(found, output, force=force):,} records", output)
    else:
        _say(f"{export_summary(found, output, force=force):,} rows", output)


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
    typer.echo(f"{what} -> {output}", err=True)
