"""`worktrial trajectory RUN SAMPLE`: everything one sample did."""

from pathlib import Path
from typing import Annotated

import typer


def trajectory(
    run: Annotated[Path, typer.Argument(help="Folder of the run.", metavar="RUN")],
    sample: Annotated[str, typer.Argument(help="The task's id.", metavar="SAMPLE")],
    repeat: Annotated[int, typer.Option(help="Which repeat of it, from 0.", min=0)] = 0,
    condition: Annotated[str, typer.Option(help="Under which faults: E0, or what `show` lists.")] = "E0",
    as_json: Annotated[bool, typer.Option("--json", help="Print the stored record instead.")] = False,
) -> None:
    """Show one sample: the assignment, every call with what came back, the answer, the verdict and its votes.

    Example: worktrial trajectory runs/first 11
    """
    from worktrial.engine.stored import open_run
    from worktrial.engine.stored import trajectory as stored_trajectory

    stored = open_run(run)
    record = next((r for r in stored.records if r.key == (sample, repeat, condition)), None)
    line = stored_trajectory(run, sample, repeat, condition, record)
    if as_json:
        import msgspec

        from worktrial.cli.untrusted import printable_json

        typer.echo(printable_json(msgspec.json.format(msgspec.json.encode(line), indent=2).decode()))
        return
    from worktrial.cli.trajectory_page import print_team_trajectory, print_trajectory

    if stored.manifest.suite == "orchestration":
        from worktrial.suites.orchestration import suite

        print_team_trajectory(line, record, suite.trajectory(line, record))
    else:
        print_trajectory(line, record)
