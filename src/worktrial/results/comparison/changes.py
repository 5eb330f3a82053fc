"""Changes of figures between two runs of the same samples, and how sure they are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import SampleRecord
from worktrial.results.completion import paired_tries
from worktrial.results.conditions import cluster_by
from worktrial.results.estimates import too_few
from worktrial.statistics import Estimate, Interval, TaskTries, mean_change
from worktrial.statistics import difference as paired_difference
from worktrial.suite import SampleScore


@dataclass(frozen=True, slots=True)
class Change:
    """A mean in two runs."""

    first: float
    second: float
    difference: float
    """Second minus first."""
    interval: Interval | None
    """Interval of the difference; None for a quantity from too few clusters (`too_few`), or that was nothing in
    both."""
    ratio: float | None
    """Second over first; None where the first is 0."""
    ratio_interval: Interval | None
    """Interval of the ratio, without 1 exactly where that of the difference is without 0. None where it has no
    upper end, and for rates, too: their difference says more."""


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
    pairs: Sequence[SamplePair], measures: Mapping[str, Measure], *, confidence: float
) -> dict[str, Change | None]:
    """The change of each measure, on work like this.

    Shares have the score interval of `statistics.difference`, other quantities those of
    `statistics.mean_change`, where there are not too few clusters for one.

    Returns:
        Name to change; None where a number is not known, or no pair counts.
    """
    found: dict[str, Change | None] = dict.fromkeys(measures)
    place_of = _places(pairs)
    judged = [(pair, place) for pair, place in zip(pairs, place_of, strict=True) if pair.both_judged]
    for name, measure in measures.items():
        counted = judged if measure.judged else list(zip(pairs, place_of, strict=True))
        if not counted:
            continue
        if measure.share:
            found[name] = _share_change([pair for pair, _ in counted], measure, confidence)
        elif (added := _added(counted, measure, 1 + max(place_of))) is not None:
            found[name] = _mean_changed(added, confidence)
    return found


def score_change(pairs: Sequence[SamplePair], score: SampleScore, *, confidence: float) -> Change | None:
    """The change of the score that a suite compares agents by; None without a pair of two scores."""
    width = 1 - score.low

    def worth(record: SampleRecord) -> float:
        return ((score.of(record) or 0.0) - score.low) / width

    judged = [pair for pair in pairs if pair.both_judged]
    if not judged:
        return None
    tries = paired_tries(judged, worth)
    found = rate_change(tries, paired_difference(tries, confidence=confidence))
    first, second = (score.low + width * value for value in (found.first, found.second))
    interval = None if found.interval is None else Interval(*(width * end for end in found.interval))
    return Change(first, second, second - first, interval, None, None)


class _Sums(NamedTuple):
    """Sums of a measure by cluster, the cluster's place being the index."""

    first: list[float]
    second: list[float]
    n: list[float]


def _places(pairs: Sequence[SamplePair]) -> list[int]:
    """The place of each pair's cluster."""
    cluster_of = cluster_by(pair.first for pair in pairs)
    places: dict[str, int] = {}
    return [places.setdefault(cluster_of(pair.first), len(places)) for pair in pairs]


def _share_change(pairs: Sequence[SamplePair], measure: Measure, confidence: float) -> Change | None:
    value = measure.value
    if any(value(pair.first) is None or value(pair.second) is None for pair in pairs):
        return None
    # None is ruled out by the line above.
    tries = paired_tries(pairs, lambda record: value(record) or 0.0)
    return rate_change(tries, paired_difference(tries, confidence=confidence))


def rate_change(tries: Sequence[TaskTries], found: Estimate) -> Change:
    """The change of a rate, from the tries of each task and the estimate of their difference."""
    first, second = (
        fsum(fsum(getattr(task, side)) for task in tries) / found.samples for side in ("first", "second")
    )
    return Change(first, second, second - first, found.interval, second / first if first else None, None)


def _added(counted: Sequence[tuple[SamplePair, int]], measure: Measure, clusters: int) -> _Sums | None:
    """Sums over the pairs, each with the place of its cluster; None where a number is not known."""
    sums = _Sums([0.0] * clusters, [0.0] * clusters, [0.0] * clusters)
    value = measure.value
    for pair, place in counted:
        first, second = value(pair.first), value(pair.second)
        if first is None or second is None:
            return None
        sums.first[place] += first
        sums.second[place] += second
        sums.n[place] += 1
    return _Sums(*([value for value, n in zip(part, sums.n, strict=True) if n] for part in sums))


def _mean_changed(sums: _Sums, confidence: float) -> Change:
    n = fsum(sums.n)
    first, second = fsum(sums.first) / n, fsum(sums.second) / n
    found = None
    if not too_few(len(sums.n)):
        found = mean_change(sums.first, sums.second, sums.n, confidence=confidence)
    return Change(
        first,
        second,
        second - first,
        None if found is None else found.difference,
        second / first if first else None,
        None if found is None else found.ratio,
    )
