"""A run held against its limits."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Literal

from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.results.changes import RunPair, pair_of
from worktrial.results.comparison import Comparison, compare_runs
from worktrial.results.completion import passed
from worktrial.results.figure import Ask, RunFigures, figures_of
from worktrial.results.gate.limits import (
    Criterion,
    GateLimits,
    ObservedValue,
    at_least,
    at_most,
    cannot_judge,
    exceeds,
)
from worktrial.results.writing import p_value, points, signed
from worktrial.statistics import Change, Estimand, Figure, Interval


def percent(share: float) -> str:
    """A share as it is to be read."""
    return f"{share * 100:.1f} %"


def counted(n: int, thing: str = "sample") -> str:
    """A number of samples, or of something else."""
    return f"1 {thing}" if n == 1 else f"{n:,} {thing}s"


CostOf = Literal["all", "agent"]
Shown = Callable[[float], str]
"""Writes a number."""
Limit = Callable[..., Criterion]
"""Holds a figure against a limit; `at_least` or `at_most`."""


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
    these, work = (figures_of(run, Ask(1 - level, estimand)) for estimand in (Estimand.THESE, Estimand.WORK))
    chosen = condition or these.headline
    if chosen not in these.conditions and not run.missing:
        raise SettingError(
            f"{run.folder} has no sample under {chosen}; it has {', '.join(these.conditions) or 'none'}"
        )
    compared = None
    if baseline is not None:
        compared = compare_runs(baseline, run, confidence=1 - level, condition=chosen)
    judge = _Judge((these, work), chosen, 1 - level, sure, cost_of_whom)
    criteria = []
    for field in fields(limits):
        limit = getattr(limits, field.name)
        if limit is None:
            continue
        if run.missing:
            still = "1 sample has" if run.missing == 1 else f"{run.missing} samples have"
            criteria.append(cannot_judge(field.name, limit, f"the run is unfinished, {still} yet to finish"))
        elif field.name == _REGRESSION and compared is not None and baseline is not None:
            criteria.append(_judge_regression(limit, compared, baseline, run, level=level, sure=sure))
        else:
            criteria.append(getattr(judge, field.name)(limit))
    folder = None if baseline is None else str(baseline.folder)
    return Gate(str(run.folder), folder, chosen, level, sure, tuple(criteria), compared)


@dataclass(frozen=True, slots=True)
class _Judge:
    """A method for each limit that is about the run alone, by the limit's name."""

    figures: tuple[RunFigures, RunFigures]
    """The run's, about these tasks and about work like this; the first counts where it has the figure."""
    condition: str
    confidence: float
    sure: bool
    cost_of_whom: CostOf

    def min_completion(self, limit: float) -> Criterion:
        return self._share("min_completion", limit, self._figure("completion"), "passed", at_least)

    def max_invalid(self, limit: float) -> Criterion:
        whole = "" if len(self.figures[0].conditions) > 1 else self.condition
        return self._share("max_invalid", limit, self._figure("invalid", whole), "are invalid", at_most)

    def min_score(self, limit: float) -> Criterion:
        found = self._figure("score")
        words = f"the mean score of {counted(found.n)} is {percent(found.value or 0.0)}"
        return self._judged("min_score", limit, found, words, percent, at_least)

    def max_cost_per_task(self, limit: float) -> Criterion:
        found = self._figure("agent_cost_per_task" if self.cost_of_whom == "agent" else "cost_per_task")
        return self._mean("max_cost_per_task", limit, found, "${:.4f}".format, f"${limit:g}")

    def max_seconds(self, limit: float) -> Criterion:
        return self._mean("max_seconds", limit, self._figure("seconds"), "{:.1f} s".format, f"{limit:g} s")

    def min_robustness(self, limit: float) -> Criterion:
        name, judged = "min_robustness", []
        for found in self.figures[0].named("robustness"):
            setting = f" ({found.group})" if found.group else ""
            words = f"R{setting} = {found.value or 0.0:.2f}, {found.note}, over {counted(found.n, 'task')}"
            judged.append(self._judged(name, limit, found, words, "{:.2f}".format, at_least, f"{limit:g}"))
        if not judged:
            needed, tried = "it needs tasks with a verdict", ", ".join(self.figures[0].conditions)
            return cannot_judge(name, limit, f"{needed} in each of E0, E1, E2 and E3; the run has {tried}")
        # Every setting has to hold; the one furthest below is told.
        return min(judged, key=lambda c: (c.passed, c.observed if c.observed is not None else -1.0))

    def _figure(self, name: str, condition: str | None = None) -> Figure:
        about = self.condition if condition is None else condition
        these, work = (figures.get(name, about) for figures in self.figures)
        return work if these.value is None else these

    def _share(self, name: str, limit: float, found: Figure, verb: str, holds: Limit) -> Criterion:
        words = f"{percent(found.value or 0.0)} of {counted(found.n)} {verb}"
        return self._judged(name, limit, found, words, percent, holds)

    def _mean(
        self, name: str, limit: float, found: Figure, shown: Callable[[float], str], wanted: str
    ) -> Criterion:
        note = f", {found.note}" if found.note else ""
        words = f"{shown(found.value or 0.0)} a sample, mean of {counted(found.n)}{note}"
        return self._judged(name, limit, found, words, shown, at_most, wanted)

    def _judged(
        self,
        name: str,
        limit: float,
        found: Figure,
        words: str,
        shown: Shown,
        holds: Limit,
        wanted: str = "",
    ) -> Criterion:
        """A figure held against its limit.

        Args:
            name: Of the limit.
            limit: The limit.
            found: The figure.
            words: The figure in words.
            shown: Writes a number of its kind.
            holds: `at_least` or `at_most`.
            wanted: The limit as it is to be read; "" to write it as the figure.
        """
        if found.value is None:
            return cannot_judge(name, limit, found.unknown)
        span = ""
        if found.interval is not None:
            low, high = map(shown, found.interval)
            of = "on these tasks, " if found.estimand is Estimand.THESE else ""
            span = f"{of}{self.confidence * 100:g} % interval {low} to {high}"
        observed = ObservedValue(found.value, found.interval, words, span)
        return holds(name, limit, wanted or shown(limit), observed, sure=self.sure)


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
    own = found.figures.get("completion_of_valid", found.headline, estimand=Estimand.THESE)
    if own.value is None or own.interval is None:
        return cannot_judge(_REGRESSION, margin, "no sample has a verdict in both runs")
    drop, interval = -own.value, own.interval
    limit = f"the margin of {margin * 100:g} points"
    reason = ""
    if sure and exceeds(-interval.low, margin):
        reason = f"a drop by more than {limit} is not ruled out"
    elif exceeds(drop, margin) and interval.high < 0:
        reason = f"a drop by more than {limit} that is significant at {level:g}"
    said = _said(own, interval, found)
    if reason:
        return Criterion(_REGRESSION, margin, -drop, interval, False, f"{said}: {reason}")
    if hidden := _hidden(margin, found.headline, pair_of(baseline, run)):
        return cannot_judge(_REGRESSION, margin, f"{said}, but {hidden}")
    good = (
        "no drop" if drop <= 0 else f"within {limit}" if not exceeds(drop, margin) else "a drop that may be chance"
    )
    return Criterion(_REGRESSION, margin, -drop, interval, True, f"{said}: {good}")


def _said(own: Change, interval: Interval, found: Comparison) -> str:
    table, absent = found.of(found.headline), len(found.only_first)
    left_out = away = ""
    if table is not None and table.table.left_out:
        left_out = f", {table.table.left_out} samples without two verdicts left out"
    if absent:
        away = f", {absent} samples of the baseline are not in this run"
    sure = f"on these tasks, {found.confidence * 100:g} % interval {points(interval)}"
    tasks = 0 if table is None else table.tasks
    return (
        f"{(own.first or 0.0) * 100:.1f} % -> {(own.second or 0.0) * 100:.1f} %, {signed(own.value or 0.0)} points "
        f"({sure}, p {p_value(1.0 if own.p is None else own.p)}; {tasks} tasks{left_out}{away})"
    )


def _hidden(margin: float, condition: str, pair: RunPair) -> str | None:
    """Why samples of the run without a verdict may hide a drop; an agent that crashes leaves nothing to compare."""
    pairs = [one for one in pair.shared[condition] if one.first.outcome != "invalid"]
    invalid = sum(one.second.outcome == "invalid" for one in pairs)
    drop = fmean(passed(one.first) - passed(one.second) for one in pairs)
    if not invalid or not exceeds(drop, margin):
        return None
    return (
        f"{invalid} samples are invalid, and with these as not passed the drop would be {drop * 100:.1f} points, "
        f"more than the margin of {margin * 100:g}"
    )
