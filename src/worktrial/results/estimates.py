"""Figures of samples with intervals that know which samples belong together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worktrial import statistics
from worktrial.engine.record import SampleRecord
from worktrial.results.completion import completion
from worktrial.results.conditions import cluster_by
from worktrial.statistics import Interval, bootstrap

Sums = dict[str, float]


@dataclass(frozen=True, slots=True)
class BoardEstimate:
    """A figure with its interval, of 95 % where nothing else was asked for."""

    value: float | None
    """The figure; None where there is nothing to measure."""
    interval: Interval | None = None
    """The interval; None also where a single cluster cannot say how much clusters vary."""


def clusters(
    records: Sequence[SampleRecord], amounts: Callable[[SampleRecord], Mapping[str, float]] = lambda _: {}
) -> dict[str, Sums]:
    """Cluster to its number of samples (`n`) and its amounts, added up; in the order of their names."""
    found: dict[str, Sums] = {}
    cluster_of = cluster_by(records)
    for record in records:
        sums = found.setdefault(cluster_of(record), {})
        for name, amount in {"n": 1, **amounts(record)}.items():
            sums[name] = sums.get(name, 0.0) + amount
    return {name: found[name] for name in sorted(found)}


def estimates(
    of: Sequence[Sums], ratios: Mapping[str, tuple[str, str]], *, confidence: float = 0.95
) -> dict[str, BoardEstimate]:
    """Ratios of sums over all clusters, each with a bootstrap over the clusters.

    Args:
        of: Sums from `clusters`.
        ratios: Figure to the names of numerator and denominator.
        confidence: Of the intervals, 0-1.
    """
    if not of:
        return dict.fromkeys(ratios, BoardEstimate(None))
    total = {name: sum(sums[name] for sums in of) for name in of[0]}
    known = {figure: names for figure, names in ratios.items() if total[names[1]]}
    intervals: Mapping[str, Interval] = {}
    if len(of) > 1 and known:
        intervals = bootstrap(of, lambda sums: _ratios(sums, known), confidence=confidence)
    return {
        figure: BoardEstimate(total[over] / total[under] if figure in known else None, intervals.get(figure))
        for figure, (over, under) in ratios.items()
    }


def completion_estimate(records: Sequence[SampleRecord]) -> BoardEstimate:
    """The share of all `records` that passed; an invalid one counts as not passed."""
    return known(completion(records).of_all)


def known(found: statistics.Estimate | None) -> BoardEstimate:
    """A rate as a figure of a board."""
    return BoardEstimate(None) if found is None else BoardEstimate(found.value, found.interval)


def _ratios(sums: Mapping[str, Any], names: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    import numpy as np

    # A draw may hold no valid sample at all: NaN, which the bootstrap leaves out.
    with np.errstate(divide="ignore", invalid="ignore"):
        return {figure: np.true_divide(sums[over], sums[under]) for figure, (over, under) in names.items()}
