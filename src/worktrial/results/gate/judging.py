"""A run held against its limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from statistics import fmean
from typing import Literal

from worktrial.engine.pairing import pair_runs
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.results.comparison import Comparison, ConditionComparison, compare_runs
from worktrial.results.comparison.conditions import p_of
from worktrial.results.comparison.verdict import p_value, points, signed
from worktrial.results.completion import passed, share
from worktrial.results.conditions import (
    by_condition,
    headline,
    robustness_by_setting,
    settings_with_all_modes,
)
from worktrial.results.estimates import clusters, mean_estimate, too_few
from worktrial.results.gate.limits import (
    Criterion,
    GateLimits,
    ObservedValue,
    at_least,
    at_most,
    cannot_judge,
    exceeds,
)
from worktrial.results.spending import QUANTITIES, replayed, unseen, why_unknown
from worktrial.statistics import Estimand, Interval, ZeroCleanRate


def percent(share: float) -> str:
    """A share as it is to be read."""
    return f"{share * 100:.1f} %"


def counted(n: int) -> str:
    """A number of samples."""
    return "1 sample" if n == 1 else f"{n:,} samples"


def _share(
    verb: str, records: Sequence[SampleRecord], value: Callable[[SampleRecord], float], confidence: float
) -> ObservedValue:
    found = share(records, value, Estimand.THESE, confidence=confidence)
    assert found is not None, "the caller has a sample"
    words = f"{percent(found.value)} of {counted(found.samples)} {verb}"
    span = f"on these tasks, {_span(found.interval, percent, confidence)}"
    return ObservedValue(found.value, found.interval, words, span)


def _span(interval: Interval | None, shown: Callable[[float], str], confidence: float) -> str:
    if interval is None:
        return ""
    return f"{confidence * 100:g} % interval {shown(interval.low)} to {shown(interval.high)}"


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

    @property
    def label(self) -> str:
        """Line for every output where the baseline is not comparable; else ""."""
        return "" if self.comparison is None else self.comparison.label


def judge_gate(
    run: StoredRun,
    limits: GateLimits,
    *,
    baseline: StoredRun | None = None,
    condition: str | None = None,
    level: float = 0.05,
    sure: bool = False,
    cost_of_whom: CostOf = "all",
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

    Raises:
        SettingError: there is a limit to the regression and no baseline, or the other way round, or no sample of
            the condition.
    """
    if limits.max_regression is not None and baseline is None:
        raise SettingError(
            f"{option('max_regression')}: there is nothing to compare with; name a run with {option('baseline')}"
        )
    if limits.max_regression is None and baseline is not None:
        raise SettingError(
            f"{option('baseline')}: nothing is compared with it; say with {option('max_regression')} what drop is "
            "too much"
        )
    conditions = by_condition(run.records)
    chosen = condition or headline(list(conditions))
    if chosen not in conditions and not run.missing:
        raise SettingError(f"{run.folder} has no sample under {chosen}; it has {', '.join(conditions) or 'none'}")
    compared = None
    if baseline is not None:
        compared = compare_runs(baseline, run, confidence=1 - level, condition=chosen)
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
            criteria.append(_judge_regression(limit, compared, baseline, run, level=level, sure=sure))
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
        found = _share("passed", self.records, passed, self.confidence)
        return at_least("min_completion", limit, percent(limit), found, sure=self.sure)

    def max_invalid(self, limit: float) -> Criterion:
        found = _share(
            "are invalid", self.run.records, lambda record: float(record.outcome == "invalid"), self.confidence
        )
        return at_most("max_invalid", limit, percent(limit), found, sure=self.sure)

    def max_cost_per_task(self, limit: float) -> Criterion:
        own = self.cost_of_whom == "agent"
        return self._mean("max_cost_per_task", "agent cost" if own else "cost", "${:.4f}", limit)

    def max_seconds(self, limit: float) -> Criterion:
        return self._mean("max_seconds", "seconds", "{:.1f} s", limit)

    def min_robustness(self, limit: float) -> Criterion:
        judge = partial(cannot_judge, "min_robustness", limit)
        conditions = by_condition(self.run.records)
        found = robustness_by_setting(conditions, self.confidence, Estimand.THESE)
        if not found or found.keys() != settings_with_all_modes(conditions).keys():
            tried = ", ".join(conditions)
            return judge(f"it needs tasks with a verdict in each of E0, E1, E2 and E3; the run has {tried}")
        criteria = []
        for setting, value in found.items():
            name = f"R ({setting})" if setting else "R"
            if isinstance(value, ZeroCleanRate):
                return judge(f"{name} has no value, because nothing passes without faults")
            low, high = value.interval
            span = f"on these tasks, {self.confidence * 100:g} % interval {low:.2f} to {high:.2f}"
            words = f"{name} = {value.value:.2f}, worst in {value.worst}, over {value.tasks} tasks"
            estimate = ObservedValue(value.value, value.interval, words, span)
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
        of = list(clusters(judged, lambda record: {"value": value(record) or 0.0}).values())
        mean = mean_estimate(of, "value", confidence=self.confidence)
        mark = f", {said}" if (said := replayed(judged)) else ""
        words = f"{unit.format(mean.value)} a sample, mean of {counted(len(judged))}{mark}"
        span = _span(mean.interval, unit.format, self.confidence) or too_few(len(of))
        found = ObservedValue(mean.value or 0.0, mean.interval, words, span)
        return at_most(
            name, limit, f"${limit:g}" if unit.startswith("$") else f"{limit:g} s", found, sure=self.sure
        )


_REGRESSION = "max_regression"


def _judge_regression(
    margin: float, found: Comparison, baseline: StoredRun, run: StoredRun, *, level: float, sure: bool
) -> Criterion:
    """Fail where the completion rate drops by more than `margin` and that is no chance of the tries.

    The tasks are fixed, as a release is tried on the same ones as its baseline. By default the drop must be larger
    than the margin and significant, so that of equal agents hardly one in forty fails. With `sure` a drop by more
    than the margin has to be ruled out: the lower end of the interval counts (a test of non-inferiority).

    Args:
        margin: As a share.
        found: The comparison of baseline and run.
        baseline: The first run.
        run: The second.
        level: Of significance.
        sure: Whether chance has to be ruled out.
    """
    if baseline.missing:
        return cannot_judge(
            _REGRESSION, margin, f"the baseline is unfinished, {baseline.missing} samples are missing"
        )
    own = found.of(found.headline)
    if own is None or own.these is None:
        return cannot_judge(_REGRESSION, margin, "no sample has a verdict in both runs")
    drop, interval = -own.these.value, own.these.interval
    limit = f"the margin of {margin * 100:g} points"
    reason = ""
    if sure and exceeds(-interval.low, margin):
        reason = f"a drop by more than {limit} is not ruled out"
    elif exceeds(drop, margin) and interval.high < 0:
        reason = f"a drop by more than {limit} that is significant at {level:g}"
    said = _said(own, found.confidence, len(found.only_first))
    if reason:
        return Criterion(_REGRESSION, margin, -drop, interval, False, f"{said}: {reason}")
    if hidden := _hidden(margin, found.headline, baseline, run):
        return cannot_judge(_REGRESSION, margin, f"{said}, but {hidden}")
    good = (
        "no drop" if drop <= 0 else f"within {limit}" if not exceeds(drop, margin) else "a drop that may be chance"
    )
    return Criterion(_REGRESSION, margin, -drop, interval, True, f"{said}: {good}")


def _said(own: ConditionComparison, confidence: float, absent: int) -> str:
    assert own.effect is not None
    assert own.these is not None
    before, after = own.effect.first, own.effect.second
    left_out = f", {own.table.left_out} samples without two verdicts left out" if own.table.left_out else ""
    away = f", {absent} samples of the baseline are not in this run" if absent else ""
    sure = f"on these tasks, {confidence * 100:g} % interval {points(own.these.interval)}"
    return (
        f"{before * 100:.1f} % -> {after * 100:.1f} %, {signed(own.these.value)} points ({sure}, "
        f"p {p_value(p_of(own.these))}; {own.tasks} tasks{left_out}{away})"
    )


def _hidden(margin: float, condition: str, baseline: StoredRun, run: StoredRun) -> str | None:
    """Why samples of the run without a verdict may hide a drop; an agent that crashes leaves nothing to compare."""
    pairs = [
        pair
        for pair in pair_runs(baseline, run).pairs
        if pair.first.condition == condition and pair.first.outcome != "invalid"
    ]
    invalid = sum(pair.second.outcome == "invalid" for pair in pairs)
    drop = fmean(passed(pair.first) - passed(pair.second) for pair in pairs)
    if not invalid or not exceeds(drop, margin):
        return None
    return (
        f"{invalid} samples are invalid, and with these as not passed the drop would be {drop * 100:.1f} points, "
        f"more than the margin of {margin * 100:g}"
    )
