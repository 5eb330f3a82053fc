"""Robustness: the share of an agent's completion rate that survives faults."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from worktrial.errors import WorktrialError
from worktrial.statistics.rates import Interval

if TYPE_CHECKING:
    import numpy as np

CLEAN = "E0"
FAULTED = ("E1", "E2", "E3")

Outcomes = Mapping[str, Sequence[bool]]
"""One task: condition to the passes and failures of its repeats, in the same order in every condition."""


class ZeroCleanRate(WorktrialError):
    """Nothing passes without faults, so a share of that has no meaning."""

    def __init__(self) -> None:
        super().__init__("robustness: nothing passed without faults (E0), so there is nothing that could be lost")


def robustness(rates: Mapping[str, float]) -> float:
    """R = min(CR_E1, CR_E2, CR_E3) / CR_E0 (OccuBench, section 5.2): what the worst kind of faults leaves.

    Args:
        rates: The completion rates of E0, E1, E2 and E3, all as shares or all in percent.

    Raises:
        ZeroCleanRate: the rate of E0 is 0.
        KeyError: a rate is missing.
    """
    clean = rates[CLEAN]
    if not clean:
        raise ZeroCleanRate
    return min(rates[condition] for condition in FAULTED) / clean


@dataclass(frozen=True, slots=True)
class Robustness:
    """R over the tasks that were tried in all four conditions."""

    value: float
    interval: Interval
    worst: str
    """The condition with the lowest rate; the first of equals."""
    tasks: int
    undefined: float
    """Share of the resamples without a clean pass, which the interval leaves out."""


def estimate_robustness(
    tasks: Iterable[Outcomes], *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Robustness:
    """R with its percentile bootstrap interval.

    Tasks are drawn with replacement, each with its outcomes in all conditions, because a hard task is hard
    in all of them (B. Efron and R. J. Tibshirani, *An Introduction to the Bootstrap*, 1993, chapters 8 and
    13). The smallest rate is looked for in every resample anew: the uncertainty about which kind of fault is
    the worst is part of it. The smallest of several estimates is on average too small, so with few tasks R
    and its interval lie somewhat low.

    Args:
        tasks: Only those with an outcome in all four conditions count, and of these only as many repeats as
            all conditions have.
        confidence: Between 0 and 1, exclusive.
        resamples: How many.
        seed: The same tasks, in any order, and seed give the same interval.

    Raises:
        ZeroCleanRate: nothing passes in E0.
        ValueError: no task was tried in all conditions, or `confidence` or `resamples` is out of range.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1; got {resamples}")
    kinds = Counter(passes for task in tasks if (passes := _passes(task)) is not None)
    if not kinds:
        raise ValueError("no task has an outcome in each of E0, E1, E2 and E3")
    # Every condition has the same samples, so sums of passes are in the same proportion as rates.
    clean, *faulted = (sum(times * passes[i] for passes, times in kinds.items()) for i in range(4))
    if not clean:
        raise ZeroCleanRate
    value = min(faulted) / clean
    ratios = _resampled(kinds, resamples, seed)
    return Robustness(
        value=value,
        # Nothing but resamples without a clean pass: what is known is the one observation.
        interval=_percentiles(ratios, confidence) if ratios.size else Interval(value, value),
        worst=FAULTED[faulted.index(min(faulted))],
        tasks=kinds.total(),
        undefined=1 - ratios.size / resamples,
    )


def _passes(task: Outcomes) -> tuple[int, ...] | None:
    """Passes in E0, E1, E2, E3."""
    repeats = min(len(task.get(condition, ())) for condition in (CLEAN, *FAULTED))
    if not repeats:
        return None
    return tuple(sum(task[condition][:repeats]) for condition in (CLEAN, *FAULTED))


def _resampled(kinds: Mapping[tuple[int, ...], int], resamples: int, seed: int) -> "np.ndarray[Any, Any]":
    """R of every resample with a clean pass.

    Args:
        kinds: Passes in E0 to E3, to the number of tasks with these.
        resamples: How many.
        seed: Of the draws.
    """
    import numpy as np

    # There are few kinds of outcome (16 with one repeat) and many tasks; drawing how often each kind occurs is the
    # same as drawing tasks. Sorted, because the draws must not depend on the order of the samples on disk.
    passes, times = (np.array(column) for column in zip(*sorted(kinds.items()), strict=True))
    drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), size=resamples)
    sums = drawn @ passes
    sums = sums[sums[:, 0] > 0]
    return np.asarray(sums[:, 1:].min(axis=1) / sums[:, 0])


def _percentiles(values: "np.ndarray[Any, Any]", confidence: float) -> Interval:
    import numpy as np

    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))
