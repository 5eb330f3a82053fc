"""Count false alarms of gates on drawn runs whose truth is known, and agents worse by the margin that pass.

Tasks differ in their chances, and an agent's tries of a task are alike: chances are drawn from a beta distribution.
Nothing depends on the machine.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.arguments import positive
from benchmarks.coverage import too_many
from benchmarks.machine import machine
from benchmarks.rows import print_cells
from worktrial.statistics import MARGIN, Estimand, Estimate, TaskTries, difference

LEVEL = 0.05


class GateDesign(NamedTuple):
    """A run beside a baseline, drawn again and again."""

    tasks: int
    baseline: int
    """Tries of each task by the baseline."""
    repeats: int
    """Tries of each task by the run."""
    alike: float
    """Correlation of tries of one task."""
    rate: float


def designs() -> list[GateDesign]:
    """Twenty-four designs: 20 to 382 tasks, a baseline of one and of five tries, easy and hard tasks."""
    shapes = [(20, 1, 1), (43, 1, 1), (100, 1, 1), (382, 1, 1), (20, 5, 1), (43, 5, 1), (100, 5, 1), (43, 3, 3)]
    return [GateDesign(*shape, *rest) for shape in shapes for rest in [(0.0, 0.5), (0.6, 0.7), (0.6, 0.93)]]


Passes: TypeAlias = "np.ndarray[Any, Any]"
"""Passes of tasks and tries, or chances of tasks."""


def _chances(draw: np.random.Generator, design: GateDesign) -> Passes:
    if not design.alike:
        return np.full(design.tasks, design.rate)
    spread = (1 - design.alike) / design.alike
    return np.asarray(draw.beta(design.rate * spread, (1 - design.rate) * spread, design.tasks))


def _single(draw: np.random.Generator, design: GateDesign) -> tuple[bool, bool]:
    """Whether an equal agent fails at one look, and whether one worse by just the margin passes for sure."""
    equal = _drawn(draw, design, _chances(draw, design), 1.0)
    fails = equal.value < -MARGIN and equal.interval.high < 0
    chances = _chances(draw, design)
    # Worse by the same part everywhere, by the margin on average.
    worse = _drawn(draw, design, chances, max(0.0, 1 - MARGIN / chances.mean()))
    return fails, worse.interval.low > -MARGIN


def _drawn(draw: np.random.Generator, design: GateDesign, chances: Passes, kept: float) -> Estimate:
    """The difference of an agent that keeps a part of the baseline's chances, on these tasks."""
    sides = ((chances, design.baseline), (kept * chances, design.repeats))
    first, second = (_tries(draw.random((design.tasks, n)) < own[:, None]) for own, n in sides)
    tries = [TaskTries(task, first[task], second[task]) for task in first]
    return difference(tries, Estimand.THESE, confidence=1 - LEVEL)


def _tries(passes: Passes) -> dict[str, tuple[float, ...]]:
    return {str(n): tuple(map(float, own)) for n, own in enumerate(passes)}


class Alarms(NamedTuple):
    """Shares of gates that are wrong."""

    once: float
    """Equal agents that fail the gate with the usual margin."""
    sure: float
    """Agents worse by just the margin on these tasks that pass it with `--sure`."""


def measured(design: GateDesign, draws: int, seed: int) -> Alarms:
    """Draw pairs of equal agents, and of agents of which one is worse by the margin."""
    draw = np.random.default_rng(seed)
    once, sure = np.mean([_single(draw, design) for _ in range(draws)], axis=0)
    return Alarms(float(once), float(sure))


def main(words: Sequence[str] | None = None) -> None:
    """Draw every design and print how often gates are wrong; exits with 1 where the level is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=positive, default=2000, help="draws of each design (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    given = parser.parse_args(words)
    print(f"{machine()}; {given.draws} draws of each design\n")
    rows, missed = [], 0
    for design in designs():
        found = measured(design, given.draws, given.seed)
        # Half of the level for a single look, as only a drop fails.
        single = (round(share * given.draws) for share in (found.once, found.sure))
        missed += sum(too_many(wrong, given.draws, LEVEL / 2) for wrong in single)
        shares = [f"{100 * share:.1f}" for share in found]
        print(".", end="", file=sys.stderr, flush=True)
        rows.append([_named(design), *shares])
    heads = ["tasks, baseline's tries, tries, alike, rate", "equal fails, %", "worse passes --sure, %"]
    print_cells(heads, rows)
    print(f"\n{missed} limits missed" if missed else "\nall limits kept")
    sys.exit(bool(missed))


def _named(design: GateDesign) -> str:
    return ", ".join(f"{value:g}" for value in design)


if __name__ == "__main__":
    main()
