"""Percentile bootstrap over clusters, for figures that are functions of added sums."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import nan
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from worktrial.statistics.rates import Interval

if TYPE_CHECKING:
    import numpy as np

Sums = Mapping[str, Any]
Clusters = Sequence[Sums] | Mapping[str, Sequence[float]]
"""Sums of each cluster by name, or by name the sums of all clusters."""
Statistic = Callable[[Sums], Mapping[str, Any]]
"""Figures by name from added sums. It gets numbers, or arrays with one entry per draw, and returns the like."""

MANY = 2000
"""Clusters; with more of them intervals are linearised, as drawing them takes seconds and changes nothing."""


def bootstrap(
    clusters: Clusters, statistic: Statistic, *, draws: int = 2000, seed: int = 0, confidence: float = 0.95
) -> dict[str, Interval]:
    """Percentile intervals of figures (Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 13).

    Whole clusters are drawn with replacement, as many as there are: what belongs together, such as the steps and
    the repeats of one scenario, stays together, because it does not vary independently. Of very many clusters
    none is drawn: the interval is the normal one with the variance of the figure's linear part (L. A. Jaeckel, *The
    infinitesimal jackknife*, 1972; of a ratio, W. G. Cochran, *Sampling Techniques*, 3rd edition, 1977, section
    6.3), to which the bootstrap comes as well.

    Args:
        clusters: Their sums, under the same keys; the repeats of a scenario added into one.
        statistic: The figures. They must follow from added sums alone.
        draws: How many samples to draw.
        seed: Of the draws; the same seed gives the same intervals.
        confidence: Between 0 and 1, exclusive.

    Returns:
        An interval for each figure, between the two percentiles that leave equal shares outside. Draws in which a
        figure is NaN are left out of its interval, and a figure that is NaN in all of them has none.

    Raises:
        ValueError: there is no cluster, clusters differ in their keys, or a number makes no sense.
    """
    _check(draws, confidence)
    side = _matrix(clusters)
    if len(side[1]) > MANY:
        return _linearised([side], lambda sums: statistic(sums[0]), confidence)
    return _intervals(_drawn([side], statistic, draws, seed)[0], confidence)


def bootstrap_difference(
    first: Clusters,
    second: Clusters,
    statistic: Statistic,
    *,
    draws: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
) -> dict[str, Interval]:
    """Percentile intervals of figures' differences, first minus second, on the same clusters.

    Paired: each draw takes the same clusters of both, so that what makes a cluster easy or hard for both cancels.

    Args:
        first: Sums of the clusters.
        second: Likewise, of the same clusters in the same order.
        statistic: The figures of either.
        draws: How many samples to draw.
        seed: Of the draws.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: as in `bootstrap`, or the two differ in the number of clusters.
    """
    _check(draws, confidence)
    sides = [_matrix(first), _matrix(second)]
    counts = [len(matrix) for _, matrix in sides]
    if counts[0] != counts[1]:
        raise ValueError(f"both must be of the same clusters; got {counts[0]} and {counts[1]}")
    if counts[0] > MANY:

        def gap(sums: Sequence[Sums]) -> dict[str, Any]:
            one, other = (statistic(side) for side in sums)
            return {name: one[name] - other[name] for name in one}

        return _linearised(sides, gap, confidence)
    one, other = _drawn(sides, statistic, draws, seed)
    return _intervals({name: one[name] - other[name] for name in one}, confidence)


def _check(draws: int, confidence: float) -> None:
    if draws < 1:
        raise ValueError(f"draws must be at least 1; got {draws}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")


_Side = tuple[list[str], "np.ndarray[Any, Any]"]
"""The keys, and the sums as one row per cluster."""


def _matrix(clusters: Clusters) -> _Side:
    import numpy as np

    if isinstance(clusters, Mapping):
        keys = list(clusters)
        matrix = np.array([clusters[key] for key in keys], dtype=float).T
    elif any(sums.keys() != clusters[0].keys() for sums in clusters):
        raise ValueError("all clusters must have the same keys")
    else:
        keys = list(clusters[0]) if clusters else []
        matrix = np.array([[float(sums[key]) for key in keys] for sums in clusters])
    if not len(matrix):
        raise ValueError("a bootstrap needs at least one cluster")
    return keys, matrix


_STEP = 1e-5
"""Part of a sum by which it is changed to see what a figure owes to it."""


def _linearised(
    sides: Sequence[_Side], statistic: Callable[[Sequence[Sums]], Mapping[str, Any]], confidence: float
) -> dict[str, Interval]:
    """Normal intervals with the variance of the figures' linear parts, by central differences."""
    import numpy as np

    matrix = np.concatenate([side for _, side in sides], axis=1)
    count, width = matrix.shape
    total = matrix.sum(axis=0)
    # A sum of 0 is moved by as much as its clusters vary; where they do not vary, it makes no difference.
    steps = _STEP * np.maximum(np.abs(total), np.sqrt(np.square(matrix).sum(axis=0)))
    points = np.concatenate([total[None, :], total + np.diag(steps), total - np.diag(steps)])
    sums, place = [], 0
    for keys, _ in sides:
        sums.append({key: points[:, place + n] for n, key in enumerate(keys)})
        place += len(keys)
    centred = matrix - matrix.mean(axis=0)
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt(count / (count - 1))
    intervals = {}
    for name, found in statistic(sums).items():
        values = np.broadcast_to(np.asarray(found, dtype=float), len(points))
        if np.isnan(values[0]):
            continue
        rise = values[1 : 1 + width] - values[1 + width :]
        slopes = np.divide(rise, 2 * steps, out=np.zeros(width), where=steps > 0)
        half = reach * float(np.sqrt(np.square(centred @ slopes).sum()))
        intervals[name] = Interval(float(values[0]) - half, float(values[0]) + half)
    return intervals


def _drawn(
    sides: "list[_Side]", statistic: Statistic, draws: int, seed: int
) -> "list[dict[str, np.ndarray[Any, Any]]]":
    """Figures of each side in every draw; a draw takes the same clusters on all sides."""
    import numpy as np

    weights = _weights(len(sides[0][1]), draws, seed)
    drawn = []
    for keys, matrix in sides:
        sums = dict(zip(keys, (weights @ matrix).T, strict=True))
        drawn.append({name: np.asarray(values, dtype=float) for name, values in statistic(sums).items()})
    return drawn


# Every figure of a report asks for the same draws of the same number of clusters.
@lru_cache(maxsize=2)
def _weights(count: int, draws: int, seed: int) -> "np.ndarray[Any, Any]":
    """Counts of each cluster in every draw: as drawing them one by one, and added sums are one product."""
    import numpy as np

    return np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws).astype(float)


def _intervals(figures: "dict[str, np.ndarray[Any, Any]]", confidence: float) -> dict[str, Interval]:
    import numpy as np

    outside = (1 - confidence) / 2
    intervals = {}
    for name, values in figures.items():
        known = values[~np.isnan(values)]
        if known.size:
            low, high = np.quantile(known, [outside, 1 - outside])
            intervals[name] = Interval(float(low), float(high))
    return intervals


def ratio(part: Any, whole: Any) -> Any:
    """`part / whole`, NaN where `whole` is 0; of numbers, or of arrays entry by entry."""
    if isinstance(whole, int | float):
        return part / whole if whole else nan
    # Imported here because single numbers need none of it.
    import numpy as np

    return np.divide(part, whole, out=np.full(np.shape(whole), nan), where=np.asarray(whole) != 0)
