"""`worktrial data check DIR`: is this folder fit to run?"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Look at a suite's data.")


@app.command("check")
def check(
    folder: Annotated[Path, typer.Argument(help="Folder of the data.", metavar="DIR")],
) -> None:
    """Read everything in a data folder and report what cannot be used.

    Knows the OccuBench release: every task, scenario and workplace is loaded. Exits with 1 when
    something would make a sample invalid, with 2 when nothing could run.

    Example: worktrial data check occubench
    """
    from worktrial.suites.occupations.load import load_release
    from worktrial.suites.simulated.tasks import check_tasks

    report = check_tasks(load_release(folder))
    typer.echo(f"{folder}: {report.tasks} tasks, {report.scenarios} scenarios, {report.workplaces} workplaces")
    typer.echo(f"fingerprint {report.fingerprint}")
    for name, count in report.categories.items():
        typer.echo(f"  {count:>4}  {name}")
    for note in report.notes:
        typer.echo(f"note: {note}")
    for problem in report.problems:
        typer.echo(f"problem: {problem}", err=True)
    if report.problems:
        typer.echo(f"{len(report.problems)} problems", err=True)
        raise typer.Exit(1)
    typer.echo("fit to run")
