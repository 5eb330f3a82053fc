"""Several tries of the same task: passes every time, and at least once."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import comb

from worktrial.statistics.estimates import TaskTries, rate
from worktrial.statistics.rates import Interval


def pass_at_k(n: int, c: int, k: int) -> float:
    """The chance that at least one of `k` tries passes, estimated without bias from `n` tries.

    1 - C(n-c, k) / C(n, k): the share of choices of `k` tries among the `n` with a pass in them (M. Chen et
    al., *Evaluating large language models trained on code*, 2021, equation 1).

    Args:
        n: How often the task was tried.
        c: How many of these tries passed.
        k: How many tries are asked about.

    Raises:
        ValueError: `c` is not between 0 and `n`, or `k` not between 1 and `n`.
    """
    _check(n, c, k)
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat_k(n: int, c: int, k: int) -> float:
    """The chance that all of `k` tries pass (pass^k), estimated without bias from `n` tries.

    C(c, k) / C(n, k): the share of choices of `k` tries among the `n` in which all passed (S. Yao et al.,
    *tau-bench*, 2024, section 4). What somebody needs to know who has a task done every day.

    Args:
        n: How often the task was tried.
        c: How many of these tries passed.
        k: How many tries are asked about.

    Raises:
        ValueError: `c` is not between 0 and `n`, or `k` not between 1 and `n`.
    """
    _check(n, c, k)
    return comb(c, k) / comb(n, k)


@dataclass(frozen=True, slots=True)
class Repeats:
    """pass@k and pass^k over tasks that were tried at least k times."""

    k: int
    at_least_one: float
    """Mean pass@k over the tasks."""
    at_least_one_interval: Interval
    every_time: float
    """Mean pass^k over the tasks."""
    every_time_interval: Interval
    tasks: int
    """Tasks with at least k tries."""
    too_few: int
    """Tasks left out because they were tried less often."""
    clusters: int
    """Groups of tasks that vary together."""


def over_tasks(
    tasks: Iterable[Sequence[bool]],
    k: int,
    *,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
) -> Repeats | None:
    """Mean pass@k and pass^k over tasks, every task counting the same, on work like this.

    Both are U-statistics over the tries of a task, and their intervals are those of a mean over tasks in clusters:
    repeats of one task are not independent, and neither are tasks of one scenario.

    Args:
        tasks: The passes and failures of each task's tries.
        k: How many tries are asked about.
        clusters: For each task what it belongs to, a scenario for instance. None: each task is its own.
        confidence: Between 0 and 1, exclusive.

    Returns:
        None when no task was tried `k` times.

    Raises:
        ValueError: `k` is below 1, `confidence` out of range, or there are not as many clusters as tasks.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1; got {k}")
    tried = list(tasks)
    belongs = list(range(len(tried))) if clusters is None else list(clusters)
    if len(belongs) != len(tried):
        raise ValueError(f"there must be one cluster for each task; got {len(belongs)} for {len(tried)}")
    counted = [
        (str(cluster), len(outcomes), sum(outcomes))
        for outcomes, cluster in zip(tried, belongs, strict=True)
        if len(outcomes) >= k
    ]
    if not counted:
        return None
    once, always = (
        rate([TaskTries(cluster, (chance(n, c, k),)) for cluster, n, c in counted], confidence=confidence)
        for chance in (pass_at_k, pass_hat_k)
    )
    return Repeats(
        k=k,
        at_least_one=once.value,
        at_least_one_interval=once.interval,
        every_time=always.value,
        every_time_interval=always.interval,
        tasks=len(counted),
        too_few=len(tried) - len(counted),
        clusters=once.clusters,
    )


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"c must be between 0 and n; got {c} of {n}")
    if not 1 <= k <= n:
        raise ValueError(f"k must be between 1 and n; got {k} of {n}")
