"""`worktrial report RUN…`: stored runs as a site to look at."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.cli.places import local_output, run_folder
from worktrial.engine.notices import say

if TYPE_CHECKING:
    from worktrial.reports.report import Report


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Folders or addresses of runs and audits.",
            metavar="RUN...",
            parser=run_folder,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder for the report.",
            metavar="DIR",
            parser=local_output,
        ),
    ] = Path("report"),
    title: Annotated[str, typer.Option(help="Heading of the report.")] = "Work trial",
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Replace a folder that is no report, too; what it holds is kept beside it, numbered."
        ),
    ] = False,
) -> None:
    """Make a report of stored runs: a folder of static pages that need no server and no network.

    An older report in the folder is replaced once the new one is whole.

    Example: worktrial report runs/first runs/second -o report/
    """
    from datetime import datetime

    from worktrial.errors import option
    from worktrial.reports.report import open_report
    from worktrial.reports.site import write_site

    opened = open_report(runs, title)
    for line in (*opened.passed_over, *opened.left_out):
        say(line, err=True)
    try:
        with _display(opened) as progress:
            # With the zone of whoever makes it.
            site = write_site(opened, output, progress, made=datetime.now().astimezone(), force=force)
    except KeyboardInterrupt:
        say(f"Interrupted: no report was written, and {output} is as it was.", err=True)
        raise typer.Exit(130) from None
    say(f"The report is written. Open {site.first_page}")
    if site.kept is not None:
        say(f"{option('force')}: what {output} held is kept in {site.kept}", err=True)
    if opened.left_out:
        raise typer.Exit(3)


@contextmanager
def _display(report: "Report") -> "Iterator[Callable[[str, int], None] | None]":
    """Show progress on standard error: a bar on a terminal, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from worktrial.language.untrusted import printable
    from worktrial.terminal import SafeConsole

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=SafeConsole(stderr=True), transient=True) as bars:
        total = sum(len(run.run.records) for run in report.runs)
        task = bars.add_task("reading", total=total)

        def tell(what: str, samples: int) -> None:
            bars.update(task, description=printable(what)[:40], advance=samples)

        yield tell
