"""Changes of figures between two runs of the same samples, and how sure they are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

from worktrial.engine.record import SampleRecord
from worktrial.results.completion import paired_tries
from worktrial.results.conditions import cluster_by
from worktrial.results.pairing import SamplePair
from worktrial.statistics import Interval, bootstrap
from worktrial.statistics import difference as paired_difference
from worktrial.statistics.bootstrap import ratio


@dataclass(frozen=True, slots=True)
class Change:
    """A mean in two runs."""

    first: float
    second: float
    difference: float
    """Second minus first."""
    interval: Interval | None
    """Interval of the difference; None from a single cluster, which cannot say how much clusters vary."""
    ratio: float | None
    """Second over first; None where the first is 0."""
    ratio_interval: Interval | None
    """Interval of the ratio; None for rates, too: their difference says more."""


@dataclass(frozen=True, slots=True)
class SuiteFigure:
    """A figure that only some suites have, 0-1, in two runs."""

    name: str
    change: Change


@dataclass(frozen=True, slots=True)
class Measure:
    """Something every sample has a number of."""

    value: Callable[[SampleRecord], float | None]
    """Number of a sample; where None for one of them, the mean is not known either."""
    judged: bool = True
    """Whether only pairs with two verdicts count."""
    share: bool = False
    """Whether it is 0 or 1."""


def changes(
    pairs: Sequence[SamplePair], measures: Mapping[str, Measure], *, confidence: float, seed: int
) -> dict[str, Change | None]:
    """The change of each measure, on work like this.

    Shares have the score interval of `statistics.difference`, other quantities a percentile interval from a paired
    bootstrap over clusters: every draw takes the same clusters of both runs and of all measures.

    Returns:
        Name to change; None where a number is not known, or no pair counts.
    """
    cluster_of = cluster_by(pair.first for pair in pairs)
    sums = _sums(pairs, measures, cluster_of)
    known = [name for name, clusters in sums.items() if clusters is not None]
    found: dict[str, Change | None] = dict.fromkeys(measures)
    clusters = [_joined(sums, known, cluster) for cluster in dict.fromkeys(cluster_of(p.first) for p in pairs)]
    if not clusters:
        return found

    def figures(drawn: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for name in known for key, value in _figures(name, drawn).items()}

    total = figures({key: sum(cluster[key] for cluster in clusters) for key in clusters[0]})
    intervals = bootstrap(clusters, figures, confidence=confidence, seed=seed) if known else {}
    for name in known:
        counted = sum(bool(cluster[f"n/{name}"]) for cluster in clusters)
        if not counted:
            continue
        several = counted > 1
        interval = intervals.get(f"difference/{name}") if several else None
        share = measures[name].share
        if share:
            counted_pairs = [pair for pair in pairs if _counts(pair, measures[name])]
            tries = paired_tries(counted_pairs, partial(_number, measures[name]))
            interval = paired_difference(tries, confidence=confidence).interval
        relative = total[f"ratio/{name}"]
        of_ratio = None if share or not several or isnan(relative) else intervals.get(f"ratio/{name}")
        found[name] = Change(
            first=total[f"first/{name}"],
            second=total[f"second/{name}"],
            difference=total[f"difference/{name}"],
            interval=interval,
            ratio=None if isnan(relative) else relative,
            ratio_interval=of_ratio,
        )
    return found


def _number(measure: Measure, record: SampleRecord) -> float:
    # None is ruled out: the mean would not be known.
    return measure.value(record) or 0.0


def _counts(pair: SamplePair, measure: Measure) -> bool:
    return pair.both_judged or not measure.judged


def _sums(
    pairs: Sequence[SamplePair], measures: Mapping[str, Measure], cluster_of: Callable[[SampleRecord], str]
) -> dict[str, dict[str, tuple[float, float, int]] | None]:
    """Sums of each cluster by measure, with the number of pairs; None where a number is not known."""
    found: dict[str, dict[str, tuple[float, float, int]] | None] = {}
    for name, measure in measures.items():
        clusters: dict[str, tuple[float, float, int]] = {}
        unknown = False
        for pair in pairs:
            if not _counts(pair, measure):
                continue
            first, second = measure.value(pair.first), measure.value(pair.second)
            if first is None or second is None:
                unknown = True
                break
            before = clusters.get(cluster_of(pair.first), (0.0, 0.0, 0))
            clusters[cluster_of(pair.first)] = (before[0] + first, before[1] + second, before[2] + 1)
        found[name] = None if unknown else clusters
    return found


def _joined(
    sums: Mapping[str, Mapping[str, tuple[float, float, int]] | None], known: Iterable[str], cluster: str
) -> dict[str, float]:
    joined: dict[str, float] = {}
    for name in known:
        first, second, n = (sums[name] or {}).get(cluster, (0.0, 0.0, 0))
        joined |= {f"first/{name}": first, f"second/{name}": second, f"n/{name}": float(n)}
    return joined


def _figures(name: str, sums: Mapping[str, Any]) -> dict[str, Any]:
    first, second, n = (sums[f"{part}/{name}"] for part in ("first", "second", "n"))
    return {
        f"first/{name}": ratio(first, n),
        f"second/{name}": ratio(second, n),
        f"difference/{name}": ratio(second - first, n),
        f"ratio/{name}": ratio(second, first),
    }
