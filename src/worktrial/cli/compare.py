"""`worktrial compare A B`: two runs of the same trial, side by side."""

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.options import takes
from worktrial.cli.places import AsJson, run_at
from worktrial.engine.notices import say_json
from worktrial.errors import SettingError
from worktrial.options import Flag, Options
from worktrial.statistics import MARGIN, check_margin


class CompareOptions(Options):
    """How two runs are compared, and what is shown of it."""

    condition: Annotated[str | None, Flag()] = None
    """Conclude about this fault condition alone. Default: about all."""
    margin: Annotated[float, Flag(metavar="POINTS")] = 100 * MARGIN
    """Shortfall in points that does not matter: within it B is as good."""
    level: Annotated[float, Flag()] = 0.05
    """A difference is significant below this p value; intervals fit to it."""
    all: Annotated[bool, Flag()] = False
    """Show every task that was gained or lost."""
    force: Annotated[bool, Flag()] = False
    """Compare runs that are not comparable, too; the output says what differs."""


@takes(lambda: CompareOptions)
def compare(
    first: Annotated[
        Path, run_at("Folder or address of the one run, for instance the baseline.", "A", records=True)
    ],
    second: Annotated[
        Path, run_at("Folder or address of the other; differences are B minus A.", "B", records=True)
    ],
    more: Annotated[list[Path] | None, typer.Argument(hidden=True)] = None,
    as_json: AsJson = False,
    **given: Any,
) -> None:
    """Compare two runs task by task: effect with its interval, significance, tasks gained and lost, cost, time.

    Samples are paired by task, repeat and condition; those without two verdicts are left out and counted. Two
    questions are answered apart: how B does on these tasks, where only the tries are chance, and on work like this,
    where tasks and their scenarios are drawn as well. Test and interval are Tango's for paired rates.

    Example: worktrial compare runs/before runs/after
    """
    from worktrial.cli.compare_page import print_comparison
    from worktrial.engine.stored import open_run
    from worktrial.results.comparison import compare_runs
    from worktrial.results.conclusion import is_reference, names_of
    from worktrial.results.contradictions import refuse_contradictions

    if more:
        folders = shlex.join(str(folder) for folder in (first, second, *more))
        raise SettingError(f"compare takes two runs; more stand side by side in: worktrial report {folders}")
    asked = CompareOptions.read(given, suite="compare")
    check_level(asked.level)
    share = margin_of(asked.margin)
    runs = open_run(first, grounds=False), open_run(second, grounds=False)
    for run in runs:
        refuse_contradictions(run.folder)
    found = compare_runs(*runs, confidence=1 - asked.level, condition=asked.condition, margin=share)
    if not asked.force:
        found.check_fair()
    found.check_shared(asked.condition)

    one, other = names_of(runs)
    names, references = (one.name, other.name), (is_reference(runs[0]), is_reference(runs[1]))
    if as_json:
        from worktrial.results.machine import compare_output

        say_json(compare_output(found, names, references, level=asked.level, margin=share).text())
    else:
        print_comparison(found, names, references, level=asked.level, every_flip=asked.all)


def check_level(level: float) -> None:
    """Refuse a level of significance that is none.

    Raises:
        SettingError: it is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise SettingError(f"--level {level:g}: a level lies between 0 and 1, such as 0.05")


def margin_of(points: float) -> float:
    """A margin in points as a share.

    Raises:
        SettingError: it is none.
    """
    try:
        check_margin(points / 100)
    except ValueError:
        raise SettingError(f"--margin {points:g}: a margin lies between 0 and 100 points, such as 5") from None
    return points / 100
