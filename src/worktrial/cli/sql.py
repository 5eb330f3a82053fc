"""`worktrial sql "select …"`: questions to stored runs."""

import io
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from worktrial.cli.places import run_folder
from worktrial.engine.notices import say
from worktrial.errors import DataError, SettingError
from worktrial.language.untrusted import printable
from worktrial.results.exports.rows import text_value
from worktrial.terminal import SafeConsole

if TYPE_CHECKING:
    from worktrial.results.tables import Answer


class SqlForm(StrEnum):
    """Values of `--format`."""

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
            help="Folders or addresses of runs, or folders that hold some. Default: every run below runs/.",
            metavar="RUN...",
            parser=run_folder,
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
        for line in tables.left_out:
            say(line, err=True)
        if tables.left_out:
            raise typer.Exit(3)


def _print(answer: "Answer", form: SqlForm) -> None:
    if form is SqlForm.TABLE:
        print_answer(answer)
    elif sys.stdout.isatty():
        _rows(answer, form, lambda text: say(text, end=""))
    else:
        # For another program: exactly as it is.
        _rows(answer, form, sys.stdout.write)


def _write(answer: "Answer", form: SqlForm, output: Path, force: bool) -> None:
    from worktrial.results.exports.files import new_file

    with new_file(output, force=force) as file:
        if form is SqlForm.TABLE:
            print_answer(answer, lambda text: file.write(text.encode(errors="replace")))
            return
        count = _rows(answer, form, lambda text: file.write(text.encode(errors="replace")))
    say(f"{count:,} rows -> {output}", err=True)


def _rows(answer: "Answer", form: SqlForm, write: Callable[[str], object]) -> int:
    from worktrial.results.exports import RowForm, write_rows

    return write_rows(RowForm(form), answer.columns, answer.types, answer.rows, write)


_ROWS = 100
_WIDEST = 48
_EDGE = 3  # columns of the terminal for each column of the table: its line, a blank on either side
_WHOLE = " Everything is written with --format csv, or -o FILE."


def print_answer(answer: "Answer", write: Callable[[str], object] | None = None) -> None:
    """Print an answer; on a terminal as much as is readable, with a note of what is missing.

    Args:
        answer: Of a query.
        write: Takes the table instead of the screen, uncut.
    """
    console = SafeConsole()
    cut = write is None and console.is_terminal
    types = answer.types
    taken = list(islice(answer.rows, _ROWS)) if cut else answer.rows
    rows = [[printable(text_value(value)) for value in row] for row in taken]
    more = cut and next(iter(answer.rows), None) is not None
    shortened = 0
    if cut:
        rows, shortened = _short(rows)
    headers = [printable(name) for name in answer.columns]
    widths = [_width(n, headers, rows) for n in range(len(headers))]
    fitting = _fitting(widths, console.width) if cut else len(headers)
    table = Table(show_lines=False)
    for header, kind in zip(headers[:fitting], types, strict=False):
        right = kind.startswith(("BIGINT", "INTEGER", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL"))
        table.add_column(Text(header), justify="right" if right else "left", overflow="fold", no_wrap=cut)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row[:fitting]))
    if cut:
        console.print(table)
    else:
        text = io.StringIO()
        wide = sum(widths) + _EDGE * len(widths) + 1
        SafeConsole(file=text, width=max(wide, 20), color_system=None).print(table)
        (write or _echo)(text.getvalue())
    for note in _notes(len(rows) if more else 0, headers[fitting:], shortened):
        say(note, err=True)


def _echo(text: str) -> None:
    say(text, end="")


def _short(rows: list[list[str]]) -> tuple[list[list[str]], int]:
    """Cells on one line and not too wide, and how many had to be cut for that."""
    cut = 0
    found = []
    for row in rows:
        cells = []
        for cell in row:
            line = " ".join(cell.split())
            if len(line) > _WIDEST:
                cut += 1
                line = f"{line[: _WIDEST - 1]}…"
            cells.append(line)
        found.append(cells)
    return found, cut


def _width(column: int, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    cells = [headers[column], *(row[column] for row in rows)]
    return max(cell_len(line) for cell in cells for line in (cell.splitlines() or [""]))


def _fitting(widths: Sequence[int], room: int) -> int:
    """Count the columns that fit; at least one, which is folded when it alone is too wide."""
    taken = 1
    for count, width in enumerate(widths):
        taken += width + _EDGE
        if taken > room:
            return max(1, count)
    return len(widths)


def _notes(rows: int, hidden: Sequence[str], shortened: int) -> list[str]:
    notes = []
    if rows:
        notes.append(f"The first {rows} rows are shown; there are more.")
    if hidden:
        names = ", ".join(hidden[:8]) + (", …" if len(hidden) > 8 else "")
        notes.append(f"{len(hidden)} columns are not shown for want of room: {names}.")
    if shortened:
        notes.append(f"{shortened} cells are cut.")
    if notes:
        notes[-1] += _WHOLE
    return notes


def print_schema(only: str | None = None) -> None:
    """Print the tables with their columns.

    Args:
        only: One table.

    Raises:
        SettingError: there is no such table.
    """
    from worktrial.results.tables import TABLES

    if only is not None and only not in TABLES:
        raise SettingError(f"--schema: there is no table {only!r}; there are {', '.join(TABLES)}")
    console = SafeConsole()
    for table in TABLES.values():
        if only in (None, table.name):
            console.print(Text.assemble((table.name, "bold"), f": {table.meaning}"))
            shown = Table(show_header=False, box=None, padding=(0, 1, 0, 2))
            for column in table.columns:
                shown.add_row(column.name, column.kind, Text(column.meaning))
            console.print(shown)
