"""Change of robustness between two runs of the same tasks."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, inf, sqrt
from statistics import NormalDist

from worktrial.statistics.estimates import TaskTries, ratio
from worktrial.statistics.rates import Interval
from worktrial.statistics.robustness import CLEAN, FAULTED, Outcomes, shared_tries


@dataclass(frozen=True, slots=True)
class RobustnessChange:
    """R in two runs, over the tasks that both have a verdict for in all four modes."""

    tasks: int
    first: float | None
    """R of the first run; None where nothing passes without faults."""
    second: float | None
    difference: float | None
    """Second minus first."""
    interval: Interval | None
    """Interval of the difference, on work like this; an end may be infinite, where almost nothing passes without
    faults. None where a run has no R."""


def robustness_change(
    tasks: Iterable[tuple[Outcomes, Outcomes]],
    *,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> RobustnessChange:
    """The change of R, with an interval that holds whichever kinds of faults are the worst.

    For every kind of the first and every kind of the second run there is an interval of the difference of their
    two ratios to the clean rate, from the score intervals of both (MOVER; G. Y. Zou and A. Donner, *Construction
    of confidence limits about effect measures*, Statistics in Medicine 27, 2008) and their correlation over
    clusters. The change of R is the smallest, over the second's kinds, of the largest, over the first's, of these
    differences. So its lower end is the same of the lower ends, where only those over the first's kinds have to
    hold together (Bonferroni), and its upper end likewise the other way round.

    Args:
        tasks: For each task the outcomes of the first and of the second run. Only those with an outcome in all four
            conditions of both count.
        clusters: For each task what it varies together with; None: each task is its own.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: no task was tried in all conditions of both, `confidence` is out of range, or there are not as
            many clusters as tasks.
    """
    listed = list(tasks)
    belongs = list(range(len(listed))) if clusters is None else list(clusters)
    if len(belongs) != len(listed):
        raise ValueError(f"there must be one cluster for each task; got {len(belongs)} for {len(listed)}")
    shared = [
        (str(cluster), one, other)
        for task, cluster in zip(listed, belongs, strict=True)
        if (one := shared_tries(task[0])) and (other := shared_tries(task[1]))
    ]
    if not shared:
        raise ValueError("no task has an outcome in each of E0, E1, E2 and E3 of both")
    together = 1 - (1 - confidence) / len(FAULTED)
    sides = [
        _kept([(cluster, one) for cluster, one, _ in shared], together),
        _kept([(cluster, other) for cluster, _, other in shared], together),
    ]
    first, second = (min((kept.value for kept in side), default=None) for side in sides)
    if first is None or second is None:
        return RobustnessChange(len(shared), first, second, None, None)
    square = NormalDist().inv_cdf((1 + together) / 2) ** 2
    ends = [[_moved(one, other, square) for one in sides[0]] for other in sides[1]]
    low = min(max(interval.low for interval in of) for of in ends)
    high = max(min(of[n].high for of in ends) for n in range(len(FAULTED)))
    return RobustnessChange(len(shared), first, second, second - first, Interval(low, high))


@dataclass(frozen=True, slots=True)
class _Kept:
    """A ratio to the clean rate, and how much each cluster moves it."""

    value: float
    interval: Interval
    moved: Sequence[float]


def _kept(tasks: Sequence[tuple[str, dict[str, tuple[float, ...]]]], confidence: float) -> list[_Kept]:
    """Every kind of faults beside the clean condition; none where nothing passes without faults."""
    if not any(any(tries[CLEAN]) for _, tries in tasks):
        return []
    found = []
    for mode in FAULTED:
        own = ratio([TaskTries(cluster, of[CLEAN], of[mode]) for cluster, of in tasks], confidence=confidence)
        moved: dict[str, float] = {}
        for cluster, of in tasks:
            by = fsum(of[mode]) - own.value * fsum(of[CLEAN])
            moved[cluster] = moved.get(cluster, 0.0) + by
        found.append(_Kept(own.value, own.interval, list(moved.values())))
    return found


def _moved(first: _Kept, second: _Kept, square: float) -> Interval:
    """Interval of the second minus the first.

    Args:
        first: Of the first run.
        second: Of the second.
        square: Of the critical value.
    """
    both = fsum(a * b for a, b in zip(first.moved, second.moved, strict=True))
    spread = sqrt(fsum(a * a for a in first.moved) * fsum(b * b for b in second.moved))
    # Runs that are alike on few clusters may not be so on others, as in a score interval without a difference.
    clusters = len(first.moved)
    correlation = both / spread * clusters / (clusters + square) if spread else 0.0
    difference = second.value - first.value
    down = _reach(second.value - second.interval.low, first.interval.high - first.value, correlation)
    up = _reach(second.interval.high - second.value, first.value - first.interval.low, correlation)
    return Interval(difference - down, difference + up)


def _reach(one: float, other: float, correlation: float) -> float:
    if inf in (one, other):
        return inf
    return sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))
