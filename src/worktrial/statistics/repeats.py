"""Several tries of the same task: passes every time, and at least once."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from worktrial.statistics.bootstrap import bootstrap
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
    """Groups of tasks that were drawn together for the intervals."""


def over_tasks(
    tasks: Iterable[Sequence[bool]],
    k: int,
    *,
    clusters: Iterable[Hashable] | None = None,
    confidence: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Repeats | None:
    """Mean pass@k and pass^k over tasks, every task counting the same, with bootstrap intervals.

    What is drawn for the intervals are whole clusters: repeats of one task are not independent, and neither
    are tasks of one scenario. An interval over tasks that all had the same outcome has no width, which says
    that the tasks did not differ and not that the figure is certain.

    Args:
        tasks: The passes and failures of each task's tries.
        k: How many tries are asked about.
        clusters: For each task what it belongs to, a scenario for instance. None: each task is its own.
        confidence: Between 0 and 1, exclusive.
        draws: How many bootstrap samples.
        seed: The same tasks in the same order and seed give the same intervals.

    Returns:
        None when no task was tried `k` times.

    Raises:
        ValueError: `k` or `draws` is below 1, `confidence` out of range, or there are not as many clusters
            as tasks.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1; got {k}")
    tried = list(tasks)
    belongs = list(range(len(tried))) if clusters is None else list(clusters)
    if len(belongs) != len(tried):
        raise ValueError(f"there must be one cluster for each task; got {len(belongs)} for {len(tried)}")
    sums: dict[Hashable, dict[str, float]] = {}
    for outcomes, cluster in zip(tried, belongs, strict=True):
        if len(outcomes) >= k:
            of = sums.setdefault(cluster, {"tasks": 0.0, "any": 0.0, "all": 0.0})
            of["tasks"] += 1
            of["any"] += pass_at_k(len(outcomes), sum(outcomes), k)
            of["all"] += pass_hat_k(len(outcomes), sum(outcomes), k)
    if not sums:
        return None
    drawn = bootstrap(list(sums.values()), _means, confidence=confidence, draws=draws, seed=seed)
    total = {key: sum(of[key] for of in sums.values()) for key in ("tasks", "any", "all")}
    counted = int(total["tasks"])
    return Repeats(
        k=k,
        at_least_one=total["any"] / counted,
        at_least_one_interval=drawn["any"],
        every_time=total["all"] / counted,
        every_time_interval=drawn["all"],
        tasks=counted,
        too_few=len(tried) - counted,
        clusters=len(sums),
    )


def _means(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {"any": sums["any"] / sums["tasks"], "all": sums["all"] / sums["tasks"]}


def _check(n: int, c: int, k: int) -> None:
    if not 0 <= c <= n:
        raise ValueError(f"c must be between 0 and n; got {c} of {n}")
    if not 1 <= k <= n:
        raise ValueError(f"k must be between 1 and n; got {k} of {n}")
