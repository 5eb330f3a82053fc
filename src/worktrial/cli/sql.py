"""`worktrial sql "select …"`: questions to stored runs."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.errors import DataError, SettingError

if TYPE_CHECKING:
    from worktrial.results.tables import Answer


class SqlForm(StrEnum):
    """What `--format` knows."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    JSONL = "jsonl"
    MARKDOWN = "markdown"


_BY_ENDING = {
    ".csv": SqlForm.CSV,
    ".json": SqlForm.JSON,
    ".jsonl": SqlForm.JSONL,
    ".md": SqlForm.MARKDOWN,
    ".txt": SqlForm.TABLE,
}
_RUNS = Path("runs")


def sql(
    query: Annotated[str | None, typer.Argument(help="One SELECT, in DuckDB's SQL.", metavar="SQL")] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders of runs, or folders that hold some. Default: every run below runs/.", metavar="RUN..."
        ),
    ] = None,
    form: Annotated[
        SqlForm | None,
        typer.Option("--format", help="Default: as the ending of -o says, else table.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to a file, whole.", metavar="FILE")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that is there.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="List the tables and their columns, and end.")] = False,
) -> None:
    """Ask stored runs a question in SQL. Runs are only read.

    Example: worktrial sql "select run, condition, avg(passed::int) from samples group by all"

    Example: worktrial sql "select tool, count(*) as n from calls group by all order by n desc" runs/first
    """
    if schema:
        from worktrial.cli.sql_table import print_schema

        print_schema(query)
        return
    if query is None:
        raise SettingError("sql: no query; give one SELECT, or see what there is with `worktrial sql --schema`")
    if not runs and not _RUNS.is_dir():
        raise DataError(_RUNS, "no such folder here", "Name the folders of runs after the query")
    from worktrial.results.tables import RunTables

    chosen = form or (_BY_ENDING.get(output.suffix.lower(), SqlForm.TABLE) if output else SqlForm.TABLE)
    with RunTables(runs or [_RUNS]) as tables:
        answer = tables.select(query)
        if output is None:
            _print(answer, chosen)
        else:
            _write(answer, chosen, output, force)


def _print(answer: "Answer", form: SqlForm) -> None:
    import sys

    from worktrial.cli.untrusted import printable

    if form is SqlForm.TABLE:
        from worktrial.cli.sql_table import print_answer

        print_answer(answer)
    elif sys.stdout.isatty():
        _rows(answer, form, lambda text: sys.stdout.write(printable(text)))
    else:
        # For another program: exactly as it is.
        _rows(answer, form, sys.stdout.write)


def _write(answer: "Answer", form: SqlForm, output: Path, force: bool) -> None:
    from worktrial.results.exports.files import new_file

    with new_file(output, force=force) as file:
        if form is SqlForm.TABLE:
            from worktrial.cli.sql_table import print_answer

            print_answer(answer, lambda text: file.write(text.encode(errors="replace")))
            return
        count = _rows(answer, form, lambda text: file.write(text.encode(errors="replace")))
    typer.echo(f"{count:,} rows -> {output}", err=True)


def _rows(answer: "Answer", form: SqlForm, write: Callable[[str], object]) -> int:
    from worktrial.results.exports import RowForm, write_rows

    return write_rows(RowForm(form), answer.columns, answer.types, answer.rows, write)
