"""Figures of samples with intervals that know which samples belong together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from statistics import NormalDist
from typing import Any

from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.results.conditions import cluster_by
from worktrial.statistics import Interval, bootstrap, wilson

Sums = dict[str, float]

_MANY = 2000
"""Clusters; a bootstrap over more takes seconds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval, of 95 % where nothing else was asked for."""

    value: float | None
    """The figure; None where there is nothing to measure."""
    interval: Interval | None = None
    """The interval; None also where a single cluster cannot say how much clusters vary."""


def clusters(
    records: Sequence[SampleRecord], amounts: Callable[[SampleRecord], Mapping[str, float]] = lambda _: {}
) -> dict[str, Sums]:
    """Cluster to its outcomes (`n`, `passed`, `valid`) and amounts, added up; in the order of their names."""
    found: dict[str, Sums] = {}
    cluster_of = cluster_by(records)
    for record in records:
        valid = record.outcome is not Outcome.INVALID
        passed = record.outcome is Outcome.PASS
        sums = found.setdefault(cluster_of(record), {})
        for name, amount in {"n": 1, "valid": valid, "passed": passed, **amounts(record)}.items():
            sums[name] = sums.get(name, 0.0) + amount
    return {name: found[name] for name in sorted(found)}


def estimates(
    of: Sequence[Sums], ratios: Mapping[str, tuple[str, str]], *, confidence: float = 0.95
) -> dict[str, Estimate]:
    """Ratios of sums over all clusters, each with a bootstrap over the clusters.

    With very many clusters the interval is that of the linearised ratio instead (W. G. Cochran, *Sampling
    Techniques*, 3rd edition, 1977, section 6.3), which a bootstrap then comes to as well, only later.

    Args:
        of: Sums from `clusters`.
        ratios: Figure to the names of numerator and denominator.
        confidence: Of the intervals, 0-1.
    """
    if not of:
        return dict.fromkeys(ratios, Estimate(None))
    total = {name: sum(sums[name] for sums in of) for name in of[0]}
    known = {figure: names for figure, names in ratios.items() if total[names[1]]}
    intervals: Mapping[str, Interval] = {}
    if len(of) > _MANY:
        intervals = {figure: _linearised(of, total, names, confidence) for figure, names in known.items()}
    elif len(of) > 1 and known:
        intervals = bootstrap(of, lambda sums: _ratios(sums, known), confidence=confidence)
    return {
        figure: Estimate(total[over] / total[under], intervals.get(figure)) if figure in known else Estimate(None)
        for figure, (over, under) in ratios.items()
    }


def share(
    of: Sequence[Sums], passed: str, out_of: str, drawn: Estimate | None = None, *, confidence: float = 0.95
) -> Estimate:
    """A share of passes.

    Wilson's interval where every sample is a cluster of its own. Else the bootstrap's, widened to Wilson's where
    that is wider: from few clusters a bootstrap claims too much. Where nothing or everything passed all draws are
    equal; then Wilson's interval over clusters, as if each were one sample.

    Args:
        of: Sums from `clusters`.
        passed: The name of the successes.
        out_of: The name of the trials.
        drawn: From `estimates`, where it is at hand.
        confidence: Of the interval, 0-1.
    """
    successes, n = (int(sum(sums[name] for sums in of)) for name in (passed, out_of))
    if not n:
        return Estimate(None)
    if successes in (0, n):
        trials = sum(sums[out_of] > 0 for sums in of)
        return Estimate(successes / n, wilson(trials if successes else 0, trials, confidence))
    alone = wilson(successes, n, confidence)
    if all(sums[out_of] <= 1 for sums in of):
        return Estimate(successes / n, alone)
    drawn = drawn or estimates(of, {"share": (passed, out_of)}, confidence=confidence)["share"]
    together = drawn.interval
    if together is None:
        return Estimate(successes / n)
    return Estimate(successes / n, Interval(min(alone.low, together.low), max(alone.high, together.high)))


def completion_estimate(records: Sequence[SampleRecord], confidence: float = 0.95) -> Estimate:
    """The share of all `records` that passed; an invalid one counts as not passed."""
    return share(list(clusters(records).values()), "passed", "n", confidence=confidence)


def _linearised(of: Sequence[Sums], total: Sums, names: tuple[str, str], confidence: float) -> Interval:
    over, under = names
    ratio = total[over] / total[under]
    squares = fsum((sums[over] - ratio * sums[under]) ** 2 for sums in of)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(squares * len(of) / (len(of) - 1)) / total[under]
    return Interval(ratio - reach, ratio + reach)


def _ratios(sums: Mapping[str, Any], names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    import numpy as np

    # A draw may hold no valid sample at all: NaN, which the bootstrap leaves out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return {figure: np.true_divide(sums[over], sums[under]) for figure, (over, under) in names.items()}
