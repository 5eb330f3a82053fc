"""`worktrial power`: how many tasks a trial needs, and what so many can show."""

from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.cli.options import TRUST_HELP
from worktrial.cli.places import records_folder
from worktrial.engine.notices import say_json
from worktrial.errors import SettingError

USUAL_RATE = 0.5
_FROM = "What is planned"
_ASSUMED = "What is assumed"
_SURE = "How sure"


def power(
    n: Annotated[
        int | None, typer.Option("--n", help="Tasks. Says what they can show.", min=1, rich_help_panel=_FROM)
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option(
            help="The difference in completion rate that you would not want to miss, as a share: 0.05 is five "
            "points. Says how many tasks it needs, and with --n how likely it is found.",
            min=0.0,
            max=1.0,
            rich_help_panel=_FROM,
        ),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option(
            help="Take the number of tasks from this suite; one that needs no data of yours.",
            metavar="SUITE",
            rich_help_panel=_FROM,
        ),
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option(
            help="Take tasks, rate and repeats from this stored run; give two, and also how often both agents "
            "differ on the same task.",
            metavar="RUN",
            parser=records_folder,
            rich_help_panel=_FROM,
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(help="Tries of each task. Default: 1.", min=1, rich_help_panel=_FROM)
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            help="The completion rate to expect. Default: 0.5, where most tasks are needed.",
            min=0.0,
            max=1.0,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    discordant: Annotated[
        float | None,
        typer.Option(
            help="The share of tasks that only one of the two agents passes. The more, the harder a difference is "
            "to see.",
            min=0.0,
            max=1.0,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    correlation: Annotated[
        float | None,
        typer.Option(
            help="Instead: the correlation of both agents' outcomes on the same task. Default: 0.7 and 0.3 are "
            "both shown.",
            min=0.0,
            max=1.0,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    repeat_correlation: Annotated[
        float | None,
        typer.Option(
            help="The correlation of two tries of a task by one agent: at 1 repeats are worth nothing. Default: "
            "that of the runs; else halfway between --correlation and 1.",
            min=0.0,
            max=1.0,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    cluster_effect: Annotated[
        float | None,
        typer.Option(
            help="Tasks that are worth one independent task, because tasks of a scenario vary together. Default: "
            "that of the runs; else 1, which is right about these very tasks.",
            min=1.0,
            rich_help_panel=_ASSUMED,
        ),
    ] = None,
    level: Annotated[
        float,
        typer.Option(
            help="The accepted chance of seeing a difference where there is none.",
            min=0.0,
            max=1.0,
            rich_help_panel=_SURE,
        ),
    ] = 0.05,
    power: Annotated[
        float,
        typer.Option(
            help="The wished chance of seeing a difference that is there.", min=0.0, max=1.0, rich_help_panel=_SURE
        ),
    ] = 0.8,
    trust: Annotated[bool, typer.Option("--trust", help=TRUST_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Say how many tasks a trial needs, or what a trial of so many can show.

    Ask before the run: "no significant difference" can mean that there is none, or that the trial was too small.

    Two agents are best given the same tasks: what is hard for both does not blur the comparison.

    How much that helps depends on how often just one of them passes (--discordant). Two stored runs tell.

    Example: worktrial power --n 382 --rate 0.7

    Example: worktrial power --effect 0.05 --rate 0.7

    Example: worktrial power --suite starter
    """
    from worktrial.cli.power_page import Assumed, power_output, print_plan
    from worktrial.engine.stored import open_run
    from worktrial.results.observed import observe, observe_pair

    runs = [open_run(folder) for folder in run or ()]
    if trust and suite is None:
        raise SettingError("--trust is for the code of a suite of your own: name its folder with --suite")
    if suite is not None:
        if n is not None or runs:
            raise SettingError("--suite, --n and --run each say how many tasks there are: give one of them")
        from worktrial.suite import find_suite

        known = find_suite(suite)
        given = {"trust": True} if trust else {}
        n = len(known.tasks(known.data.read(given, suite=f"the suite {known.name}", needs=known.needs)))
    if n is None and effect is None and not runs:
        raise SettingError(
            "give --n (what can so many tasks show?), --effect (how many are needed?), --suite or --run"
        )
    if len(runs) > 2:
        raise SettingError(f"--run can be given once or twice, not {len(runs)} times")
    if discordant is not None and correlation is not None:
        raise SettingError("--discordant and --correlation say the same: give one of them")
    if effect is not None and not effect:
        raise SettingError("--effect must be above 0: no number of tasks shows that there is no difference")
    if not 0 < level < power < 1:
        raise SettingError(f"--level must be above 0, and --power between it and 1; got {level} and {power}")
    one = observe(runs[0]) if runs else None
    pair = observe_pair(*runs) if len(runs) == 2 else None
    seen = pair or one
    if pair is not None and discordant is None and correlation is None:
        discordant = pair.differing.share
    assumed = Assumed(
        tasks=_first(n, seen and seen.tasks, None),
        effect=effect,
        rate=_first(rate, seen and seen.rate, USUAL_RATE),
        discordant=discordant,
        correlation=correlation,
        repeats=_first(repeats, seen and seen.repeats, 1),
        repeat_correlation=_first(repeat_correlation, seen and seen.repeat_correlation, None),
        cluster_effect=_first(cluster_effect, seen and seen.cluster_effect, 1.0),
        level=level,
        power=power,
        runs=tuple(runs),
        one=one,
        pair=pair,
    )
    if as_json:
        say_json(power_output(assumed).text())
    else:
        print_plan(assumed)


def _first(*values: Any) -> Any:
    """The first that is not None; 0 is a value."""
    return next((value for value in values if value is not None), None)
