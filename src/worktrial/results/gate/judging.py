"""A run held against its limits."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Literal, NamedTuple

from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.results.changes import RunPair, pair_of
from worktrial.results.comparison import Comparison, compare_runs
from worktrial.results.completion import passed
from worktrial.results.figure import Ask, RunFigures, figures_of
from worktrial.results.gate.limits import Criterion, GateLimits, cannot_judge, exceeds
from worktrial.results.writing import counted, p_value, points, signed
from worktrial.statistics import Change, Estimand, Figure, Interval


def _percent(share: float) -> str:
    """A share as it is to be read."""
    return f"{share * 100:.1f} %"


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
    these, work = (figures_of(run, Ask(1 - level, estimand)) for estimand in (Estimand.THESE, Estimand.WORK))
    chosen = condition or these.headline
    if chosen not in these.conditions and not run.missing:
        raise SettingError(
            f"{run.folder} has no sample under {chosen}; it has {', '.join(these.conditions) or 'none'}"
        )
    compared = None
    if baseline is not None:
        compared = compare_runs(baseline, run, confidence=1 - level, condition=chosen)
    asked = _Asked((these, work), chosen, 1 - level, sure, cost_of_whom)
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
            criteria.append(_judge(field.name, limit, asked))
    folder = None if baseline is None else str(baseline.folder)
    return Gate(str(run.folder), folder, chosen, level, sure, tuple(criteria), compared)


class _Kind(NamedTuple):
    """A limit to a figure of the run."""

    figure: str
    is_least: bool
    """Whether the value must reach the limit; else it must keep below it."""
    shown: Callable[[float], str]
    """Writes a number of its kind."""
    words: str
    """The figure in words: its value, its number of samples, the note on it."""
    wanted: Callable[[float], str]
    """Writes the limit."""


_MEAN = "{value} a sample, mean of {samples}{note}"
_KINDS = {
    "min_completion": _Kind("completion", True, _percent, "{value} of {samples} passed", _percent),
    "max_invalid": _Kind("invalid", False, _percent, "{value} of {samples} are invalid", _percent),
    "min_score": _Kind("score", True, _percent, "the mean score of {samples} is {value}", _percent),
    "max_cost_per_task": _Kind("cost_per_task", False, "${:.4f}".format, _MEAN, "${:g}".format),
    "max_seconds": _Kind("seconds", False, "{:.1f} s".format, _MEAN, "{:g} s".format),
    "min_robustness": _Kind(
        "robustness", True, "{:.2f}".format, "R{group} = {value}{note}, over {tasks}", "{:g}".format
    ),
}


class _Asked(NamedTuple):
    """Figures that are held against limits, and the way."""

    figures: tuple[RunFigures, RunFigures]
    """The run's, about these tasks and about work like this; the first counts where it has the figure."""
    condition: str
    confidence: float
    sure: bool
    cost_of_whom: CostOf


def _judge(name: str, limit: float, asked: _Asked) -> Criterion:
    """The run held against a limit to one of its figures."""
    kind, these = _KINDS[name], asked.figures[0]
    if name == "min_robustness":
        # Every setting of faults has to hold; the one furthest below is told.
        judged = [_held(name, limit, kind, found, asked) for found in these.named("robustness")]
        if not judged:
            needed, tried = "it needs tasks with a verdict", ", ".join(these.conditions)
            return cannot_judge(name, limit, f"{needed} in each of E0, E1, E2 and E3; the run has {tried}")
        return min(judged, key=lambda c: (c.passed, c.observed if c.observed is not None else -1.0))
    figure = "agent_cost_per_task" if name == "max_cost_per_task" and asked.cost_of_whom == "agent" else kind.figure
    about = "" if name == "max_invalid" and len(these.conditions) > 1 else asked.condition
    own, work = (figures.get(figure, about) for figures in asked.figures)
    return _held(name, limit, kind, work if own.value is None else own, asked)


def _held(name: str, limit: float, kind: _Kind, found: Figure, asked: _Asked) -> Criterion:
    if found.value is None:
        return cannot_judge(name, limit, found.unknown)
    said = kind.words.format(
        value=kind.shown(found.value),
        samples=counted(found.n, "sample"),
        tasks=counted(found.n, "task"),
        note=f", {found.note}" if found.note else "",
        group=f" ({found.group})" if found.group else "",
    )
    end = None
    if found.interval is not None:
        low, high = map(kind.shown, found.interval)
        end = found.interval.low if kind.is_least else found.interval.high
        of = "on these tasks, " if found.estimand is Estimand.THESE else ""
        said += f" ({of}{asked.confidence * 100:g} % interval {low} to {high})"
    said += f"; wanted is at {'least' if kind.is_least else 'most'} {kind.wanted(limit)}"
    if asked.sure and end is None:
        why = f"{said} for sure, and these samples cannot tell how sure that is"
        return Criterion(name, limit, found.value, None, False, f"cannot be judged: {why}")
    judged = end if asked.sure and end is not None else found.value
    passed = not (exceeds(limit, judged) if kind.is_least else exceeds(judged, limit))
    if asked.sure:
        said += f", and the interval's {'lower' if kind.is_least else 'upper'} end counts"
    return Criterion(name, limit, found.value, found.interval, passed, said)


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
