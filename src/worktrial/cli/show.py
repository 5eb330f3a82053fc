"""`worktrial show RUN`: a stored run in one screen."""

from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.options import beside_of_any, takes
from worktrial.errors import SettingError
from worktrial.options import Options


@takes(beside_of_any)
def show(
    run: Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")],
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    **given: Any,
) -> None:
    """Show a stored run: completion rate with its interval, per industry and difficulty, tokens, cost.

    Works on a run that is still going on, and on an audit, too.

    Example: worktrial show runs/first
    """
    from worktrial.cli.audit import print_audits
    from worktrial.cli.summary import print_summary
    from worktrial.engine.stored import open_run
    from worktrial.suite import audits, suite_of

    stored = open_run(run)
    if stored.manifest.suite in audits.names:
        if as_json:
            raise SettingError(f"--json: {run} holds an audit, whose figures have no JSON; show it without")
        print_audits([run])
        return
    suite = suite_of(stored.manifest.suite)
    beside = Options if suite is None else suite.beside
    if as_json:
        from worktrial.results.machine import show_output
        from worktrial.results.summary import summarise

        typer.echo(show_output(stored, summarise(stored)).text())
        return
    print_summary(stored, beside=beside.read(given, suite=f"the suite {stored.manifest.suite}"))
