"""A run held against its limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError
from worktrial.results.comparison import Comparison, compare_runs
from worktrial.results.comparison.changes import passed
from worktrial.results.conditions import (
    by_condition,
    cluster_by,
    headline,
    robustness_by_setting,
    settings_with_all_modes,
)
from worktrial.results.gate.limits import Criterion, GateLimits, ObservedValue, at_least, at_most, cannot_judge
from worktrial.results.gate.regression import judge_regression
from worktrial.results.spending import QUANTITIES, unseen, why_unknown
from worktrial.statistics import Interval, ZeroCleanRate, bootstrap, wilson


def completion_of(records: Sequence[SampleRecord], confidence: float) -> ObservedValue:
    """The completion rate over all `records`; an invalid one counts as not passed."""
    return _share("passed", records, passed, confidence)


def invalid_of(records: Sequence[SampleRecord], confidence: float) -> ObservedValue:
    """The share of invalid samples."""
    return _share("are invalid", records, lambda record: float(record.outcome == "invalid"), confidence)


def mean_of(
    records: Sequence[SampleRecord], value: Callable[[SampleRecord], float], unit: str, confidence: float
) -> ObservedValue:
    """The mean of a quantity, with a bootstrap over scenarios (tasks, where there are none).

    Args:
        records: At least one.
        value: The quantity of one of them.
        unit: `{}` with the number, such as `${:.4f}`.
        confidence: Of the interval.
    """
    clusters = _clusters(records, value)
    mean = sum(map(value, records)) / len(records)
    interval = bootstrap(clusters, _mean, confidence=confidence)["mean"] if len(clusters) > 1 else None
    words = f"{unit.format(mean)} a sample, mean of {counted(len(records))}"
    return ObservedValue(mean, interval, words, _span(interval, unit.format, confidence))


def percent(share: float) -> str:
    """A share as it is to be read."""
    return f"{share * 100:.1f} %"


def counted(n: int) -> str:
    """A number of samples."""
    return "1 sample" if n == 1 else f"{n:,} samples"


def _share(
    verb: str, records: Sequence[SampleRecord], value: Callable[[SampleRecord], float], confidence: float
) -> ObservedValue:
    n, successes = len(records), int(sum(map(value, records)))
    clusters = _clusters(records, value)
    tasks = len({record.sample for record in records})
    interval: Interval | None
    if len(clusters) == n:
        interval = wilson(successes, n, confidence)
    elif successes in (0, n):
        # All draws would be alike. Repeats of a task are no further evidence.
        interval = wilson(tasks if successes else 0, tasks, confidence)
    else:
        interval = bootstrap(clusters, _mean, confidence=confidence)["mean"] if len(clusters) > 1 else None
    words = f"{percent(successes / n)} of {counted(n)} {verb}"
    return ObservedValue(successes / n, interval, words, _span(interval, percent, confidence))


def _span(interval: Interval | None, shown: Callable[[float], str], confidence: float) -> str:
    if interval is None:
        return ""
    return f"{confidence * 100:g} % interval {shown(interval.low)} to {shown(interval.high)}"


def _clusters(records: Sequence[SampleRecord], value: Callable[[SampleRecord], float]) -> list[dict[str, float]]:
    """Sums of what varies together."""
    cluster_of = cluster_by(records)
    found: dict[str, dict[str, float]] = {}
    for record in records:
        sums = found.setdefault(cluster_of(record), {"value": 0.0, "n": 0.0})
        sums["value"] += value(record)
        sums["n"] += 1
    return list(found.values())


def _mean(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {"mean": sums["value"] / sums["n"]}


CostOf = Literal["all", "agent"]


@dataclass(frozen=True, slots=True)
class Gate:
    """Outcome of a gate."""

    run: str
    """The run's folder."""
    baseline: str | None
    condition: str
    """Condition that completion, regression, cost and time are about."""
    level: float
    sure: bool
    criteria: tuple[Criterion, ...]
    """One for each limit that was given."""
    comparison: Comparison | None
    """Comparison with the baseline; None without one."""

    @property
    def passed(self) -> bool:
        """Whether the run keeps to every limit."""
        return all(criterion.passed for criterion in self.criteria)


def judge_gate(
    run: StoredRun,
    limits: GateLimits,
    *,
    baseline: StoredRun | None = None,
    condition: str | None = None,
    level: float = 0.05,
    sure: bool = False,
    cost_of_whom: CostOf = "all",
    seed: int = 0,
) -> Gate:
    """Hold `run` against `limits`. What cannot be judged fails, with the reason.

    Whether run and baseline are comparable is left to the caller: look at `Gate.comparison`.

    Args:
        run: What is judged.
        limits: At least one.
        baseline: What `max_regression` is about.
        condition: Judge this fault condition; None for E0 where the run has it, else its first.
        level: Of significance; intervals are made to fit, 95 % for 0.05.
        sure: A limit counts as kept only where the interval's end keeps to it, not just the value.
        cost_of_whom: `all` roles, or the `agent`'s own requests.
        seed: Of the bootstrap's and the permutation test's draws.

    Raises:
        SettingError: there is a limit to the regression and no baseline, or the other way round, or no sample of
            the condition.
    """
    if limits.max_regression is not None and baseline is None:
        raise SettingError("--max-regression: there is nothing to compare with; name a run with --baseline")
    if limits.max_regression is None and baseline is not None:
        raise SettingError(
            "--baseline: nothing is compared with it; say with --max-regression what drop is too much"
        )
    conditions = by_condition(run.records)
    chosen = condition or headline(list(conditions))
    if chosen not in conditions and not run.missing:
        raise SettingError(f"{run.folder} has no sample under {chosen}; it has {', '.join(conditions) or 'none'}")
    compared = None
    if baseline is not None:
        compared = compare_runs(baseline, run, confidence=1 - level, seed=seed, condition=chosen)
    judge = _Judge(run, conditions.get(chosen, []), 1 - level, sure, cost_of_whom)
    criteria = []
    for field in fields(limits):
        limit = getattr(limits, field.name)
        if limit is None:
            continue
        if run.missing:
            still = "1 sample has" if run.missing == 1 else f"{run.missing} samples have"
            criteria.append(cannot_judge(field.name, limit, f"the run is unfinished, {still} yet to finish"))
        elif field.name == "max_regression" and compared is not None and baseline is not None:
            criteria.append(judge_regression(limit, compared, baseline, run, level=level, sure=sure))
        else:
            criteria.append(getattr(judge, field.name)(limit))
    folder = None if baseline is None else str(baseline.folder)
    return Gate(str(run.folder), folder, chosen, level, sure, tuple(criteria), compared)


@dataclass(frozen=True, slots=True)
class _Judge:
    """A method for each limit that is about the run alone, by the limit's name."""

    run: StoredRun
    records: list[SampleRecord]
    """Records of the condition."""
    confidence: float
    sure: bool
    cost_of_whom: CostOf

    def min_completion(self, limit: float) -> Criterion:
        found = completion_of(self.records, self.confidence)
        return at_least("min_completion", limit, percent(limit), found, sure=self.sure)

    def max_invalid(self, limit: float) -> Criterion:
        found = invalid_of(self.run.records, self.confidence)
        return at_most("max_invalid", limit, percent(limit), found, sure=self.sure)

    def max_cost_per_task(self, limit: float) -> Criterion:
        own = self.cost_of_whom == "agent"
        return self._mean("max_cost_per_task", "agent cost" if own else "cost", "${:.4f}", limit)

    def max_seconds(self, limit: float) -> Criterion:
        return self._mean("max_seconds", "seconds", "{:.1f} s", limit)

    def min_robustness(self, limit: float) -> Criterion:
        judge = partial(cannot_judge, "min_robustness", limit)
        conditions = by_condition(self.run.records)
        found = robustness_by_setting(conditions, self.confidence)
        if not found or found.keys() != settings_with_all_modes(conditions).keys():
            tried = ", ".join(conditions)
            return judge(f"it needs tasks with a verdict in each of E0, E1, E2 and E3; the run has {tried}")
        criteria = []
        for setting, value in found.items():
            name = f"R ({setting})" if setting else "R"
            if isinstance(value, ZeroCleanRate):
                return judge(f"{name} has no value, because nothing passes without faults")
            low, high = value.interval
            span = f"{self.confidence * 100:g} % interval {low:.2f} to {high:.2f}"
            words = f"{name} = {value.value:.2f}, worst in {value.worst}, over {value.tasks} tasks"
            estimate = ObservedValue(value.value, value.interval if value.tasks > 1 else None, words, span)
            criteria.append(at_least("min_robustness", limit, f"{limit:g}", estimate, sure=self.sure))
        # Every setting has to hold; the one furthest below is told.
        return min(criteria, key=lambda c: (c.passed, c.observed if c.observed is not None else -1.0))

    def _mean(self, name: str, quantity: str, unit: str, limit: float) -> Criterion:
        value = QUANTITIES[quantity]
        judged = [record for record in self.records if record.outcome != "invalid"]
        unknown = unseen(self.run).get(quantity) or why_unknown(judged, value)
        if unknown is not None or not judged:
            return cannot_judge(name, limit, unknown or "no sample has a verdict")
        # None is ruled out by the line above.
        found = mean_of(judged, lambda record: value(record) or 0.0, unit, self.confidence)
        return at_most(
            name, limit, f"${limit:g}" if unit.startswith("$") else f"{limit:g} s", found, sure=self.sure
        )
