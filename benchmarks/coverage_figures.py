"""Count how often the intervals of figures that are no plain rates hold the truth, on drawn trials.

Scores and costs per cluster, changes of costs and of R, rates corrected for a judge's errors, and by industry how
often an agent that is worse by more than the margin is called as good. Nothing depends on the machine; with the
same seed the figures are the same.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.arguments import positive
from benchmarks.machine import machine
from benchmarks.rows import print_cells
from worktrial.statistics import (
    TaskTries,
    change_intervals,
    corrected_rate,
    mean_change,
    mean_interval,
    prediction_powered,
    rate,
    robustness_change,
    score_intervals,
)

LEAST = 0.92
"""A point below 93 %, for what a thousand draws leave open."""
SIZES = (12, 43, 100, 382)

Draw = np.random.Generator
Kind = tuple[str, Callable[[Draw, int], "bool | None"]]
"""What is drawn, and whether a draw of so many clusters holds the truth; None where there is no interval."""


def scores() -> Iterator[Kind]:
    """Scores of scenarios between 0 and 1, from alike to mostly perfect, and their changes."""
    kinds: dict[str, tuple[Callable[[Draw, int], Any], float]] = {
        "score, beta(7, 3)": (lambda draw, n: draw.beta(7, 3, n), 0.7),
        "score, beta(0.7, 0.3)": (lambda draw, n: draw.beta(0.7, 0.3, n), 0.7),
        "score, 60 % perfect": (lambda draw, n: np.where(draw.random(n) < 0.6, 1.0, draw.random(n)), 0.8),
        "score, 90 % perfect": (lambda draw, n: np.where(draw.random(n) < 0.9, 1.0, draw.random(n)), 0.95),
    }
    for name, (drawn, truth) in kinds.items():

        def holds(draw: Draw, n: int, drawn: Callable[[Draw, int], Any] = drawn, truth: float = truth) -> bool:
            return _holds(score_intervals(_sums(drawn(draw, n)), _mean).get("mean"), truth)

        yield name, holds

    def changed(draw: Draw, n: int) -> bool:
        before = np.where(draw.random(n) < 0.6, 1.0, draw.random(n))
        after = before * draw.beta(8, 2, n)
        return _holds(change_intervals(_sums(before), _sums(after), _mean).get("mean"), -0.16)

    yield "change of a score", changed


def _sums(values: Any) -> list[dict[str, float]]:
    return [{"value": float(value), "n": 1.0} for value in values]


def _mean(sums: Any) -> dict[str, Any]:
    return {"mean": sums["value"] / sums["n"]}


def costs() -> Iterator[Kind]:
    """Skewed costs: lognormal with a deviation of the logarithm of 0.3 to 1, and the change between two agents."""
    for spread in (0.3, 0.6, 1.0):

        def holds(draw: Draw, n: int, spread: float = spread) -> bool:
            found = np.exp(spread * draw.normal(size=n))
            return _holds(mean_interval(list(found), [1] * n), float(np.exp(spread**2 / 2)))

        yield f"cost, lognormal {spread:g}", holds

    def changed(draw: Draw, n: int) -> bool | None:
        first = np.exp(0.6 * draw.normal(size=n))
        second = 1.5 * first * np.exp(0.4 * draw.normal(size=n) - 0.08)
        found = mean_change(list(first), list(second), [1] * n)
        return None if found is None or found.ratio is None else _holds(found.ratio, 1.5)

    yield "ratio of costs", changed


def faults() -> Iterator[Kind]:
    """The change of R, where all kinds of faults take the same, and where one is the worst."""
    for name, first, second in (
        ("change of R, ties", (0.8, 0.8, 0.8), (0.8, 0.8, 0.8)),
        ("change of R, one worst", (1.0, 1.0, 1.0), (0.9, 0.5, 0.9)),
    ):

        def holds(
            draw: Draw, n: int, first: Sequence[float] = first, second: Sequence[float] = second
        ) -> bool | None:
            chances = draw.beta(2, 1, n)
            sides = []
            for kept in (first, second):
                passed = {"E0": draw.random(n) < chances}
                passed |= {f"E{m}": draw.random(n) < part * chances for m, part in enumerate(kept, 1)}
                sides.append([{mode: [bool(of[task])] for mode, of in passed.items()} for task in range(n)])
            found = robustness_change(list(zip(*sides, strict=True)))
            return None if found.interval is None else _holds(found.interval, min(second) - min(first))

        yield name, holds


def judges() -> Iterator[Kind]:
    """Rates corrected by an audit of 16 right and 48 wrong pieces of work, or by labels on 12 or more samples."""
    for right in (0.1, 0.5, 0.9):
        for s, t in ((0.95, 0.9), (0.8, 0.7), (1.0, 0.97)):

            def audited(draw: Draw, n: int, right: float = right, s: float = s, t: float = t) -> bool | None:
                said = _judged(draw, draw.random(n) < right, s, t)
                found = corrected_rate(
                    rate(_tries(said)), rate(_tries(draw.random(16) < s)), rate(_tries(draw.random(48) < t))
                )
                return None if found is None else _holds(found.interval, right)

            def labelled(draw: Draw, n: int, right: float = right, s: float = s, t: float = t) -> bool:
                truth = draw.random(n) < right
                said = _judged(draw, truth, s, t)
                some = draw.choice(n, max(12, n // 8), replace=False)
                tries = [TaskTries(str(at), (float(said[at]),), (float(truth[at]),)) for at in some]
                return _holds(prediction_powered(_tries(said), tries).interval, right)

            yield f"audit, right {right:g}, {s:g} / {t:g}", audited
            yield f"labels, right {right:g}, {s:g} / {t:g}", labelled


def _judged(draw: Draw, truth: Any, sensitivity: float, specificity: float) -> Any:
    return np.where(truth, draw.random(len(truth)) < sensitivity, draw.random(len(truth)) >= specificity)


def _tries(values: Any) -> list[TaskTries]:
    return [TaskTries(str(n), (float(value),)) for n, value in enumerate(values)]


def _holds(interval: tuple[float, float] | None, truth: float) -> bool:
    return interval is not None and interval[0] - 1e-9 <= truth <= interval[1] + 1e-9


def main(words: Sequence[str] | None = None) -> None:
    """Print how often each interval holds the truth; exits with 1 where fewer than 92 % do from 43 clusters on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=positive, default=1000, help="draws of each (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the draws (default 1)")
    given = parser.parse_args(words)
    print(f"{machine()}; {given.draws} draws of each\n\nIntervals that hold the truth, % (nominal 95)\n")
    missed, rows = 0, []
    for name, holds in (*scores(), *costs(), *faults(), *judges()):
        cells = []
        for n in SIZES:
            draw = np.random.default_rng(given.seed)
            known = [held for _ in range(given.draws) if (held := holds(draw, n)) is not None]
            share = sum(known) / max(1, len(known))
            missed += n >= SIZES[1] and share < LEAST
            cells.append(f"{100 * share:.1f}")
        rows.append([name, *cells])
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_cells(["figure", *(f"{n} clusters" for n in SIZES)], rows)
    print(f"\n{missed} limits missed" if missed else "\nall limits kept")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
