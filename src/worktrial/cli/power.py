"""`worktrial power`: how many tasks a trial needs, and what so many can show."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from worktrial.cli.options import takes
from worktrial.cli.places import AsJson, records_folder
from worktrial.cli.tables import show_table
from worktrial.engine.identity import comparable
from worktrial.engine.notices import say_json
from worktrial.errors import SettingError
from worktrial.options import Count, Flag, Options, Share
from worktrial.statistics import Design, Prospect, half_width, prospect, sample_size_for_half_width
from worktrial.terminal import SafeConsole, print_line

if TYPE_CHECKING:
    from worktrial.engine.stored import StoredRun
    from worktrial.results.machine import PowerOutput, PowerRow
    from worktrial.results.observed import ObservedPair, ObservedRun

USUAL_RATE = 0.5
USUAL_CORRELATIONS = (0.7, 0.3)
"""Between agents on the same tasks: the range that E. Miller, *Adding Error Bars to Evals* (2024), reports."""
_FROM = "What is planned"
_ASSUMED = "What is assumed"
_SURE = "How sure"


class PowerOptions(Options):
    """Questions of `worktrial power`, and what is assumed where no run tells it."""

    n: Annotated[Count | None, Flag(_FROM)] = None
    """Tasks. Says what they can show."""
    effect: Annotated[Share | None, Flag(_FROM)] = None
    """The difference in completion rate that you would not want to miss, as a share: 0.05 is five points. Says how
    many tasks it needs, and with --n how likely it is found."""
    suite: Annotated[str | None, Flag(_FROM, metavar="SUITE")] = None
    """Take the number of tasks from this suite; one that needs no data of yours."""
    run: Annotated[list[Path], Flag(_FROM, metavar="RUN")] = Field([])
    """Take tasks, rate and repeats from this stored run; give two, and also how often both agents differ on the
    same task."""
    repeats: Annotated[Count | None, Flag(_FROM)] = None
    """Tries of each task. Default: 1."""
    rate: Annotated[Share | None, Flag(_ASSUMED)] = None
    """The completion rate to expect. Default: 0.5, where most tasks are needed."""
    discordant: Annotated[Share | None, Flag(_ASSUMED)] = None
    """The share of tasks that only one of the two agents passes. The more, the harder a difference is to see."""
    correlation: Annotated[Share | None, Flag(_ASSUMED)] = None
    """Instead: the correlation of both agents' outcomes on the same task. Default: 0.7 and 0.3 are both shown."""
    repeat_correlation: Annotated[Share | None, Flag(_ASSUMED)] = None
    """The correlation of two tries of a task by one agent: at 1 repeats are worth nothing. Default: that of the
    runs; else halfway between --correlation and 1."""
    cluster_effect: Annotated[Annotated[float, Field(ge=1)] | None, Flag(_ASSUMED)] = None
    """Tasks that are worth one independent task, because tasks of a scenario vary together. Default: that of the
    runs; else 1, which is right about these very tasks."""
    level: Annotated[Share, Flag(_SURE)] = 0.05
    """The accepted chance of seeing a difference where there is none."""
    power: Annotated[Share, Flag(_SURE)] = 0.8
    """The wished chance of seeing a difference that is there."""
    trust: Annotated[bool, Flag()] = False
    """Run the code of a suite of your own in this process, with all your rights, not in the sandbox."""


@takes(lambda: PowerOptions)
def power(as_json: AsJson = False, **given: Any) -> None:
    """Say how many tasks a trial needs, or what a trial of so many can show.

    Ask before the run: "no significant difference" can mean that there is none, or that the trial was too small.

    Two agents are best given the same tasks: what is hard for both does not blur the comparison.

    How much that helps depends on how often just one of them passes (--discordant). Two stored runs tell.

    Example: worktrial power --n 382 --rate 0.7

    Example: worktrial power --effect 0.05 --rate 0.7

    Example: worktrial power --suite starter
    """
    plan = _planned(PowerOptions.read(given, suite="power"))
    if as_json:
        say_json(_output(plan).text())
    else:
        _print(plan)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Planned trial: what the user stated and, where that says nothing, what stored runs tell."""

    asked: PowerOptions
    n: int | None
    rate: float
    repeats: int
    repeat_correlation: float | None
    cluster_effect: float
    discordant: float | None
    runs: "tuple[StoredRun, ...]"
    one: "ObservedRun | None"
    pair: "ObservedPair | None"

    @property
    def designs(self) -> list[tuple[str, Design]]:
        """The comparisons to show, with their names."""
        names = ("rate", "repeats", "repeat_correlation", "cluster_effect")
        common: dict[str, Any] = {"level": self.asked.level, **{name: getattr(self, name) for name in names}}
        if self.discordant is not None:
            same = [(f"the same, {self.discordant:.1%} differ", Design(discordant=self.discordant, **common))]
        else:
            shown = USUAL_CORRELATIONS if self.asked.correlation is None else (self.asked.correlation,)
            same = [(f"the same, correlation {one:g}", Design(correlation=one, **common)) for one in shown]
        return [*same, ("separate, so many each", Design(paired=False, **common))]

    def rows(self, n: int | None = None, effect: float | None = None) -> "list[tuple[str, PowerRow]]":
        """What each comparison shows if the second agent is better, and if it is worse, with its name."""
        from worktrial.results.machine import PowerRow

        rows = []
        for name, design in self.designs:
            found = [prospect(design, n=n, effect=effect, power=self.asked.power, worse=w) for w in (False, True)]
            row = PowerRow(
                same_tasks=design.paired, correlation=design.correlation, better=found[0], worse=found[1]
            )
            rows.append((name, row))
        return rows

    @property
    def about_one(self) -> dict[str, Any]:
        """Assumptions about the rate of one agent."""
        known = self.repeat_correlation
        found = {
            "confidence": 1 - self.asked.level,
            "repeats": self.repeats,
            "cluster_effect": self.cluster_effect,
        }
        return found if known is None else {**found, "repeat_correlation": known}


def _planned(asked: PowerOptions) -> _Plan:
    from worktrial.engine.stored import open_run
    from worktrial.results.observed import observe, observe_pair

    runs = tuple(open_run(records_folder(str(folder))) for folder in asked.run)
    n = asked.n
    if asked.trust and asked.suite is None:
        raise SettingError("--trust is for the code of a suite of your own: name its folder with --suite")
    if asked.suite is not None:
        if n is not None or runs:
            raise SettingError("--suite, --n and --run each say how many tasks there are: give one of them")
        from worktrial.suite import find_suite

        known = find_suite(asked.suite)
        given = {"trust": True} if asked.trust else {}
        n = len(known.tasks(known.data.read(given, suite=f"the suite {known.name}", needs=known.needs)))
    if n is None and asked.effect is None and not runs:
        raise SettingError(
            "give --n (what can so many tasks show?), --effect (how many are needed?), --suite or --run"
        )
    if len(runs) > 2:
        raise SettingError(f"--run can be given once or twice, not {len(runs)} times")
    if asked.discordant is not None and asked.correlation is not None:
        raise SettingError("--discordant and --correlation say the same: give one of them")
    if asked.effect == 0:
        raise SettingError("--effect must be above 0: no number of tasks shows that there is no difference")
    if not 0 < asked.level < asked.power < 1:
        raise SettingError(
            f"--level must be above 0, and --power between it and 1; got {asked.level} and {asked.power}"
        )
    one = observe(runs[0]) if runs else None
    pair = observe_pair(*runs) if len(runs) == 2 else None
    discordant = asked.discordant
    if pair is not None and discordant is None and asked.correlation is None:
        discordant = pair.differing.share
    seen = pair or one

    def settled(name: str, otherwise: Any = None) -> Any:
        # What is stated, else what was seen; 0 is a value.
        values = (getattr(asked, name), getattr(seen, name, None))
        return next((value for value in values if value is not None), otherwise)

    return _Plan(
        asked=asked,
        n=seen.tasks if n is None and seen is not None else n,
        rate=settled("rate", USUAL_RATE),
        repeats=settled("repeats", 1),
        repeat_correlation=settled("repeat_correlation"),
        cluster_effect=settled("cluster_effect", 1.0),
        discordant=discordant,
        runs=runs,
        one=one,
        pair=pair,
    )


def _output(plan: _Plan) -> "PowerOutput":
    """The answer for programs."""
    from worktrial.results.machine import PowerOutput

    asked = plan.asked
    n, effect = plan.n, asked.effect

    def rows(n: int | None, effect: float | None) -> "list[PowerRow]":
        return [row for _, row in plan.rows(n, effect)]

    return PowerOutput(
        tasks=n,
        effect=effect,
        rate=plan.rate,
        repeats=plan.repeats,
        repeat_correlation=plan.repeat_correlation,
        cluster_effect=plan.cluster_effect,
        level=asked.level,
        power=asked.power,
        half_width=None if n is None else half_width(n, plan.rate, **plan.about_one),
        tasks_for_half_width=None
        if effect is None
        else sample_size_for_half_width(effect, plan.rate, **plan.about_one),
        smallest_effect=None if n is None or effect is not None else rows(n, None),
        chance=None if n is None or effect is None else rows(n, effect),
        tasks_needed=None if effect is None else rows(None, effect),
        runs=[str(run.folder) for run in plan.runs],
        observed=plan.one,
        pair=plan.pair,
        notes=[*_notes(plan)],
    )


def _print(plan: _Plan) -> None:
    """Print the answer for people."""
    found, asked = _output(plan), plan.asked
    console = SafeConsole()
    names = [name for name, _ in plan.designs]
    sure, wished = f"({100 * (1 - asked.level):g} % interval)", f"with a chance of {asked.power:.0%}"
    n, points = "" if plan.n is None else _tasks(plan.n), f"{100 * (asked.effect or 0):g} points"
    for line in _basis(plan):
        print_line(console, line)
    if found.half_width is not None:
        print_line(console, f"One rate: {plan.rate:.1%} ± {100 * found.half_width:.1f} points {sure}")
    for title, rows, shown in (
        (f"The smallest difference that {n} show {wished}", found.smallest_effect, "effect"),
        (f"The chance that {n} show a difference of {points}", found.chance, "power"),
        (f"Tasks that show a difference of {points} {wished}", found.tasks_needed, "tasks"),
    ):
        if rows is not None:
            print_line(console, title)
            exact = _is_exact(plan) and shown != "power"
            columns = ("tasks of the two agents", "if better", "if worse", *(("power",) if exact else ()))
            show_table(
                "", columns, [(name, *_cells(row, shown, exact)) for name, row in zip(names, rows, strict=True)]
            )
    if found.tasks_for_half_width is not None:
        print_line(console, f"One rate ± {points} {sure}: {_tasks(found.tasks_for_half_width)}")
    for line in found.notes:
        print_line(console, line)


def _is_exact(plan: _Plan) -> bool:
    """Whether all outcomes can be gone through: of tasks that are tried once."""
    return plan.repeats == 1 and plan.cluster_effect == 1


def _cells(row: "PowerRow", shown: str, exact: bool) -> "Iterator[str]":
    both = row.better, row.worse
    yield from (_cell(found, shown) for found in both)
    if exact:
        chances = [found.exact_power for found in both if found is not None and found.exact_power is not None]
        yield f"{min(chances):.0%}" if chances else "-"


def _cell(found: Prospect | None, shown: str) -> str:
    if found is None:
        return "-"
    if shown == "effect":
        return f"{100 * abs(found.effect):.1f} points"
    if shown == "tasks":
        return f"{found.tasks:,}"
    return f"{found.power if found.exact_power is None else found.exact_power:.0%}"


def _basis(plan: _Plan) -> Iterator[str]:
    """Lines on the runs that the assumptions are from."""
    for run in plan.runs:
        yield f"from {run.folder}"
    if (seen := plan.pair or plan.one) is not None:
        yield f"{seen.condition}: {_tasks(seen.tasks)} × {seen.repeats}, completion rate {seen.rate:.1%}"
    if plan.pair is not None and plan.pair.differing.share is not None:
        differing = plan.pair.differing
        low, high = differing.interval()
        yield (
            f"just one of the two passed in {differing.successes} of {differing.n} pairs: "
            f"{differing.share:.1%} ({low:.1%} - {high:.1%})"
        )
        if plan.pair.left_out:
            yield f"left out: {plan.pair.left_out} pairs without two verdicts"


def _notes(plan: _Plan) -> Iterator[str]:
    asked = plan.asked
    if len(plan.runs) == 2 and (differences := comparable(*(run.manifest for run in plan.runs))):
        yield "the two runs are not comparable: " + "; ".join(map(str, differences))
    if plan.cluster_effect > 1 and plan.n is not None:
        yield (
            f"about work like this, tasks of a scenario vary together: {_tasks(plan.n)} tell as much as "
            f"{plan.n / plan.cluster_effect:.0f} independent ones. About these very tasks: --cluster-effect 1"
        )
    if plan.repeats > 1:
        known = plan.repeat_correlation
        alike = "halfway between that of the two agents and 1" if known is None else f"{known:.2g}"
        yield f"correlation of two tries of a task by one agent: {alike} (--repeat-correlation)"
    last = plan.rows(None if asked.effect is not None else plan.n, asked.effect)
    found = [one for _, row in last for one in (row.better, row.worse)]
    if any(one is not None and one.exact_power is not None for one in found):
        yield "power: the chance that `worktrial compare` finds it, by going through all outcomes"
    if plan.n is not None and asked.effect is None:
        yield from _worth_of_repeats(plan, plan.n)
    if None in found:
        missing = "even the largest difference is missed by so few tasks"
        if asked.effect is not None:
            missing = f"a difference of {100 * asked.effect:g} points is not possible"
        yield f"-: {missing}, beside a completion rate of {plan.rate:.1%}"


def _worth_of_repeats(plan: _Plan, n: int) -> Iterator[str]:
    """The smallest drop that twice the work would show, as more tries and as more tasks."""
    name, design = plan.designs[0]
    tries = 2 * design.repeats
    repeated = prospect(replace(design, repeats=tries), n=n, power=plan.asked.power, worse=True)
    wider = prospect(design, n=2 * n, power=plan.asked.power, worse=True)
    if repeated is not None and wider is not None:
        shown = f"{tries} tries of {_tasks(n)} show {_cell(repeated, 'effect')} if worse"
        yield f"twice the work ({name}): {shown}, {_tasks(2 * n)} {_cell(wider, 'effect')}"


def _tasks(n: int) -> str:
    return f"{n:,} task" + ("s" if n != 1 else "")
