"""Count false alarms of gates on drawn runs whose truth is known, and the looks until a slow drift is caught.

Tasks differ in their chances, and an agent's tries of a task are alike: chances are drawn from a beta distribution.
A baseline is drawn once. At equal agents every look is drawn with the baseline's chances; in a drift each look is
of a release whose rate is 2.9 points lower than that of the one before. Nothing depends on the machine.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.arguments import positive
from benchmarks.coverage import too_many
from benchmarks.machine import machine
from benchmarks.rows import print_cells
from worktrial.statistics import (
    MARGIN,
    Estimand,
    TaskTries,
    critical_value,
    difference,
    difference_sequence,
    shown_drop,
)
from worktrial.statistics.sequential import stretch_lengths

LOOKS = 50
LEVEL = 0.05
DRIFT = 0.029
"""Points that every release loses, as a share."""


class GateDesign(NamedTuple):
    """A row of looks beside a baseline, drawn again and again."""

    tasks: int
    baseline: int
    """Tries of each task by the baseline."""
    repeats: int
    """Tries of each task in a look."""
    alike: float
    """Correlation of tries of one task."""
    rate: float


def designs() -> list[GateDesign]:
    """Twenty-four designs: 20 to 382 tasks, a baseline of one and of five tries, easy and hard tasks."""
    shapes = [(20, 1, 1), (43, 1, 1), (100, 1, 1), (382, 1, 1), (20, 5, 1), (43, 5, 1), (100, 5, 1), (43, 3, 3)]
    return [GateDesign(*shape, *rest) for shape in shapes for rest in [(0.0, 0.5), (0.6, 0.7), (0.6, 0.93)]]


Passes: TypeAlias = "np.ndarray[Any, Any]"
"""Passes of tasks and tries; of looks too where it has three dimensions."""


def drawn(draw: np.random.Generator, design: GateDesign, drift: float = 0.0) -> tuple[Passes, Passes]:
    """A baseline and `LOOKS` looks, the first of them one drift below."""
    chances = _chances(draw, design)
    left = np.maximum(0.0, 1 - drift / design.rate * np.arange(1, LOOKS + 1))
    looks = draw.random((LOOKS, design.tasks, design.repeats)) < (left[:, None] * chances)[:, :, None]
    return draw.random((design.tasks, design.baseline)) < chances[:, None], looks


def _chances(draw: np.random.Generator, design: GateDesign) -> Passes:
    if not design.alike:
        return np.full(design.tasks, design.rate)
    spread = (1 - design.alike) / design.alike
    return np.asarray(draw.beta(design.rate * spread, (1 - design.rate) * spread, design.tasks))


def alarm(baseline: Passes, looks: Passes, margin: float | None = MARGIN) -> int | None:
    """First look, from 1, at which the sequential gate fails; None where it never does.

    Without a margin: the first look with any interval below 0, whatever the gate makes of it.
    """
    a, b = baseline.shape[1], looks.shape[2]
    means = looks.mean(axis=2)
    sums = np.vstack([np.zeros((1, means.shape[1])), np.cumsum(means, axis=0)])
    ends, lengths = _stretches(len(looks))
    later = (sums[ends] - sums[ends - lengths]) / lengths[:, None]
    bounds = np.array([critical_value(LEVEL / (s * (s + 1)), 1 + a / b) for s in ends - lengths + 1])
    below = _scores(baseline, later, b * lengths) < -bounds
    if margin is not None:
        # A drop is over where a shorter stretch lies above minus the margin.
        over = (later - baseline.mean(axis=1)).mean(axis=1) >= -margin + 1e-9
        shortest = np.full(len(looks) + 1, len(looks) + 1)
        np.minimum.at(shortest, ends[over], lengths[over])
        below &= lengths < shortest[ends]
    for n in np.unique(ends[below]):
        found = difference_sequence(_tries(baseline), [_tries(look) for look in looks[:n]], 1 - LEVEL)
        lies_below = any(one.found.interval.high < 0 for one in found)
        if lies_below if margin is None else shown_drop(found, margin):
            return int(n)
    return None


@cache
def _stretches(looks: int) -> tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
    """Last look and number of looks of every stretch that any number of looks up to so many has."""
    pairs = [(n, length) for n in range(1, looks + 1) for length in sorted(stretch_lengths(n))]
    ends, lengths = np.array(pairs).T
    return ends, lengths


def nightly(baseline: Passes, looks: Passes, margin: float = MARGIN) -> int | None:
    """First look at which a gate without a history fails, each look held against the baseline alone."""
    scores = _scores(baseline, looks.mean(axis=2), np.full(len(looks), looks.shape[2]))
    for n in np.flatnonzero(scores < NormalDist().inv_cdf(LEVEL / 2)):
        first, second = _tries(baseline), _tries(looks[n])
        tries = [TaskTries(task, first[task], second[task]) for task in first]
        found = difference(tries, Estimand.THESE, confidence=1 - LEVEL)
        if found.value < -margin and found.interval.high < 0:
            return int(n) + 1
    return None


def _single(draw: np.random.Generator, design: GateDesign) -> tuple[bool, bool]:
    """Whether an equal agent fails at one look, and whether one worse by just the margin passes for sure."""
    baseline, looks = drawn(draw, design)
    fails = nightly(baseline, looks[:1]) is not None
    chances = _chances(draw, design)
    # Worse by the same part everywhere, by the margin on average.
    both = chances, chances * max(0.0, 1 - MARGIN / chances.mean())
    first, second = (
        _tries(draw.random((design.tasks, n)) < own[:, None])
        for own, n in zip(both, (design.baseline, design.repeats), strict=True)
    )
    found = difference([TaskTries(task, first[task], second[task]) for task in first], Estimand.THESE)
    return fails, found.interval.low > -MARGIN


def _scores(baseline: Passes, means: Passes, tries: Passes) -> Passes:
    """Scores of no difference, for rows of means that come from so many tries; never nearer 0 than the product's.

    That counts one pair less, and where it takes the variance from repeats, it holds the score against Student's
    distribution. So only where a score here is beyond the normal bound the product needs to be asked.
    """
    first, a = baseline.mean(axis=1), baseline.shape[1]
    difference = (means - first).mean(axis=1)
    differing = (first * (1 - means) + means * (1 - first)).mean(axis=1)
    weight = 2 * a * tries / (a + tries)
    variance = differing / (weight * len(first))
    if a > 1:
        # Of tries within tasks, as far as there are several, and of one task more that varies as all do.
        spread = np.maximum(differing - difference**2, 1e-12)
        of_later = (means * (1 - means)).mean(axis=1) / np.maximum(tries - 1, 0.5)
        within = (first * (1 - first)).mean() / (a - 1) + of_later + spread / weight / len(first)
        variance = np.where(tries > 1, np.minimum(variance, differing / spread * within / len(first)), variance)
    return np.asarray(difference / np.sqrt(np.maximum(variance, 1e-24)))


def _tries(passes: Passes) -> dict[str, tuple[float, ...]]:
    return {str(n): tuple(map(float, own)) for n, own in enumerate(passes)}


class Alarms(NamedTuple):
    """Shares of single looks and of rows of them, and the look at which half of the drifts are caught."""

    once: float
    """Equal agents that fail the gate with the usual margin at a single look."""
    sure: float
    """Agents worse by just the margin on these tasks that pass it with `--sure`."""

    false: float
    """Equal agents of which any interval of any look lies below 0."""
    nightly: float
    """Equal agents that fail, without a history, at any look of which each is judged at the level."""
    caught: float
    """Median look at which a drift fails the sequential gate with the usual margin."""


def measured(design: GateDesign, draws: int, seed: int) -> Alarms:
    """Draw rows of looks of equal agents, and of drifts."""
    draw = np.random.default_rng(seed)
    equal = [drawn(draw, design) for _ in range(draws)]
    false = np.mean([alarm(*row, margin=None) is not None for row in equal])
    every = np.mean([nightly(*row, margin=0.0) is not None for row in equal])
    once, sure = np.mean([_single(draw, design) for _ in range(draws)], axis=0)
    caught = [alarm(*drawn(draw, design, DRIFT)) or LOOKS + 1 for _ in range(draws)]
    return Alarms(float(once), float(sure), float(false), float(every), float(np.median(caught)))


def main(words: Sequence[str] | None = None) -> None:
    """Draw every design and print how often gates are wrong; exits with 1 where the level is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=positive, default=2000, help="draws of each design (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    given = parser.parse_args(words)
    print(f"{machine()}; {given.draws} rows of {LOOKS} looks of each design\n")
    rows, missed = [], 0
    for design in designs():
        found = measured(design, given.draws, given.seed)
        # Half of the level for a single look, as only a drop fails.
        single = (round(share * given.draws) for share in (found.once, found.sure))
        missed += sum(too_many(wrong, given.draws, LEVEL / 2) for wrong in single) + (found.false > LEVEL)
        shares = [f"{100 * share:.1f}" for share in found[:4]]
        print(".", end="", file=sys.stderr, flush=True)
        rows.append([_named(design), *shares, f"{found.caught:.0f}"])
    heads = [
        "tasks, baseline's tries, tries, alike, rate",
        "equal fails once, %",
        "worse passes --sure, %",
        "equal fails in 50 looks, %",
        "the same without a history, %",
        "drift caught at look",
    ]
    print_cells(heads, rows)
    print(f"\n{missed} limits missed" if missed else "\nall limits kept")
    sys.exit(bool(missed))


def _named(design: GateDesign) -> str:
    return ", ".join(f"{value:g}" for value in design)


if __name__ == "__main__":
    main()
