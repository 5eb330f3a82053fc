"""Count how often what the surfaces state holds: `show`, report boards, `compare`, the conclusion and `power`.

Runs are drawn in memory as the product's own records, and each surface's own function is asked. Truth is known: the
tasks of a trial come from a family whose means are known, one agent has chances that are a part of the other's.
The families of `benchmarks.coverage` are those the methods were chosen on; `held_back` are others, which were not
looked at before.
"""

import argparse
import gc
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

from benchmarks.arguments import positive
from benchmarks.coverage import KEPT, LEAST, CoverageDesign, designs, named, task_chances, too_many
from benchmarks.machine import machine
from benchmarks.rows import print_cells
from worktrial.engine.manifest import Manifest
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.comparison import Comparison, compare_runs
from worktrial.results.conclusion import Standing, conclude_on, names_of
from worktrial.results.conditions import by_condition, robustness_of, tallies
from worktrial.results.figure import figures_of
from worktrial.results.gate import GateLimits, judge_gate
from worktrial.results.observed import observe_pair
from worktrial.results.summary import summarise
from worktrial.statistics import MARGIN, Design, Estimand, Interval, Robustness, prospect

CONDITIONS = ("E0", "E1", "E2", "E3")
INDUSTRIES = 2
PARTS = ("run", "pair", "faults", "conclusions")
"""What can be asked: about one run, about two, what faults leave, and conclusions on three."""
COST = 0.02
"""Dollars a sample in the mean, of every agent that is not said to be cheaper."""


class Tasks(NamedTuple):
    """Tasks of one drawn trial."""

    clusters: "np.ndarray[Any, Any]"
    chances: "np.ndarray[Any, Any]"
    """First agent's chance to pass each task."""
    repeats: int


class Family(NamedTuple):
    """A kind of trial that is drawn again and again."""

    name: str
    draw: Callable[[np.random.Generator], Tasks]
    mean: float
    """Mean chance of the first agent on work like this."""
    alike: float = 0.0
    """Share of tries in which both agents have the same luck."""
    faulted: float = KEPT
    """Part of the chances that each kind of faults leaves: equal ones are the hardest case for a minimum."""


def chosen_on() -> list[Family]:
    """The forty designs of `benchmarks.coverage`; in every fourth an agent collapses under faults."""
    return [
        Family(named(design), _beta_tasks(design), design.rate, faulted=KEPT if n % 4 else 0.05)
        for n, design in enumerate(designs())
    ]


def _beta_tasks(design: CoverageDesign) -> Callable[[np.random.Generator], Tasks]:
    clusters = np.repeat(np.arange(design.clusters), design.size)
    return lambda draw: Tasks(clusters, task_chances(draw, design), design.repeats)


def held_back() -> list[Family]:
    """Ten designs of other kinds: sizes with a heavy tail, easy or hopeless tasks, alike luck, few clusters."""

    def heavy(clusters: int, repeats: int) -> Callable[[np.random.Generator], Tasks]:
        def tasks(draw: np.random.Generator) -> Tasks:
            # Pareto of shape 1.5: most clusters have one or two tasks, a few have dozens.
            sizes = np.minimum(60, np.ceil(draw.pareto(1.5, clusters) + 1e-9)).astype(int)
            of = np.repeat(np.arange(clusters), sizes)
            return Tasks(of, np.repeat(draw.beta(3.5, 1.5, clusters), sizes), repeats)

        return tasks

    def bimodal(clusters: int, size: int, repeats: int, easy: float) -> Callable[[np.random.Generator], Tasks]:
        def tasks(draw: np.random.Generator) -> Tasks:
            of = np.repeat(np.arange(clusters), size)
            return Tasks(of, np.where(draw.random(len(of)) < easy, 0.95, 0.05), repeats)

        return tasks

    def few(clusters: int, size: int, repeats: int) -> Callable[[np.random.Generator], Tasks]:
        def tasks(draw: np.random.Generator) -> Tasks:
            of = np.repeat(np.arange(clusters), size)
            return Tasks(of, np.repeat(draw.beta(6.0, 4.0, clusters), size), repeats)

        return tasks

    return [
        Family("sizes with a heavy tail, 20 clusters", heavy(20, 1), 0.7),
        Family("sizes with a heavy tail, 100 clusters", heavy(100, 1), 0.7),
        Family("sizes with a heavy tail, 40 clusters, 3 repeats", heavy(40, 3), 0.7),
        Family("easy or hopeless, 43 tasks", bimodal(43, 1, 1, 0.6), 0.59),
        Family("easy or hopeless, 43 tasks, 5 repeats", bimodal(43, 1, 5, 0.6), 0.59),
        Family("easy or hopeless, 100 in 25, 3 repeats", bimodal(25, 4, 3, 0.9), 0.86),
        Family("alike luck, 43 tasks", bimodal(43, 1, 1, 0.5), 0.5, 0.7),
        Family("alike luck, 100 tasks, 3 repeats", bimodal(100, 1, 3, 0.8), 0.77, 0.7),
        Family("5 clusters of 40", few(5, 40, 1), 0.6),
        Family("8 clusters of 25, 2 repeats", few(8, 25, 2), 0.6),
    ]


class Drawn(NamedTuple):
    """Two agents' runs under every condition, and the truth on just these tasks."""

    first: StoredRun
    second: StoredRun
    means: tuple[float, float]
    """Mean chance of both under E0 on these tasks."""


def drawn(draw: np.random.Generator, family: Family, *, faulted: bool = True) -> Drawn:
    """One trial: the second agent has `KEPT` of the first one's chances, under faults each has its part.

    Args:
        draw: Of everything.
        family: What the tasks are drawn from.
        faulted: Whether they work under faults, too.
    """
    tasks = family.draw(draw)
    luck = draw.random((len(tasks.chances), tasks.repeats))
    left = family.faulted if faulted else None
    first = run_of(draw, "first", tasks, 1.0, left, luck)
    own = np.where(draw.random(luck.shape) < family.alike, luck, draw.random(luck.shape))
    second = run_of(draw, "second", tasks, KEPT, left, own)
    mean = float(tasks.chances.mean())
    return Drawn(first, second, (mean, KEPT * mean))


def run_of(
    draw: np.random.Generator,
    name: str,
    tasks: Tasks,
    kept: float,
    faulted: float | None,
    luck: "np.ndarray[Any, Any]",
    price: float = 1.0,
) -> StoredRun:
    """The run of one agent.

    Args:
        draw: Of outcomes under faults and of costs.
        name: The agent's model.
        tasks: Tasks that it is given.
        kept: Part of the chances.
        faulted: Part of these that every kind of faults leaves; None: it works without faults alone.
        luck: Uniform number of each try under E0.
        price: Multiple of `COST`.
    """
    records = []
    tags = [{"scenario": f"s{c}", "category": f"c{c % INDUSTRIES}"} for c in tasks.clusters]
    if len(set(tasks.clusters.tolist())) == len(tasks.clusters):
        tags = [{"category": tag["category"]} for tag in tags]
    dear = draw.gamma(4.0, COST * price / 4.0, len(tasks.chances))
    for condition in CONDITIONS if faulted is not None else CONDITIONS[:1]:
        part = kept if condition == "E0" else kept * (faulted or 0.0)
        passed = (luck if condition == "E0" else draw.random(luck.shape)) < (part * tasks.chances)[:, None]
        costs = dear[:, None] * draw.gamma(10.0, 0.1, luck.shape)
        for task, (tries, spent) in enumerate(zip(passed.tolist(), costs.tolist(), strict=True)):
            for repeat, (good, cost) in enumerate(zip(tries, spent, strict=True)):
                records.append(
                    SampleRecord(
                        suite="drawn",
                        sample=f"t{task}",
                        repeat=repeat,
                        condition=condition,
                        outcome=Outcome.PASS if good else Outcome.FAIL,
                        reason="",
                        usage={"agent": RoleUsage(requests=1, cost=cost)},
                        cost=cost,
                        tags=tags[task],
                    )
                )
    return _stored(name, records)


class Stated(NamedTuple):
    """Statements of all surfaces about one trial."""

    holds: dict[str, bool]
    """Whether an interval holds the truth, by what states it; those not stated are left out."""
    is_worse: bool
    """Whether `compare` finds the second agent worse, on work like this."""


Found = dict[str, tuple[Interval | None, float]]
"""What states an interval, the interval, and the truth."""


def stated(trial: Drawn, family: Family, every_time: float, parts: Sequence[str]) -> Stated:
    """Ask the surfaces about a trial.

    Args:
        trial: The runs.
        family: What they were drawn from.
        every_time: Mean chance of the first agent to pass all tries of a task, on work like this.
        parts: Of `PARTS`.
    """
    found: Found = {}
    is_worse = False
    if "run" in parts:
        found |= of_run(trial, family, every_time)
    if "pair" in parts:
        compared = compare_runs(_clean(trial.first), _clean(trial.second))
        work = compared.figures.get("completion_of_valid", "E0").interval
        is_worse = work is not None and work.high < 0
        found |= of_pair(compared, trial, family)
    if "faults" in parts:
        found |= of_faults(trial, family)
    holds = {name: _holds(interval, truth) for name, (interval, truth) in found.items() if interval is not None}
    return Stated(holds, is_worse)


def of_run(trial: Drawn, family: Family, every_time: float) -> Found:
    """Statements about the first run's work without faults: by `show`, a row of the report, and the gate."""
    clean = _clean(trial.first)
    figures = figures_of(clean)
    gate = judge_gate(clean, GateLimits(min_completion=0.5)).criteria[0]
    return {
        "show: rate": (figures.get("completion").interval, family.mean),
        "show: an industry": (figures.get("completion", group="category=c0").interval, family.mean),
        "show: every time": (figures.get("pass^k").interval, every_time),
        "report: cost": (figures.get("agent_cost_per_task").interval, COST),
        "gate: rate": (gate.interval, trial.means[0]),
    }


def of_pair(compared: Comparison, trial: Drawn, family: Family) -> Found:
    """Statements of `compare` about the work of both without faults."""
    rate = partial(compared.figures.get, "completion_of_valid", "E0")
    here, there = trial.means
    return {
        "compare: work": (rate().interval, (KEPT - 1) * family.mean),
        "compare: tasks": (rate(estimand=Estimand.THESE).interval, there - here),
        "compare: an industry": (rate(group="category=c0").interval, (KEPT - 1) * family.mean),
        "compare: cost": (compared.figures.get("agent_cost_per_task", "E0").interval, 0.0),
    }


def of_faults(trial: Drawn, family: Family) -> Found:
    """Statements about what faults leave: the functions that all surfaces take R and its change from."""
    conditions = by_condition(trial.first.records)
    both = (robustness_of(tallies(conditions), estimand=one) for one in (Estimand.WORK, Estimand.THESE))
    kept, here = (found.get("") for found in both)
    change = compare_runs(trial.first, trial.second).figures.get("robustness", "")
    return {
        "show: R": (kept.interval if isinstance(kept, Robustness) else None, family.faulted),
        "gate: R": (here.interval if isinstance(here, Robustness) else None, family.faulted),
        "compare: R": (change.interval, 0.0),
    }


def _clean(run: StoredRun) -> StoredRun:
    return _stored(run.folder.name, [record for record in run.records if record.condition == "E0"])


def _stored(name: str, records: list[SampleRecord]) -> StoredRun:
    settings = {"roles": {"agent": {"model": name}}}
    return StoredRun(Path(name), Manifest(suite="drawn", data={}, settings=settings, samples=len(records)), records)


def same_everywhere(trial: Drawn, family: Family) -> None:
    """Check that all surfaces, asked as users ask them, state the same figures for one trial.

    Raises:
        AssertionError: they do not.
    """
    shown, figures, compared = summarise(trial.first), figures_of(trial.first), compare_runs(*trial[:2])
    limits = GateLimits(min_completion=0.5, min_robustness=0.5)
    gated = {criterion.name: criterion.interval for criterion in judge_gate(trial.first, limits).criteria}
    found = of_run(trial, family, 0.0) | of_faults(trial, family)
    assert shown.figures.listed == figures.listed
    kept, change = figures.named("robustness"), compared.figures.get("robustness", "")
    assert found["show: R"][0] == (kept[0].interval if kept else None)
    assert found["compare: R"][0] == change.interval
    assert found["gate: R"][0] == gated["min_robustness"]
    assert found["gate: rate"][0] == gated["min_completion"]
    alone = compare_runs(_clean(trial.first), _clean(trial.second)).figures
    for one in alone.listed:
        among = compared.figures.get(one.name, "E0", one.group, one.estimand)
        assert replace(among, p_adjusted=one.p_adjusted) == one


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9


class Coverage(NamedTuple):
    """Counts over the draws of a family."""

    held: Counter[str]
    """Intervals that hold the truth, by what states them."""
    said: Counter[str]
    """Intervals that were stated."""
    found: float
    """Share of draws in which `compare` finds the second agent worse, on work like this."""
    claimed: float | None
    """Chance of that by `power`, from the two runs; None for clusters, of which it knows nothing."""


def coverage(family: Family, draws: int, seed: int, parts: Sequence[str] = PARTS) -> Coverage:
    """Draw a family again and again, and count."""
    draw = np.random.default_rng(seed)
    many = [family.draw(draw) for _ in range(300)]
    every_time = fmean(float(np.mean(tasks.chances**tasks.repeats)) for tasks in many)
    alone = len(set(many[0].clusters.tolist())) == len(many[0].clusters)
    held: Counter[str] = Counter()
    said: Counter[str] = Counter()
    claimed = []
    found = 0
    for n in range(draws):
        trial = drawn(draw, family, faulted="faults" in parts)
        if n < _CHECKED and "faults" in parts:
            same_everywhere(trial, family)
        said_now = stated(trial, family, every_time, parts)
        said.update(said_now.holds.keys())
        held.update(name for name, holds in said_now.holds.items() if holds)
        found += said_now.is_worse
        if "pair" in parts and alone and n < _PLANS:
            chance = _claimed(trial, (1 - KEPT) * family.mean)
            claimed += [] if chance is None else [chance]
    return Coverage(held, said, found / draws, fmean(claimed) if claimed else None)


_CHECKED = 3
"""Draws of which it is checked that all surfaces say the same."""
_PLANS = 50
"""Draws of which `power` is asked."""


def _claimed(trial: Drawn, effect: float) -> float | None:
    """Chance by `power --run FIRST --run SECOND --effect EFFECT` of finding a loss of the true size."""
    seen = observe_pair(trial.first, trial.second)
    design = Design(
        rate=seen.rate,
        discordant=seen.differing.share,
        repeats=seen.repeats,
        repeat_correlation=seen.repeat_correlation,
    )
    found = prospect(design, n=seen.tasks, effect=effect, worse=True)
    return None if found is None else found.power if found.exact_power is None else found.exact_power


def wrong_conclusions(family: Family, draws: int, seed: int) -> int:
    """Count conclusions that call an agent better or at least as good that is worse by just the margin.

    Two such agents, which cost half as much, stand beside a good one.
    """
    draw = np.random.default_rng(seed)
    worse = max(0.0, 1 - MARGIN / family.mean)
    wrong = 0
    for _ in range(draws):
        tasks = family.draw(draw)
        shape = (len(tasks.chances), tasks.repeats)
        runs = [run_of(draw, "good", tasks, 1.0, None, draw.random(shape))]
        runs += [run_of(draw, name, tasks, worse, None, draw.random(shape), 0.5) for name in ("one", "other")]
        found = conclude_on(names_of(runs))
        said = next((rival.standing for rival in found.rivals if rival.run is runs[0]), None)
        wrong += said in (Standing.BETTER, Standing.AS_GOOD)
    return wrong


def too_few(held: int, said: int) -> bool:
    """Whether intervals that hold in 93 % of draws would hold so seldom in less than one count of a hundred."""
    return bool(binom.cdf(held, said, LEAST) < 0.01)


def main(words: Sequence[str] | None = None) -> None:
    """Draw every family and print how often each surface is right; exits with 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=positive, default=2000, help="draws of each family (default 2000)")
    parser.add_argument("--conclusions", type=positive, help="of them for conclusions (default: as many)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    parser.add_argument("--only", choices=("chosen", "held"), help="families methods were chosen on, or not")
    parser.add_argument("--ask", choices=PARTS, nargs="+", default=PARTS, help="parts (default all)")
    given = parser.parse_args(words)
    # Nothing here is in cycles, and looking for these takes a third of the time.
    gc.disable()
    print(f"{machine()}; {given.draws} draws of each design, seed {given.seed}\n")
    missed: list[str] = []
    families = {"chosen": chosen_on, "held": held_back}
    for kind, listed in families.items():
        if given.only in (None, kind):
            print({"chosen": "Families the methods were chosen on\n", "held": "\nFamilies held back\n"}[kind])
            missed += _print(listed(), given.draws, given.conclusions or given.draws, given.seed, given.ask)
    print("\nmissed: " + "; ".join(missed) if missed else "\nall limits kept")
    sys.exit(bool(missed))


_SURFACES = (
    "show: rate",
    "show: an industry",
    "show: every time",
    "show: R",
    "report: cost",
    "compare: work",
    "compare: tasks",
    "compare: an industry",
    "compare: cost",
    "compare: R",
    "gate: rate",
    "gate: R",
)


def _print(families: Sequence[Family], draws: int, conclusions: int, seed: int, parts: Sequence[str]) -> list[str]:
    missed, rows = [], []
    for family in families:
        found = coverage(family, draws, seed, parts)
        wrong = wrong_conclusions(family, conclusions, seed) if "conclusions" in parts else 0
        cells = []
        for name in _SURFACES:
            held, said = found.held[name], found.said[name]
            cells.append(f"{100 * held / said:.1f}" if said else "-")
            if too_few(held, said):
                missed.append(f"{family.name}, {name} {cells[-1]} %")
        power = "-" if found.claimed is None else f"{100 * found.claimed:.0f}"
        if too_many(wrong, conclusions):
            missed.append(f"{family.name}, conclusion {100 * wrong / conclusions:.1f} %")
        rows.append([family.name, *cells, f"{100 * found.found:.0f}", power, f"{100 * wrong / conclusions:.1f}"])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_cells(["design", *_SURFACES, "found", "power says", "wrong conclusion"], rows)
    return missed


if __name__ == "__main__":
    main()
