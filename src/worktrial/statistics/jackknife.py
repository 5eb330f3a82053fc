"""Intervals of figures that follow from added sums of clusters: scores, their changes, and mean quantities.

The variance of a figure is the jackknife's over clusters (B. Efron and C. Stein, *The jackknife estimate of
variance*, Annals of Statistics 9, 1981): what belongs together, such as the steps and the repeats of one scenario,
is left out together. A handful of clusters knows a variance badly, so Student's distribution is used, with few
degrees of freedom where few clusters make up the variance (F. E. Satterthwaite, Biometrics Bulletin 2, 1946).

No interval has width 0. Where nothing varies, that is said by as many clusters as there are and no more.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import cbrt, comb, inf, nan, sqrt
from typing import TYPE_CHECKING, Any

from worktrial.statistics.rates import Interval, interval_of
from worktrial.statistics.student import student_quantile

if TYPE_CHECKING:
    import numpy as np

Sums = Mapping[Any, Any]
Statistic = Callable[[Sums], Mapping[str, Any]]
"""Figures by name from added sums. It gets numbers, or arrays with one entry per cluster left out, and returns the
like."""

_ROUNDING = 1e-12
_LEAST_FREEDOM = 2.0
_OF_A_CLUSTER = 10
"""Independent samples that a cluster counts for at most, however alike clusters are. Else an interval from twenty
almost perfect scores would rule out that one score in thirty is a total failure."""


def score_intervals(
    clusters: Sequence[Sums], statistic: Statistic, *, confidence: float = 0.95
) -> dict[str, Interval]:
    """Intervals of figures between 0 and 1, on work like this.

    The interval of a rate (`interval_of`) on the effective number of samples.

    Args:
        clusters: For each cluster its sums, under the same keys; the repeats of a scenario added into one.
        statistic: The figures. They must follow from added sums alone.
        confidence: Between 0 and 1, exclusive.

    Returns:
        An interval for each figure; none for one that is NaN, or that is without some cluster.

    Raises:
        ValueError: there is no cluster, clusters differ in their keys, or `confidence` is out of range.
    """
    _check(confidence)
    return {name: _of_rate(*found, confidence) for name, found in _left_out(clusters, statistic).items()}


def difference_intervals(
    clusters: Sequence[Sums], statistic: Statistic, *, confidence: float = 0.95
) -> dict[str, Interval]:
    """Intervals of figures between -1 and 1 that are differences; else as `score_intervals`.

    Student's, within -1 and 1.
    """
    _check(confidence)
    return {name: _student(*found, confidence) for name, found in _left_out(clusters, statistic).items()}


def change_intervals(
    first: Sequence[Sums], second: Sequence[Sums], statistic: Statistic, *, confidence: float = 0.95
) -> dict[str, Interval]:
    """Intervals of changes of figures between 0 and 1, second minus first, on the same clusters.

    Paired: the same cluster of both is left out, so that what makes a cluster easy or hard for both cancels.

    Args:
        first: For each cluster its sums.
        second: Likewise, of the same clusters in the same order.
        statistic: The figures of either.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: as in `score_intervals`, or the two differ in the number of clusters.
    """
    if len(first) != len(second):
        raise ValueError(f"both must be of the same clusters; got {len(first)} and {len(second)}")
    joined = [_beside(one, other) for one, other in zip(first, second, strict=True)]

    def changes(sums: Sums) -> dict[str, Any]:
        before, after = (statistic({key[1]: value for key, value in sums.items() if key[0] == n}) for n in (0, 1))
        return {name: after[name] - before[name] for name in before}

    return difference_intervals(joined, changes, confidence=confidence)


def _beside(one: Sums, other: Sums) -> dict[Any, Any]:
    return {(n, key): value for n, side in enumerate((one, other)) for key, value in side.items()}


_LeftOut = tuple[float, "np.ndarray[Any, Any]"]
"""A figure, and by how much each cluster moves it away from the mean of the figures without one."""


def _left_out(clusters: Sequence[Sums], statistic: Statistic) -> dict[str, _LeftOut]:
    import numpy as np

    if not clusters:
        raise ValueError("an interval needs at least one cluster")
    keys = list(clusters[0])
    if any(sums.keys() != clusters[0].keys() for sums in clusters):
        raise ValueError("all clusters must have the same keys")
    if len(clusters) < 2:
        return {}
    matrix = np.array([[float(sums[key]) for key in keys] for sums in clusters])
    total = matrix.sum(axis=0)
    whole = statistic({key: float(value) for key, value in zip(keys, total, strict=True)})
    without = statistic(dict(zip(keys, (total - matrix).T, strict=True)))
    found = {}
    for name, value in whole.items():
        each = np.broadcast_to(np.asarray(without[name], dtype=float), len(clusters))
        if not (np.isnan(value) or np.isnan(each).any()):
            found[name] = float(value), each.mean() - each
    return found


def _of_rate(value: float, moved: "np.ndarray[Any, Any]", confidence: float) -> Interval:
    clusters, tail = len(moved), (1 - confidence) / 2
    value = min(1.0, max(0.0, value))
    variance, freedom = _variance(moved)
    if variance <= _ROUNDING**2:
        effective, critical = float(clusters), student_quantile(tail, inf)
    else:
        effective = min(value * (1 - value) / variance, _OF_A_CLUSTER * clusters)
        critical = student_quantile(tail, freedom)
    return interval_of(value, effective if effective > 0 else float(clusters), confidence, critical)


def _student(value: float, moved: "np.ndarray[Any, Any]", confidence: float) -> Interval:
    clusters, tail = len(moved), (1 - confidence) / 2
    variance, freedom = _variance(moved)
    if variance <= _ROUNDING**2:
        # As of pairs of passes and failures that are all alike (Tango's interval without a difference).
        square = student_quantile(tail, inf) ** 2
        half = square / (clusters + square)
    else:
        half = student_quantile(tail, freedom) * sqrt(variance)
    return Interval(max(-1.0, value - half), min(1.0, value + half))


def _variance(moved: "np.ndarray[Any, Any]") -> tuple[float, float]:
    """The jackknife's variance, and its degrees of freedom."""
    clusters = len(moved)
    return (clusters - 1) / clusters * float((moved**2).sum()), _freedom(moved)


def _freedom(errors: "np.ndarray[Any, Any]") -> float:
    """Satterthwaite's degrees of freedom, for the kurtosis 3 of normal errors."""
    largest = abs(errors).max()
    if not largest:
        return len(errors) - 1.0
    shares = (errors / largest) ** 2
    return _freedom_of(float(shares.sum()), float((shares**2).sum()), len(errors))


def _freedom_of(squares: float, fourths: float, count: int) -> float:
    """The same from sums of powers of errors."""
    return min(count - 1.0, max(_LEAST_FREEDOM, 3 * squares**2 / fourths - 1))


def mean_interval(
    amounts: Sequence[float], samples: Sequence[float], *, confidence: float = 0.95
) -> Interval | None:
    """The interval of a mean quantity that is never negative and may be skewed, such as a cost or a time.

    Few dear tasks among many cheap ones are easily missed, so that a mean is more often too low, and an interval of
    equal arms ends too low. The transformation of P. Hall, *On the removal of skewness by transformation*, Journal
    of the Royal Statistical Society B 54, 1992, undoes the skewness to second order, as a studentised bootstrap
    would. Skewness and kurtosis are taken without the bias that small samples have (D. N. Joanes and C. A. Gill,
    *Comparing measures of sample skewness and kurtosis*, The Statistician 47, 1998), and the kurtosis no lower than
    that of a lognormal distribution so skewed: a few clusters seldom show how long a tail is. What a tenth of tasks
    takes eight times of and twelve clusters happen not to show, no interval knows.

    Args:
        amounts: Sum of the quantity for each cluster.
        samples: Number of samples of each cluster.
        confidence: Between 0 and 1, exclusive.

    Returns:
        None from fewer than two clusters, or where all took nothing.

    Raises:
        ValueError: `confidence` is out of range, there is no sample, or there are not as many numbers as clusters.
    """
    _check(confidence)
    amount, of = _columns(amounts, samples)
    n = of.sum()
    mean = float(amount.sum() / n)
    count = len(of)
    if count < 2 or not mean:
        return None
    errors = (amount - mean * of) / n
    squares = float((errors**2).sum())
    tail = (1 - confidence) / 2
    if squares <= (_ROUNDING * mean) ** 2:
        # All alike: another one, that takes nothing, is not ruled out.
        half = student_quantile(tail, count - 1.0) * mean / count
        return Interval(max(0.0, mean - half), mean + half)
    # Of the amounts relative to the mean, so that no power runs out of a float's range.
    relative = errors / mean
    second, third, fourth = (float((relative**power).sum()) for power in (2, 3, 4))
    low, high = _skewed_interval(1.0, second, third, fourth, count, tail)
    return Interval(max(0.0, mean * low), mean * high)


def _skewed_interval(
    mean: float, squares: float, cubes: float, fourths: float, count: int, tail: float
) -> tuple[float, float]:
    """Ends by Hall's transformation, from the sums of powers of what clusters add to a mean of errors."""
    skewness, kurtosis = _shape(squares, cubes, fourths, count)
    # The variance of a variance follows from the kurtosis (B. O'Neill, *Some useful moment results in sampling
    # problems*, The American Statistician 68, 2014).
    freedom = 2 * count / (kurtosis - (count - 3) / (count - 1))
    critical = student_quantile(tail, min(count - 1.0, max(_LEAST_FREEDOM, freedom)))
    error = sqrt(count / (count - 1) * squares)
    low, high = (mean - error * _unskewed(sign * critical, skewness / sqrt(count)) for sign in (1, -1))
    return low, high


def _shape(squares: float, cubes: float, fourths: float, n: int) -> tuple[float, float]:
    """Skewness and kurtosis of clusters, from sums of powers of errors."""
    square = squares / n
    skewness = cubes / n / square**1.5
    kurtosis = fourths / n / square**2
    if n < 4:
        return skewness, 3.0
    skewness *= sqrt(n * (n - 1)) / (n - 2)
    excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (kurtosis - 3) + 6)
    # To first order a lognormal distribution has 16/9 of its squared skewness (N. L. Johnson, S. Kotz and N.
    # Balakrishnan, *Continuous univariate distributions*, 1994, section 14.3).
    return skewness, 3 + max(excess, 16 / 9 * skewness**2)


def _columns(*columns: Sequence[float]) -> "list[np.ndarray[Any, Any]]":
    """The numbers of all clusters, the last column those of their samples."""
    import numpy as np

    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"every cluster needs each of its numbers; got {', '.join(str(len(c)) for c in columns)}")
    if not sum(columns[-1]):
        raise ValueError("a mean needs at least one sample")
    return [np.asarray(column, dtype=float) for column in columns]


def _unskewed(t: float, skewness: float) -> float:
    """The inverse of Hall's transformation, for the skewness of a mean."""
    if abs(skewness) < 1e-6:
        return t
    return 3 / skewness * (cbrt(1 + skewness * (t - skewness / 6)) - 1)


@dataclass(frozen=True, slots=True)
class MeanChange:
    """Intervals of the change of a mean quantity; the one leaves out 0 exactly where the other leaves out 1."""

    difference: Interval
    """Second minus first."""
    ratio: Interval | None
    """Second over first; None where the first may be nothing."""


def mean_change(
    first: Sequence[float], second: Sequence[float], samples: Sequence[float], *, confidence: float = 0.95
) -> MeanChange | None:
    """The change of a mean quantity on the same clusters.

    One statistic for both: the ratio's interval has every ratio r at which that of the mean of second minus r times
    first has 0 (as E. C. Fieller, *Some problems in interval estimation*, Journal of the Royal Statistical Society
    B 16, 1954, asks it of Student's). Gaps are as skewed as the quantity where they grow with it, and hardly where
    two agents are equal; so the interval of a mean gap has the ends of `mean_interval`, and Student's where these
    reach further.

    Args:
        first: The first's sum for each cluster.
        second: The second's, of the same clusters.
        samples: Number of pairs of each cluster.
        confidence: Between 0 and 1, exclusive.

    Returns:
        None from fewer than two clusters, or where both took nothing at all.

    Raises:
        ValueError: `confidence` is out of range, there is no pair, or there are not as many numbers as clusters.
    """
    _check(confidence)
    one, other, of = _columns(first, second, samples)
    n, count = of.sum(), len(of)
    before, after = float(one.sum() / n), float(other.sum() / n)
    if count < 2 or not (before or after):
        return None
    scale = before + after
    of_first, of_second = (one - before * of) / n / scale, (other - after * of) / n / scale
    before, after = before / scale, after / scale
    tail = (1 - confidence) / 2
    gaps = of_second - of_first
    # The same amounts or the same shares in all clusters, but for rounding.
    in_proportion = before * of_second - after * of_first
    if min(abs(gaps).max(), abs(in_proportion).max()) <= _ROUNDING:
        return _alike(of_first, of_second, before, after, scale, tail)
    value = after / before if before else 0.0
    # What the observed ratio leaves over, so that little is not lost as the difference of much.
    left = of_second - value * of_first
    powers = {(i, k): float((left**i * of_first**k).sum()) for i in range(5) for k in range(5) if 1 < i + k < 5}

    def ends(ratio: float) -> tuple[float, float]:
        """The interval of the mean of second minus so many times first."""
        by = value - ratio
        sums = [sum(comb(power, k) * by**k * powers[power - k, k] for k in range(power + 1)) for power in (2, 3, 4)]
        return _skewed_or_not(after - ratio * before, sums[0], sums[1], sums[2], count, tail)

    low, high = ends(1.0)
    squares, cubes, fourths = (powers[0, power] for power in (2, 3, 4))
    ratio = None
    # The first may be nothing, if that is not ruled out.
    if before and squares and _skewed_or_not(before, squares, cubes, fourths, count, tail)[0] > 0:
        ratio = Interval(
            _crossing(lambda r: ends(r)[0] > 0, 0.0, value, low > 0),
            _crossing(lambda r: ends(r)[1] >= 0, value, inf, high >= 0),
        )
    return MeanChange(Interval(scale * low, scale * high), ratio)


def _skewed_or_not(
    mean: float, squares: float, cubes: float, fourths: float, count: int, tail: float
) -> tuple[float, float]:
    """The further ends of Hall's interval and of Student's."""
    if squares <= _ROUNDING**2:
        return mean, mean
    half = student_quantile(tail, _freedom_of(squares, fourths, count)) * sqrt(count / (count - 1) * squares)
    low, high = _skewed_interval(mean, squares, cubes, fourths, count, tail)
    return min(low, mean - half), max(high, mean + half)


def _crossing(is_below: Callable[[float], bool], low: float, high: float, one_is_below: bool) -> float:
    """Ratio between two at which something ends to be so; on the same side of 1 as is said.

    Args:
        is_below: Whether a ratio lies below it.
        low: Ratio that does, or 0.
        high: Ratio that does not; may be infinite.
        one_is_below: Whether 1 does.
    """
    if one_is_below:
        low = max(low, min(1.0, high))
    else:
        high = min(high, max(1.0, low))
    while high == inf:
        further = 2 * max(1.0, low)
        if further > _ENDLESS or not is_below(further):
            high = further
        else:
            low = further
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high if one_is_below else low


_HALVINGS = 24
_ENDLESS = 1e12
"""A ratio so large that one looks no further."""


def _alike(
    of_first: "np.ndarray[Any, Any]",
    of_second: "np.ndarray[Any, Any]",
    before: float,
    after: float,
    scale: float,
    tail: float,
) -> MeanChange:
    """Student's and Fieller's intervals of amounts, or of shares, that are the same in all clusters.

    Others are not ruled out, of which one takes the first nothing, and one the second.
    """
    count = len(of_first)
    both = count / (count - 1) * float((of_first * of_second).sum())
    var_first, var_second = (
        count / (count - 1) * float((of**2).sum()) + (mean / count) ** 2
        for of, mean in ((of_first, before), (of_second, after))
    )
    square = student_quantile(tail, count - 1.0) ** 2
    half = sqrt(square * max(0.0, var_first + var_second - 2 * both))
    difference = Interval(scale * (after - before - half), scale * (after - before + half))
    a, b = before * before - square * var_first, before * after - square * both
    if a <= 0:
        return MeanChange(difference, None)
    root = sqrt(max(0.0, b * b - a * (after * after - square * var_second)))
    return MeanChange(difference, Interval(max(0.0, (b - root) / a), max(0.0, (b + root) / a)))


def _check(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")


def quotient(part: Any, whole: Any) -> Any:
    """`part / whole`, NaN where `whole` is 0; of numbers, or of arrays entry by entry."""
    if isinstance(whole, int | float):
        return part / whole if whole else nan
    # Imported here because single numbers need none of it.
    import numpy as np

    return np.divide(part, whole, out=np.full(np.shape(whole), nan), where=np.asarray(whole) != 0)
