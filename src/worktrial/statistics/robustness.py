"""Robustness: the share of an agent's completion rate that survives faults."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worktrial.errors import WorktrialError
from worktrial.statistics.estimates import Estimand, TaskTries, ratio
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
    these ratios. Its lower end is the smallest of their lower ends, for which nothing has to be corrected: the true
    minimum lies below it only if the interval of that one ratio misses (an intersection-union test, R. L. Berger,
    Technometrics 24, 1982). Its upper end is the smallest of upper ends that hold together (Bonferroni).

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
    pairs = {
        condition: [TaskTries(cluster, shared[CLEAN], shared[condition]) for cluster, shared in tried]
        for condition in FAULTED
    }
    found = {condition: ratio(own, estimand, confidence=confidence) for condition, own in pairs.items()}
    together = 1 - (1 - confidence) / len(FAULTED)
    upper = [ratio(own, estimand, confidence=together).interval.high for own in pairs.values()]
    worst = min(found, key=lambda condition: found[condition].value)
    return Robustness(
        value=found[worst].value,
        interval=Interval(min(one.interval.low for one in found.values()), min(upper)),
        worst=worst,
        tasks=len(tried),
        clusters=found[worst].clusters,
        estimand=estimand,
    )


def shared_tries(task: Outcomes) -> dict[str, tuple[float, ...]]:
    """Outcomes of the repeats that all four conditions have; {} without any."""
    repeats = min(len(task.get(condition, ())) for condition in (CLEAN, *FAULTED))
    if not repeats:
        return {}
    return {condition: tuple(map(float, task[condition][:repeats])) for condition in (CLEAN, *FAULTED)}
