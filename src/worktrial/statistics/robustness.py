"""Robustness: the share of an agent's completion rate that survives faults."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from worktrial.errors import WorktrialError
from worktrial.statistics.estimates import Estimand, TaskTries, ratio_at
from worktrial.statistics.minimum import minimum_confidences
from worktrial.statistics.rates import Interval

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
    """Smallest rate under faults over the clean one. With few tasks it lies low where conditions are alike: the
    smallest of several estimates is on average too small."""
    interval: Interval
    """The upper end may be infinite, where almost nothing passes without faults."""
    worst: str
    """The condition with the lowest rate; the first of equals."""
    tasks: int
    clusters: int
    estimand: Estimand


def estimate_robustness(
    tasks: Iterable[Outcomes],
    *,
    clusters: Iterable[Hashable] | None = None,
    estimand: Estimand = Estimand.WORK,
    confidence: float = 0.95,
) -> Robustness:
    """R with its interval.

    Each kind of faults has a score interval for its ratio to the clean rate, paired by task. R is the smallest of
    these ratios, its ends the smallest of their ends, at confidences at which these hold (`minimum_confidences`).
    On these tasks the lower ends are of `confidence` (an intersection-union test, R. L. Berger, Technometrics 24,
    1982) and the upper ends hold together (Bonferroni).

    Args:
        tasks: Only those with an outcome in all four conditions count, and of these only as many repeats as
            all conditions have.
        clusters: For each task what it varies together with; None: each task is its own.
        estimand: What the interval is about.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ZeroCleanRate: nothing passes in E0.
        ValueError: no task was tried in all conditions, `confidence` is out of range, or there are not as many
            clusters as tasks.
    """
    listed = list(tasks)
    belongs = list(range(len(listed))) if clusters is None else list(clusters)
    if len(belongs) != len(listed):
        raise ValueError(f"there must be one cluster for each task; got {len(belongs)} for {len(listed)}")
    tried = [
        (str(cluster), shared)
        for task, cluster in zip(listed, belongs, strict=True)
        if (shared := shared_tries(task))
    ]
    if not tried:
        raise ValueError("no task has an outcome in each of E0, E1, E2 and E3")
    if not any(any(shared[CLEAN]) for _, shared in tried):
        raise ZeroCleanRate
    return kept_by_worst(tried, estimand, confidence)[0]


def kept_by_worst(
    tried: Sequence[tuple[str, Mapping[str, tuple[float, ...]]]], estimand: Estimand, confidence: float
) -> tuple[Robustness, list[float]]:
    """R, and by how much each cluster moves the ratio of the worst kind of faults.

    Args:
        tried: Cluster of each task and its outcomes in all conditions, some clean one a pass.
        estimand: What the interval is about.
        confidence: Between 0 and 1, exclusive.
    """
    kinds = [[TaskTries(cluster, of[CLEAN], of[condition]) for cluster, of in tried] for condition in FAULTED]
    passed = fsum(fsum(of[CLEAN]) for _, of in tried)
    values = [fsum(fsum(task.second) for task in own) / passed for own in kinds]
    moved = [_moved(own, value, passed) for own, value in zip(kinds, values, strict=True)]
    # How tasks differ says nothing of tries of fixed ones: then each kind as if it decided, and all have to hold.
    ends = confidence, 1 - (1 - confidence) / len(FAULTED)
    if estimand is Estimand.WORK:
        ends = minimum_confidences(values, moved, confidence)
    found = [ratio_at(own, ends, estimand) for own in kinds]
    worst = values.index(min(values))
    kept = Robustness(
        value=values[worst],
        interval=Interval(min(low.interval.low for low, _ in found), min(high.interval.high for _, high in found)),
        worst=FAULTED[worst],
        tasks=len(tried),
        clusters=found[worst][0].clusters,
        estimand=estimand,
    )
    return kept, moved[worst]


def _moved(tasks: Sequence[TaskTries], value: float, passed: float) -> list[float]:
    """Moves of a ratio to the clean rate, one for each cluster."""
    moved: dict[str, float] = {}
    for task in tasks:
        own = fsum(task.second) - value * fsum(task.first)
        moved[task.cluster] = moved.get(task.cluster, 0.0) + own / passed
    return list(moved.values())


def shared_tries(task: Outcomes) -> dict[str, tuple[float, ...]]:
    """Outcomes of the repeats that all four conditions have; {} without any."""
    repeats = min(len(task.get(condition, ())) for condition in (CLEAN, *FAULTED))
    if not repeats:
        return {}
    return {condition: tuple(map(float, task[condition][:repeats])) for condition in (CLEAN, *FAULTED)}
