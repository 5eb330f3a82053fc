"""Observations in stored runs that tell the size of the next trial."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean, median_low
from typing import TypedDict

from worktrial.engine.stored import StoredRun
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.changes import pair_of
from worktrial.results.completion import paired_tries, passed
from worktrial.results.conditions import by_condition, cluster_by, headline, tallies
from worktrial.results.outcomes import OutcomeTally
from worktrial.statistics import Estimate, Rate, TaskTries, difference, pass_hat_k, rate


@dataclass(frozen=True, slots=True)
class ObservedRun:
    """The figures of one run from which the next one is planned; of its headline condition."""

    condition: str
    tasks: int
    repeats: int
    """Tries of a task; the median, where tasks differ."""
    rate: float
    """Passes among all samples; an invalid one counts as not passed."""
    repeat_correlation: float | None
    """The correlation of two tries of a task; None without repeats, or where all went alike."""
    clusters: int
    """Scenarios that the tasks come in; as many as tasks where none belong together."""
    cluster_effect: float
    """Tasks that are worth one independent task in a statement on work like this."""


@dataclass(frozen=True, slots=True)
class ObservedPair:
    """Outcomes of two runs on the same tasks, in one condition."""

    condition: str
    tasks: int
    """Tasks with a pair of verdicts."""
    repeats: int
    rate: float
    """The first run's passes among the pairs."""
    differing: Rate
    """Pairs that only one of the two passed, among those with two verdicts."""
    left_out: int
    """Pairs of which one or both are invalid, or under other faults."""
    repeat_correlation: float | None
    """The mean of the two runs', as far as they have one."""
    clusters: int
    """Scenarios that the tasks come in."""
    cluster_effect: float
    """Tasks that are worth one independent task in a difference on work like this."""


def observe(run: StoredRun) -> ObservedRun:
    """Observe the agent of `run`.

    Raises:
        DataError: no sample has finished.
    """
    conditions = tallies(by_condition(run.records))
    if not conditions:
        raise DataError(run.folder, "no sample has finished", "Name a run with finished samples")
    condition = headline(list(conditions))
    return observed_in(condition, conditions[condition])


def observed_in(condition: str, tally: OutcomeTally) -> ObservedRun:
    """Observe the agent of a run by the outcomes under its headline condition, of which there are some."""
    cluster_of = cluster_by(tally.tasks.values())
    tries = [TaskTries(cluster_of(task), task.values) for task in tally.tasks.values()]
    return ObservedRun(
        condition=condition,
        tasks=len(tries),
        repeats=median_low(sorted(len(task.first) for task in tries)),
        rate=fmean(chain.from_iterable(task.first for task in tries)),
        repeat_correlation=_repeat_correlation(tally),
        **_clustered(tries, rate),
    )


def observe_pair(first: StoredRun, second: StoredRun) -> ObservedPair:
    """Observe two runs beside each other, in the first run's headline condition.

    Raises:
        DataError: the runs share no sample with two verdicts in that condition.
    """
    condition = observe(first).condition
    pair = pair_of(first, second)
    pairs, judged = pair.shared.get(condition, []), pair.counted.get(condition, [])
    if not judged:
        what = f"no sample under {condition} has a verdict here and in {first.folder}"
        raise DataError(second.folder, what, "Name two runs of the same tasks")
    sides = tallies({"first": [one.first for one in judged], "second": [one.second for one in judged]})
    known = [found for side in sides.values() if (found := _repeat_correlation(side)) is not None]
    tries = paired_tries(judged)
    return ObservedPair(
        condition=condition,
        tasks=len(tries),
        repeats=median_low(sorted(len(task.first) for task in tries)),
        rate=fmean(passed(one.first) for one in judged),
        differing=Rate(sum(p.first.outcome is not p.second.outcome for p in judged), len(judged)),
        left_out=len(pairs) - len(judged),
        repeat_correlation=fmean(known) if known else None,
        **_clustered(tries, difference),
    )


class _Clustered(TypedDict):
    clusters: int
    cluster_effect: float


def _clustered(tries: Sequence[TaskTries], figure: Callable[[Sequence[TaskTries]], Estimate]) -> _Clustered:
    """Clusters of the tasks, and how many tasks are worth one: what the figure knows without them and with them."""
    clusters = {task.cluster for task in tries}
    if not 1 < len(clusters) < len(tries):
        return {"clusters": len(clusters), "cluster_effect": 1.0}
    alone = [replace(task, cluster=str(place)) for place, task in enumerate(tries)]
    effect = figure(alone).effective / figure(tries).effective
    return {"clusters": len(clusters), "cluster_effect": max(1.0, effect)}


def _repeat_correlation(tally: OutcomeTally) -> float | None:
    """Correlation of two tries of a task: (mean pass^2 - rate^2) / (rate (1 - rate)), within 0 and 1."""
    outcomes = [[*task.by_repeat.values()] for task in tally.tasks.values()]
    valid = [(len(of) - of.count(Outcome.INVALID), of.count(Outcome.PASS)) for of in outcomes]
    counts = [(n, passed) for n, passed in valid if n > 1]
    if not counts:
        return None
    rate = fmean(passed / n for n, passed in counts)
    if rate in (0, 1):
        return None
    both = fmean(pass_hat_k(n, passed, 2) for n, passed in counts)
    return min(1.0, max(0.0, (both - rate * rate) / (rate * (1 - rate))))
