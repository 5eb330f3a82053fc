"""Change of robustness between two runs of the same tasks."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, inf, sqrt

from worktrial.statistics.estimates import Estimand
from worktrial.statistics.rates import Interval, normal_quantile
from worktrial.statistics.robustness import CLEAN, Outcomes, Robustness, kept_by_worst, shared_tries


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
    """The change of R, with an interval from those of both runs, whichever kinds of faults are the worst.

    Their distances from both values add up as those of independent figures do, less what clusters move both by
    (MOVER; G. Y. Zou and A. Donner, *Construction of confidence limits about effect measures*, Statistics in
    Medicine 27, 2008).

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
    sides = [_kept([(cluster, task[n]) for cluster, *task in shared], confidence) for n in (0, 1)]
    first, second = (None if side is None else side[0].value for side in sides)
    if sides[0] is None or sides[1] is None or first is None or second is None:
        return RobustnessChange(len(shared), first, second, None, None)
    interval = _between(*sides[0], *sides[1], normal_quantile(confidence) ** 2)
    return RobustnessChange(len(shared), first, second, second - first, interval)


def _kept(
    tried: Sequence[tuple[str, dict[str, tuple[float, ...]]]], confidence: float
) -> tuple[Robustness, list[float]] | None:
    """R of one run; None where nothing passes without faults."""
    if not any(any(of[CLEAN]) for _, of in tried):
        return None
    return kept_by_worst(tried, Estimand.WORK, confidence)


def _between(
    first: Robustness, by_first: Sequence[float], second: Robustness, by_second: Sequence[float], square: float
) -> Interval:
    """Interval of the second minus the first.

    Args:
        first: Of the first run.
        by_first: By how much each cluster moves it.
        second: Of the second run.
        by_second: By how much each cluster moves it.
        square: Of the critical value.
    """
    both = fsum(a * b for a, b in zip(by_first, by_second, strict=True))
    spread = sqrt(fsum(a * a for a in by_first) * fsum(b * b for b in by_second))
    # Runs that are alike on few clusters may not be so on others, as in a score interval without a difference.
    clusters = len(by_first)
    correlation = both / spread * clusters / (clusters + square) if spread else 0.0
    difference = second.value - first.value
    down = _reach(second.value - second.interval.low, first.interval.high - first.value, correlation)
    up = _reach(second.interval.high - second.value, first.value - first.interval.low, correlation)
    return Interval(difference - down, difference + up)


def _reach(one: float, other: float, correlation: float) -> float:
    if inf in (one, other):
        return inf
    return sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))
