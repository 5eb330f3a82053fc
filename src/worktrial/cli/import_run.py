"""`worktrial import FILE…`: work that other programs wrote down, as a run."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from worktrial.cli.places import Force, output_to
from worktrial.engine.notices import say


def import_run(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Files in ATIF (.json), logs of Inspect (.eval), or folders that hold some; all of one run.",
            metavar="FILE...",
        ),
    ],
    output: Annotated[Path, output_to("Folder of the run that is made.", "RUN")],
    suite: Annotated[
        str | None,
        typer.Option(
            help="Suite whose tasks the work of another program is about, by their ids. Files that `worktrial "
            "export` wrote name theirs.",
            metavar="NAME",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Make a run of what other programs wrote down, to be shown, compared and judged again.

    Files that `worktrial export` wrote bring their verdicts. Work of other programs is invalid, with the reason
    unjudged, until `worktrial regrade` has judged it.

    Example: worktrial import trajectories -o runs/back
    """
    from worktrial.interop.exchange import imported_samples
    from worktrial.interop.exchange.imported import store_imported

    command = ("worktrial", *sys.argv[1:])
    count = store_imported(imported_samples(files, suite), output, command=command, force=force)
    say(f"{count:,} samples -> {output}", err=True)
