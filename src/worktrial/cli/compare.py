"""`worktrial compare A B`: two runs of the same trial, side by side."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.errors import SettingError

if TYPE_CHECKING:  # reading runs is not for --help
    from worktrial.results.comparison import Comparison


def compare(
    first: Annotated[Path, typer.Argument(help="Folder of the one run, for instance the baseline.", metavar="A")],
    second: Annotated[Path, typer.Argument(help="Folder of the other; differences are B minus A.", metavar="B")],
    condition: Annotated[
        str | None, typer.Option(help="Say the verdict about this fault condition. Default: E0, or their first.")
    ] = None,
    level: Annotated[
        float, typer.Option(help="A difference is significant below this p value; intervals fit to it.")
    ] = 0.05,
    all_flips: Annotated[bool, typer.Option("--all", help="Show every task that was gained or lost.")] = False,
    anyway: Annotated[
        bool, typer.Option(help="Compare runs that are not comparable, too; the page says what differs.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare two runs task by task: effect with its interval, significance, tasks gained and lost, cost, time.

    Samples are paired by task, repeat and condition; those without two verdicts are left out and counted. The p
    value is of McNemar's exact test over tasks, with repeats of a permutation test; where tasks share scenarios, of
    a permutation test over these, if that is larger.

    Example: worktrial compare runs/before runs/after
    """
    from worktrial.engine.stored import open_run
    from worktrial.results.comparison import compare_runs

    check_level(level)
    runs = open_run(first), open_run(second)
    found = compare_runs(*runs, confidence=1 - level, condition=condition)
    if not anyway:
        refuse_unfair(found)
    refuse_nothing_shared(found, condition)
    from worktrial.cli.compare_page import comparison_json, names_of, print_comparison

    if as_json:
        typer.echo(comparison_json(found, names_of(*runs), level))
    else:
        print_comparison(found, names_of(*runs), level=level, every_flip=all_flips)


def check_level(level: float) -> None:
    """Refuse a level of significance that is none.

    Raises:
        SettingError: it is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise SettingError(f"--level {level:g}: a level lies between 0 and 1, such as 0.05")


def refuse_nothing_shared(found: "Comparison", condition: str | None) -> None:
    """Refuse runs without a common sample.

    Raises:
        SettingError: there is none, or none of `condition`.
    """
    shared = [one.condition for one in found.conditions]
    if not shared:
        raise SettingError(f"{found.first} and {found.second} have no sample in common: task, repeat and condition")
    if condition is not None and condition not in shared:
        raise SettingError(f"--condition {condition}: both runs have {', '.join(shared)}")


def refuse_unfair(found: "Comparison") -> None:
    """Refuse runs in which more than the agents differs.

    Raises:
        SettingError: something else differs, too.
    """
    if not found.is_fair:
        from worktrial.results.comparison import unfair_lines

        listed = "\n".join(f"  {line}" for line in unfair_lines(found))
        raise SettingError(
            f"{found.first} and {found.second} are not comparable:\n{listed}\n--anyway goes on in spite of that"
        )
