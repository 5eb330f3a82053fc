"""`worktrial show RUN`: a stored run in one screen."""

from pathlib import Path
from typing import Annotated

import typer


def show(
    run: Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")],
    compare_published: Annotated[
        bool, typer.Option(help="Show figures that others published beside the run's (orchestration).")
    ] = False,
    turns_run: Annotated[
        Path | None,
        typer.Option(
            help="A turn-by-turn run of the same team, for the cascade gap (orchestration).", metavar="RUN"
        ),
    ] = None,
    stage_run: Annotated[
        list[Path] | None,
        typer.Option(
            help="A run of the same agent under another set-up; repeat it: where the agent loses (documents).",
            metavar="RUN",
        ),
    ] = None,
    split_run: Annotated[
        list[Path] | None,
        typer.Option(
            help="Give it twice: questions that both of these runs solved are easy, the others hard (documents).",
            metavar="RUN",
        ),
    ] = None,
    closed_run: Annotated[
        Path | None,
        typer.Option(help="A closed-book run: which questions a model knows by heart (documents).", metavar="RUN"),
    ] = None,
) -> None:
    """Show a stored run: completion rate with its interval, per industry and difficulty, tokens, cost.

    Works on a run that is still going on, and on an audit, too.

    Example: worktrial show runs/first
    """
    from worktrial.cli.tables import Beside, print_summary
    from worktrial.engine.stored import open_run

    stored = open_run(run)
    if stored.manifest.suite.startswith("audit-"):
        from worktrial.cli.audit import print_audits

        print_audits([run])
    else:
        print_summary(
            stored,
            beside=Beside(
                compare_published,
                None if turns_run is None else open_run(turns_run),
                tuple(open_run(folder) for folder in stage_run or ()),
                tuple(open_run(folder) for folder in split_run or ()),
                None if closed_run is None else open_run(closed_run),
            ),
        )
