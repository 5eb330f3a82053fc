"""`worktrial data check DIR`: is this folder fit to run?"""

from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.lazy import CommandRow, fixed_group
from worktrial.cli.places import Trust
from worktrial.engine.notices import say
from worktrial.errors import DataError

app = fixed_group(
    "data",
    "Look at a suite's data.",
    {"check": CommandRow("Report what in a data folder cannot be used.", "data:check")},
)


def check(
    folder: Annotated[Path, typer.Argument(help="Folder of the data.", metavar="DIR")],
    trust: Trust = False,
) -> None:
    """Read everything in a data folder and report what cannot be used.

    Knows the data of every suite that is installed, and folders of one's own. Exits with 1 when something would
    make a sample invalid, with 2 when nothing could run.

    Example: worktrial data check ./my-suite
    """
    from worktrial.suite import find_suite, suites

    if not folder.is_dir():
        raise DataError(folder, "no such folder", "Check the path")
    owners = (s for s in suites.all() if s.data_file is not None and (folder / s.data_file).exists())
    suite = next(owners, None)
    given: dict[str, Any] = {"data": folder}
    if suite is None:
        suite, given = find_suite(folder.resolve()), {}
    if trust:
        given["trust"] = True
    report = suite.data_report(suite.data.read(given, suite=f"the suite {suite.name}", needs=suite.needs))
    say(f"{folder}: {report.tasks} tasks, {report.scenarios} scenarios, {report.workplaces} workplaces")
    say(f"fingerprint {report.fingerprint}")
    for name, count in report.categories.items():
        say(f"  {count:>4}  {name}")
    for note in report.notes:
        say(f"note: {note}")
    for problem in report.problems:
        say(f"problem: {problem}", err=True)
    if report.problems:
        say(f"{len(report.problems)} problems", err=True)
        raise typer.Exit(1)
    say("fit to run")
