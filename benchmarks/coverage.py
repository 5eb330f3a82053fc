"""Count how often the intervals hold the truth and the decisions are wrong, on drawn trials whose truth is known.

Tasks come in clusters that are alike, and an agent's tries of a task are alike: chances are drawn from beta
distributions of the wished correlation. A second agent, or the same under faults, has a part of the first one's
chance. Nothing depends on the machine; with the same seed the figures are the same.

An interval misses its limit where it covers less than 93 %. Where almost nothing or everything fails, few outcomes
are possible and none covers less than the 98 % that are wished at most; and one try of a fixed task does not show
how much it varies.
"""

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binom

from benchmarks.arguments import positive
from benchmarks.machine import machine
from benchmarks.rows import print_cells
from worktrial.statistics import (
    MARGIN,
    Conclusion,
    Estimand,
    TaskTries,
    conclude,
    difference,
    estimate_robustness,
    rate,
    ratio,
)

LEAST = 0.93
KEPT = 0.8
"""Part of the first agent's chance that the second has."""


class CoverageDesign(NamedTuple):
    """A trial that is drawn again and again."""

    clusters: int
    size: int
    repeats: int
    alike: float
    """Correlation of tries of one task, and half of it between tasks of a cluster."""
    rate: float


def designs() -> list[CoverageDesign]:
    """Forty designs: 12 to 382 tasks, alone and in clusters, one to five repeats, little to almost all alike."""
    shapes = [(12, 1, 1), (43, 1, 1), (100, 1, 1), (382, 1, 1), (43, 1, 3), (10, 4, 1), (98, 4, 1), (43, 1, 5)]
    rates = [(0.0, 0.5), (0.3, 0.2), (0.3, 0.8), (0.9, 0.7), (0.6, 0.97)]
    return [CoverageDesign(*shape, *rest) for shape, rest in product(shapes, rates)]


Pair = tuple[list[TaskTries], float, float]
"""The tasks, and the mean chance of both agents on just these."""


def drawn(draw: np.random.Generator, design: CoverageDesign, kept: float = KEPT) -> Pair:
    """One trial of two agents."""
    chances = task_chances(draw, design)
    shape = (len(chances), design.repeats)
    first, second = (draw.random(shape) < (part * chances)[:, None] for part in (1.0, kept))
    tasks = [
        TaskTries(str(n // design.size), tuple(map(float, a)), tuple(map(float, b)))
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    return tasks, float(chances.mean()), float(kept * chances.mean())


def task_chances(draw: np.random.Generator, design: CoverageDesign) -> "np.ndarray[Any, Any]":
    """The first agent's chance to pass each task of one trial; those of a cluster follow each other."""
    clusters = _beta(draw, np.full(design.clusters, design.rate), design.alike / 2 if design.size > 1 else 0.0)
    return _beta(draw, np.repeat(clusters, design.size), design.alike)


def _beta(draw: np.random.Generator, means: "np.ndarray[Any, Any]", correlation: float) -> "np.ndarray[Any, Any]":
    if not correlation:
        return means
    spread = (1 - correlation) / correlation
    return draw.beta(np.maximum(means * spread, 1e-9), np.maximum((1 - means) * spread, 1e-9))


def covered(design: CoverageDesign, draws: int, seed: int) -> list[float]:
    """Shares of draws in which each interval holds its truth: rate, difference, both on these tasks, ratio, R."""
    draw = np.random.default_rng(seed)
    counts, ratios = np.zeros(6), 0
    for _ in range(draws):
        tasks, first, second = drawn(draw, design)
        these = Estimand.THESE
        counts[0] += _holds(rate(tasks).interval, design.rate)
        counts[1] += _holds(rate(tasks, these).interval, first)
        counts[2] += _holds(difference(tasks).interval, (KEPT - 1) * design.rate)
        counts[3] += _holds(difference(tasks, these).interval, second - first)
        if any(any(task.first) for task in tasks):
            ratios += 1
            counts[4] += _holds(ratio(tasks).interval, KEPT)
            # Three kinds of faults that take the same: the hardest case for a minimum.
            modes = {"E0": "first", "E1": "second", "E2": "second", "E3": "second"}
            outcomes = [{mode: [bool(v) for v in getattr(t, side)] for mode, side in modes.items()} for t in tasks]
            found = estimate_robustness(outcomes, clusters=[task.cluster for task in tasks])
            counts[5] += _holds(found.interval, KEPT)
    return [*(counts[:4] / draws), *(counts[4:] / max(1, ratios))]


def _holds(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] - 1e-9 <= truth <= interval[1] + 1e-9


def wrong_decisions(design: CoverageDesign, draws: int, seed: int) -> dict[str, float]:
    """Shares of draws with a wrong decision about a second agent that is equal, or worse by just the margin."""
    draw = np.random.default_rng(seed)
    # Worse by the margin everywhere: with a rate below the margin it passes nothing.
    worse = max(0.0, 1 - MARGIN / design.rate)
    counts = dict.fromkeys(("equal, called different", "equal, fails the gate", "worse, passes --sure", "hired"), 0)
    for _ in range(draws):
        equal, _, _ = drawn(draw, design, 1.0)
        found, here = difference(equal), difference(equal, Estimand.THESE)
        counts["equal, called different"] += conclude(found) in (Conclusion.BETTER, Conclusion.WORSE)
        counts["equal, fails the gate"] += here.value < -MARGIN and here.interval.high < 0
        other, first, second = drawn(draw, design, worse)
        # On these tasks the truth is that of the tasks drawn.
        sure = difference(other, Estimand.THESE)
        counts["worse, passes --sure"] += sure.interval.low > -MARGIN and second - first <= -MARGIN
        counts["hired"] += conclude(difference(other)) in (Conclusion.BETTER, Conclusion.AS_GOOD)
    return {name: count / draws for name, count in counts.items()}


def too_many(wrong: int, draws: int, limit: float = 0.05) -> bool:
    """Whether decisions that are wrong in a share `limit` would be so often in less than one count of a hundred."""
    return bool(binom.sf(wrong - 1, draws, limit) < 0.01)


def main(words: Sequence[str] | None = None) -> None:
    """Draw every design and print how often intervals hold the truth; exits with 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=positive, default=2000, help="draws of each design (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    given = parser.parse_args(words)
    print(f"{machine()}; {given.draws} draws of each design\n")
    missed = 0
    rows = []
    for design in designs():
        shares = covered(design, given.draws, given.seed)
        missed += sum(share < LEAST for share in shares)
        rows.append([named(design), *(f"{100 * share:.1f}" for share in shares)])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    heads = ["tasks, repeats, alike, rate", "rate", "on these", "difference", "on these", "ratio", "R"]
    print("Intervals that hold the truth, % (nominal 95)\n")
    print_cells(heads, rows)
    print("\nWrong decisions, %\n")
    rows = []
    for design in designs():
        wrong = wrong_decisions(design, given.draws, given.seed)
        levels = (0.05, 0.025, 0.025, 0.025)
        beside = zip(wrong.values(), levels, strict=True)
        missed += sum(too_many(round(share * given.draws), given.draws, level) for share, level in beside)
        rows.append([named(design), *(f"{100 * share:.1f}" for share in wrong.values())])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_cells(["tasks, repeats, alike, rate", *wrong], rows)
    print(f"\n{missed} limits missed" if missed else "\nall limits kept")
    sys.exit(bool(missed))


def named(design: CoverageDesign) -> str:
    """A design in words: tasks, repeats, correlation, rate."""
    tasks = f"{design.clusters * design.size}" + (f" in {design.clusters}" if design.size > 1 else "")
    return f"{tasks}, {design.repeats}, {design.alike:g}, {design.rate:g}"


if __name__ == "__main__":
    main()
