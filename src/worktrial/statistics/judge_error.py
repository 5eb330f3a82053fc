"""Rates of a judge that errs, corrected by what is known of its errors; never without the doubt about these."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from worktrial.statistics.estimates import Estimate, TaskTries, difference, rate
from worktrial.statistics.rates import Interval, interval_of, normal_quantile


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The share of work that is right, from verdicts of a judge that errs."""

    value: float
    interval: Interval
    raw: Estimate
    """Share of work that the judge passes."""


def corrected_rate(
    raw: Estimate, sensitivity: Estimate, specificity: Estimate, *, confidence: float = 0.95
) -> CorrectedRate | None:
    """The share of work that is right, from the share that a judge passes and an audit of the judge.

    (p + t - 1) / (s + t - 1), W. J. Rogan and B. Gladen, *Estimating prevalence from the results of a screening
    test*, American Journal of Epidemiology 107, 1978, within 0 and 1. The interval holds the doubt about all
    three: Z. Lang and J. Reiczigel, *Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity*, Preventive Veterinary Medicine 113, 2014, on the effective numbers of samples.
    It supposes that the judge errs as often on this work as on that of the audit.

    Args:
        raw: Share of the work that the judge passes, p.
        sensitivity: Share of right work that it passes, s.
        specificity: Share of wrong work that it fails, t.
        confidence: Of the intervals of all three, and of the one returned.

    Returns:
        None where it is not ruled out that the judge passes wrong work as often as right work: then its verdicts
        say nothing, and there is nothing to correct.
    """
    square = normal_quantile(confidence) ** 2
    passes, right, wrong = (_worth(one, confidence) for one in (raw, sensitivity, specificity))
    doubt = hypot(sensitivity.value - sensitivity.interval.low, specificity.value - specificity.interval.low)
    if sensitivity.value + specificity.value - 1 - doubt <= 0:
        return None
    p = (passes * raw.value + square / 2) / (passes + square)
    s, t = (right * sensitivity.value + 1) / (right + 2), (wrong * specificity.value + 1) / (wrong + 2)
    tells = s + t - 1
    if tells <= 0:
        return None
    of_s, of_t = s * (1 - s) / (right + 2), t * (1 - t) / (wrong + 2)
    share = min(1.0, max(0.0, (p + t - 1) / tells))
    moved = 2 * square * (share * of_s - (1 - share) * of_t)
    spread = sqrt(p * (1 - p) / (passes + square) + share**2 * of_s + (1 - share) ** 2 * of_t) / tells
    value = (raw.value + specificity.value - 1) / (sensitivity.value + specificity.value - 1)
    value = min(1.0, max(0.0, value))
    low, high = (share + moved + sign * sqrt(square) * spread for sign in (-1, 1))
    return CorrectedRate(value, Interval(min(value, max(0.0, low)), max(value, min(1.0, high))), raw)


def _worth(found: Estimate, confidence: float) -> float:
    """The number of independent samples whose interval is as wide as that of a rate."""
    critical, wanted = normal_quantile(confidence), found.interval.half_width
    low, high = 1.0, max(1.0, found.effective)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wider = interval_of(found.value, middle, confidence, critical).half_width > wanted
        low, high = (middle, high) if wider else (low, middle)
    return low


_HALVINGS = 40


def prediction_powered(
    judged: Sequence[TaskTries], labelled: Sequence[TaskTries], *, confidence: float = 0.95
) -> CorrectedRate:
    """The share of work that people would pass, from a judge's verdicts on all of it and people's labels on a part.

    The judge's rate plus the mean of label minus verdict over the labelled part, which need be no share of right
    work that the judge knows (A. N. Angelopoulos et al., *Prediction-powered inference*, Science 382, 2023).
    Unlike an audit elsewhere it supposes nothing of the judge, only that the labelled samples were drawn at
    random. The interval adds the doubt about both (G. Y. Zou and A. Donner, Statistics in Medicine 27, 2008),
    from score intervals, so that a judge that was right on ten labels is not taken to be always right.

    Args:
        judged: Verdicts on every task of the work, in `first`.
        labelled: Verdicts (`first`) and labels (`second`) of the samples that have both.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: there is no verdict or no label, or `confidence` is out of range.
    """
    raw = rate(judged, confidence=confidence)
    error = difference(labelled, confidence=confidence)
    value = min(1.0, max(0.0, raw.value + error.value))
    down = hypot(raw.value - raw.interval.low, error.value - error.interval.low)
    up = hypot(raw.interval.high - raw.value, error.interval.high - error.value)
    centre = raw.value + error.value
    low, high = min(value, max(0.0, centre - down)), max(value, min(1.0, centre + up))
    return CorrectedRate(value, Interval(low, high), raw)
