"""Whether a run does worse than its baseline."""

from statistics import fmean

from worktrial.engine.stored import StoredRun
from worktrial.results.comparison import Comparison, ConditionComparison
from worktrial.results.comparison.changes import passed
from worktrial.results.comparison.verdict import p_value, points, signed
from worktrial.results.gate.limits import Criterion, cannot_judge, exceeds
from worktrial.results.pairing import pair_runs

_NAME = "max_regression"


def judge_regression(
    margin: float, found: Comparison, baseline: StoredRun, run: StoredRun, *, level: float, sure: bool
) -> Criterion:
    """Fail where the completion rate drops by more than `margin`, or by less but significantly.

    With `sure`, a drop by more than the margin has to be ruled out: the lower end of the interval of the effect
    counts (a test of non-inferiority), beside the other two.

    Args:
        margin: As a share.
        found: The comparison of baseline and run.
        baseline: The first run.
        run: The second.
        level: Of significance.
        sure: Whether chance has to be ruled out.
    """
    if baseline.missing:
        return cannot_judge(_NAME, margin, f"the baseline is unfinished, {baseline.missing} samples are missing")
    own = found.of(found.headline)
    if own is None or own.effect is None or own.test is None:
        return cannot_judge(_NAME, margin, "no sample has a verdict in both runs")
    drop, interval = -own.effect.difference, own.effect.interval
    if sure and interval is None:
        return cannot_judge(_NAME, margin, "these tasks cannot tell how sure the difference is")
    reasons = []
    if exceeds(drop, margin):
        reasons.append(f"a drop by more than the margin of {margin * 100:g} points")
    significant = drop > 0 and own.test.p < level
    if significant:
        reasons.append(f"a drop that is significant at {level:g}")
    if sure and interval is not None and not reasons and exceeds(-interval.low, margin):
        reasons.append(f"a drop by more than the margin of {margin * 100:g} points is not ruled out")
    said = _said(own, found.confidence, len(found.only_first))
    if reasons:
        return Criterion(_NAME, margin, -drop, interval, False, f"{said}: {' and '.join(reasons)}")
    if hidden := _hidden(margin, found.headline, baseline, run):
        return cannot_judge(_NAME, margin, f"{said}, but {hidden}")
    good = "no drop" if drop <= 0 else f"within the margin of {margin * 100:g} points and not significant"
    return Criterion(_NAME, margin, -drop, interval, True, f"{said}: {good}")


def _said(own: ConditionComparison, confidence: float, absent: int) -> str:
    assert own.effect is not None
    assert own.test is not None
    before, after = own.effect.first, own.effect.second
    sure = "" if own.effect.interval is None else f"{confidence * 100:g} % interval {points(own.effect.interval)}, "
    left_out = f", {own.table.left_out} samples without two verdicts left out" if own.table.left_out else ""
    away = f", {absent} samples of the baseline are not in this run" if absent else ""
    return (
        f"{before * 100:.1f} % -> {after * 100:.1f} %, {signed(own.effect.difference)} points ({sure}"
        f"p {p_value(own.test.p)}; {own.tasks} tasks{left_out}{away})"
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
