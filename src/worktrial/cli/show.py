"""`worktrial show RUN`: a stored run in one screen."""

from pathlib import Path
from typing import Annotated

import typer


def show(run: Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")]) -> None:
    """Show a stored run: completion rate with its interval, per industry and difficulty, tokens, cost.

    Works on a run that is still going on, and on an audit, too.

    Example: worktrial show runs/first
    """
    from worktrial.cli.tables import print_summary
    from worktrial.results.stored import open_run

    stored = open_run(run)
    if stored.manifest.suite.startswith("audit-"):
        from worktrial.cli.audit import print_audits

        print_audits([run])
    else:
        print_summary(stored)
