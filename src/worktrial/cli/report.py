"""`worktrial report RUN…`: stored runs as a site to look at."""

from pathlib import Path
from typing import Annotated

import typer

from worktrial.cli.places import output_to, run_at
from worktrial.engine.notices import say


def report(
    runs: Annotated[list[Path], run_at("Folders or addresses of runs and audits.", "RUN...")],
    output: Annotated[Path, output_to("Folder for the report.", "DIR")] = Path("report"),
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

    from worktrial.cli.progress import counting
    from worktrial.errors import option
    from worktrial.reports.report import open_report
    from worktrial.reports.site import write_site

    opened = open_report(runs, title)
    for line in (*opened.passed_over, *opened.left_out):
        say(line, err=True)
    try:
        total = sum(len(run.run.records) for run in opened.runs)
        with counting(total, what="reading") as progress:
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
