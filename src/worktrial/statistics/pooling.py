"""Partial pooling: what each of several groups shows, with the help of the others as far as these are alike."""

from collections.abc import Sequence
from dataclasses import replace
from math import fsum, sqrt

from worktrial.statistics.estimates import Estimate
from worktrial.statistics.rates import Interval

_DOUBT = 0.01
"""Chance that the groups differ more than is supposed."""


def pooled(
    found: Sequence[Estimate], *, confidence: float = 0.95, least: float = -1.0, most: float = 1.0
) -> list[Estimate]:
    """Estimates of groups, such as industries, each drawn towards the mean of all as far as they are alike.

    The model is that of a random-effects meta-analysis: true values vary between groups with a variance,
    estimates around them with their own. How much they vary is taken at the upper end of what the estimates allow
    (Q-profile at 99 %; W. Viechtbauer, *Confidence intervals for the amount of heterogeneity in meta-analysis*,
    Statistics in Medicine 26, 2007), not at its best guess: with that, one group in which an agent is bad would
    be taken for as good as the others in up to four reports of ten. So little is borrowed where it is not known
    that groups are alike. What a group borrows makes its interval narrower, and the interval holds the common
    mean's doubt, too.

    Args:
        found: One estimate for each group, with intervals at `confidence`.
        confidence: Of the intervals, those of `found` and those returned.
        least: Smallest possible value.
        most: Largest possible value.

    Returns:
        Estimates in the order of `found`, without a p value; a single one as it is.
    """
    from scipy.special import ndtri
    from scipy.stats import chi2

    if len(found) < 2:
        return list(found)
    critical = -float(ndtri((1 - confidence) / 2))
    centres = [fsum(one.interval) / 2 for one in found]
    variances = [(one.interval.half_width / critical) ** 2 for one in found]
    between = _between(centres, variances, float(chi2.ppf(_DOUBT, len(found) - 1)))
    weights = [1 / (variance + between) for variance in variances]
    mean = fsum(w * centre for w, centre in zip(weights, centres, strict=True)) / fsum(weights)
    drawn = []
    for one, centre, variance in zip(found, centres, variances, strict=True):
        borrowed = variance / (variance + between)
        value = centre + borrowed * (mean - centre)
        half = critical * sqrt(variance * (1 - borrowed) + borrowed**2 / fsum(weights))
        interval = Interval(max(least, value - half), min(most, value + half))
        drawn.append(replace(one, value=min(most, max(least, value)), interval=interval, p=None))
    return drawn


def _between(centres: Sequence[float], variances: Sequence[float], wanted: float) -> float:
    """The variance between groups at which their weighted squares are as few as `wanted`."""

    def squares(between: float) -> float:
        weights = [1 / (variance + between) for variance in variances]
        mean = fsum(w * centre for w, centre in zip(weights, centres, strict=True)) / fsum(weights)
        return fsum(w * (centre - mean) ** 2 for w, centre in zip(weights, centres, strict=True))

    low, high = 0.0, 1.0
    if squares(low) <= wanted:
        return low
    while squares(high) > wanted and high < _ENDLESS:
        high *= 4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if squares(middle) > wanted else (low, middle)
    return high


_ENDLESS = 1e6
"""A variance so large that nothing is borrowed."""
