"""Texts and tables that `worktrial power` prints."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from rich.table import Table

from worktrial.engine.identity import comparable
from worktrial.engine.stored import StoredRun
from worktrial.language.untrusted import printable
from worktrial.results.machine import PowerOutput, PowerRow
from worktrial.results.observed import ObservedPair, ObservedRun
from worktrial.statistics import Design, Prospect, half_width, prospect, sample_size_for_half_width
from worktrial.terminal import SafeConsole, print_line, print_whole_words, table_of

USUAL_CORRELATIONS = (0.7, 0.3)
"""Between agents on the same tasks: the range that E. Miller, *Adding Error Bars to Evals* (2024), reports."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions that the user stated, and those that were taken from runs."""

    tasks: int | None
    effect: float | None
    rate: float
    discordant: float | None
    correlation: float | None
    repeats: int
    repeat_correlation: float | None
    cluster_effect: float
    """Tasks that are worth one independent task."""
    level: float
    power: float
    runs: tuple[StoredRun, ...]
    one: ObservedRun | None
    pair: ObservedPair | None

    def designs(self) -> Iterator[tuple[str, Design]]:
        """The comparisons to show, with their names."""
        common: dict[str, Any] = {
            "rate": self.rate,
            "level": self.level,
            "repeats": self.repeats,
            "repeat_correlation": self.repeat_correlation,
            "cluster_effect": self.cluster_effect,
        }
        if self.discordant is not None:
            yield f"the same, {self.discordant:.1%} differ", Design(discordant=self.discordant, **common)
        else:
            shown = USUAL_CORRELATIONS if self.correlation is None else (self.correlation,)
            for correlation in shown:
                yield f"the same, correlation {correlation:g}", Design(correlation=correlation, **common)
        yield "separate, so many each", Design(paired=False, **common)


def print_plan(assumed: Assumed) -> None:
    """Print the answer for people."""
    console = SafeConsole()
    for line in _basis(assumed):
        print_line(console, printable(line))
    n, effect = assumed.tasks, assumed.effect
    if n is not None:
        sure = _half_width(assumed, n)
        print_line(
            console,
            f"One rate: {assumed.rate:.1%} ± {100 * sure:.1f} points ({100 * (1 - assumed.level):g} % interval)",
        )
    if n is not None and effect is None:
        title = f"The smallest difference that {_tasks(n)} show with a chance of {assumed.power:.0%}"
        _print_table(console, title, _table(assumed, "effect", n=n))
    if n is not None and effect is not None:
        title = f"The chance that {_tasks(n)} show a difference of {100 * effect:g} points"
        _print_table(console, title, _table(assumed, "power", n=n, effect=effect))
    if effect is not None:
        title = f"Tasks that show a difference of {100 * effect:g} points with a chance of {assumed.power:.0%}"
        _print_table(console, title, _table(assumed, "tasks", effect=effect))
        tasks = _tasks(_for_width(assumed, effect))
        print_line(
            console, f"One rate ± {100 * effect:g} points ({100 * (1 - assumed.level):g} % interval): {tasks}"
        )
    for line in _notes(assumed):
        print_line(console, printable(line))


def power_output(assumed: Assumed) -> PowerOutput:
    """The same for programs."""
    n, effect = assumed.tasks, assumed.effect
    return PowerOutput(
        tasks=n,
        effect=effect,
        rate=assumed.rate,
        repeats=assumed.repeats,
        repeat_correlation=assumed.repeat_correlation,
        cluster_effect=assumed.cluster_effect,
        level=assumed.level,
        power=assumed.power,
        half_width=None if n is None else _half_width(assumed, n),
        tasks_for_half_width=None if effect is None else _for_width(assumed, effect),
        smallest_effect=None if n is None or effect is not None else _rows(assumed, n=n),
        chance=None if n is None or effect is None else _rows(assumed, n=n, effect=effect),
        tasks_needed=None if effect is None else _rows(assumed, effect=effect),
        runs=[str(run.folder) for run in assumed.runs],
        observed=assumed.one,
        pair=assumed.pair,
        notes=list(_notes(assumed)),
    )


def _rows(assumed: Assumed, n: int | None = None, effect: float | None = None) -> list[PowerRow]:
    rows = []
    for _, design in assumed.designs():
        better, worse = _both(assumed, design, n, effect)
        rows.append(PowerRow(same_tasks=design.paired, correlation=design.correlation, better=better, worse=worse))
    return rows


def _print_table(console: SafeConsole, title: str, table: Table) -> None:
    print_line(console, title)
    print_whole_words(console, table)


def _table(assumed: Assumed, shown: str, n: int | None = None, effect: float | None = None) -> Table:
    # Of tasks that are tried once all outcomes can be gone through.
    exact = assumed.repeats == 1 and assumed.cluster_effect == 1 and shown != "power"
    table = table_of(["tasks of the two agents"], ("if better", "if worse", *(("power",) if exact else ())))
    for name, design in assumed.designs():
        both = _both(assumed, design, n, effect)
        cells = [_cell(found, shown) for found in both]
        table.add_row(name, *cells, *((_exact(both),) if exact else ()))
    return table


def _both(
    assumed: Assumed, design: Design, n: int | None, effect: float | None
) -> tuple[Prospect | None, Prospect | None]:
    better = prospect(design, n=n, effect=effect, power=assumed.power)
    return better, prospect(design, n=n, effect=effect, power=assumed.power, worse=True)


def _cell(found: Prospect | None, shown: str) -> str:
    if found is None:
        return "-"
    if shown == "effect":
        return f"{100 * abs(found.effect):.1f} points"
    if shown == "tasks":
        return f"{found.tasks:,}"
    return f"{found.power if found.exact_power is None else found.exact_power:.0%}"


def _exact(both: tuple[Prospect | None, Prospect | None]) -> str:
    chances = [found.exact_power for found in both if found is not None and found.exact_power is not None]
    return f"{min(chances):.0%}" if chances else "-"


def _basis(assumed: Assumed) -> Iterator[str]:
    for folder in assumed.runs:
        yield f"from {folder.folder}"
    if assumed.one is not None:
        seen = assumed.pair or assumed.one
        yield f"{seen.condition}: {_tasks(seen.tasks)} × {seen.repeats}, completion rate {seen.rate:.1%}"
    if assumed.pair is not None and assumed.pair.differing.share is not None:
        pair = assumed.pair
        low, high = pair.differing.interval()
        yield (
            f"just one of the two passed in {pair.differing.successes} of {pair.differing.n} pairs: "
            f"{pair.differing.share:.1%} ({low:.1%} - {high:.1%})"
        )
        if pair.left_out:
            yield f"left out: {pair.left_out} pairs without two verdicts"


def _notes(assumed: Assumed) -> Iterator[str]:
    if len(assumed.runs) == 2:
        differences = comparable(assumed.runs[0].manifest, assumed.runs[1].manifest)
        if differences:
            yield "the two runs are not comparable: " + "; ".join(str(difference) for difference in differences)
    if assumed.cluster_effect > 1 and assumed.tasks is not None:
        worth = assumed.tasks / assumed.cluster_effect
        yield (
            f"about work like this, tasks of a scenario vary together: {_tasks(assumed.tasks)} tell as much as "
            f"{worth:.0f} independent ones. About these very tasks: --cluster-effect 1"
        )
    if assumed.repeats > 1:
        yield f"correlation of two tries of a task by one agent: {_alike(assumed)} (--repeat-correlation)"
    if any(p.exact_power is not None for _, design in assumed.designs() for p in _known(assumed, design)):
        yield "power: the chance that `worktrial compare` finds it, by going through all outcomes"
    yield from _worth_of_repeats(assumed)
    missing = "even the largest difference is missed by so few tasks"
    if assumed.effect is not None:
        missing = f"a difference of {100 * assumed.effect:g} points is not possible"
    if any(len(_known(assumed, design)) < 2 for _, design in assumed.designs()):
        yield f"-: {missing}, beside a completion rate of {assumed.rate:.1%}"


def _worth_of_repeats(assumed: Assumed) -> Iterator[str]:
    """The smallest drop that twice the work would show, as more tries and as more tasks."""
    n = assumed.tasks
    if n is None or assumed.effect is not None:
        return
    name, design = next(assumed.designs())
    tries = 2 * design.repeats
    repeated = prospect(replace(design, repeats=tries), n=n, power=assumed.power, worse=True)
    wider = prospect(design, n=2 * n, power=assumed.power, worse=True)
    if repeated is not None and wider is not None:
        shown = f"{tries} tries of {_tasks(n)} show {_cell(repeated, 'effect')} if worse"
        yield f"twice the work ({name}): {shown}, {_tasks(2 * n)} {_cell(wider, 'effect')}"


def _known(assumed: Assumed, design: Design) -> list[Prospect]:
    return [found for found in _both(assumed, design, *_asked(assumed)) if found is not None]


def _asked(assumed: Assumed) -> tuple[int | None, float | None]:
    """Number of tasks or effect for which the last table was made."""
    return (None if assumed.effect is not None else assumed.tasks), assumed.effect


def _alike(assumed: Assumed) -> str:
    if assumed.repeat_correlation is not None:
        return f"{assumed.repeat_correlation:.2g}"
    return "halfway between that of the two agents and 1"


def _half_width(assumed: Assumed, n: int) -> float:
    return half_width(
        n,
        assumed.rate,
        confidence=1 - assumed.level,
        repeats=assumed.repeats,
        cluster_effect=assumed.cluster_effect,
        **_alone(assumed),
    )


def _for_width(assumed: Assumed, wanted: float) -> int:
    return sample_size_for_half_width(
        wanted,
        assumed.rate,
        confidence=1 - assumed.level,
        repeats=assumed.repeats,
        cluster_effect=assumed.cluster_effect,
        **_alone(assumed),
    )


def _tasks(n: int) -> str:
    return f"{n:,} task" + ("s" if n != 1 else "")


def _alone(assumed: Assumed) -> dict[str, float]:
    """The correlation of repeats for the rate of one agent, where it is known."""
    known = assumed.repeat_correlation
    return {} if known is None else {"repeat_correlation": known}
