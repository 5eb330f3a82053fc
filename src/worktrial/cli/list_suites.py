"""`worktrial list`: what can be run."""

from pathlib import Path
from typing import Annotated

import typer


def list_suites(
    suite: Annotated[
        str | None,
        typer.Argument(help="Show this suite's tasks; a name, or the folder of your own.", metavar="[SUITE]"),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="Folder of the suite's data, where it needs one; for documents, a file of questions."),
    ] = None,
) -> None:
    """List the suites, or the tasks of one.

    Example: worktrial list occupations --data occubench
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from worktrial.cli.own_suite import RUNS_AS, own_data, own_suite
    from worktrial.cli.untrusted import printable
    from worktrial.suites.catalogue import SUITES, tasks_of

    console = Console(highlight=False)
    if suite is None:
        table = Table("suite", "what it is", "needs")
        for known in SUITES:
            table.add_row(known.name, known.about, known.needs)
        table.add_row(
            "./FOLDER", "your own, as `worktrial synthesize` makes them", "a simulator model, a judge model"
        )
        console.print(table)
        return
    table = Table("id", "difficulty", "category", "scenario")
    if all(suite != known.name for known in SUITES) and (folder := own_suite(suite)) is not None:
        suite, data = RUNS_AS, own_data(folder, data)
    rows = tasks_of(suite, data)
    for row in rows:
        table.add_row(row.id, row.difficulty, *(escape(printable(s)) for s in (row.category, row.scenario)))
    console.print(table)
    console.print(f"{len(rows)} tasks")
