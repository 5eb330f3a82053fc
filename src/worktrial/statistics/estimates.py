"""Score intervals and tests of rates, differences and ratios, for tries of tasks that come in clusters.

Every figure takes three steps. The variance of a mean is estimated from what was really drawn: whole clusters for a
statement about work like this, tries of fixed tasks for one about these tasks. The variance becomes an *effective
number of samples*: how many independent samples would know as much (L. Kish, *Survey Sampling*, 1965, section 8.2;
for the interval of a rate on it E. L. Korn and B. I. Graubard, Survey Methodology 24, 1998). The score method for
independent samples then gives test and interval from one statistic, so that an interval leaves out 0 exactly where
the test is significant at the same level, and has a width whatever was seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import fsum, inf, sqrt
from typing import NamedTuple

from worktrial.statistics.rates import Interval, interval_of
from worktrial.statistics.student import student_quantile, student_tail


class Estimand(StrEnum):
    """Question that a figure answers."""

    THESE = "these tasks"
    """The tasks are fixed; chance lies in the tries."""
    WORK = "work like this"
    """Tasks are drawn too, whole clusters at a time."""


@dataclass(frozen=True, slots=True)
class TaskTries:
    """Tries of one task, by one agent or by two."""

    cluster: str
    """Group of tasks that vary together, such as its scenario; its own id where there is none."""
    first: tuple[float, ...]
    """A value between 0 and 1 for each try; 1 is a pass."""
    second: tuple[float, ...] = ()
    """The other agent's tries, or the same agent's under another condition."""

    @property
    def weight(self) -> float:
        """Pairs of tries that know as much: the number of tries, or the harmonic mean of both sides' numbers.

        N. Mantel and W. Haenszel, *Statistical aspects of the analysis of data from retrospective studies of
        disease*, Journal of the National Cancer Institute 22, 1959.
        """
        first, second = len(self.first), len(self.second)
        # Sides with as many tries are the usual case, and asked for often.
        return 2 * first * second / (first + second) if second and second != first else float(first)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and how sure it is."""

    value: float
    interval: Interval
    p: float | None
    """Two-sided p value of no difference; None where the figure is no comparison."""
    estimand: Estimand
    samples: int
    """Tries, or pairs of them."""
    clusters: int
    effective: float
    """Independent samples that would know as much."""


def rate(tasks: Sequence[TaskTries], estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95) -> Estimate:
    """The mean of `first` over all tries, with `interval_of` the effective number of samples.

    Raises:
        ValueError: there is no try, or `confidence` is not between 0 and 1.
    """
    drawn = _Drawn.of(tasks, 1)
    value = drawn.mean
    known = drawn.known(value * (1 - value), estimand, confidence)
    critical = known.critical(confidence)
    found = interval_of(value, known.effective, confidence, critical)
    return _estimate(value, found, None, estimand, drawn, known)


def difference(
    tasks: Sequence[TaskTries], estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95
) -> Estimate:
    """The mean of `second` minus the mean of `first` on the same tasks.

    The score test and its interval for paired rates of T. Tango, *Equivalence test and confidence interval for the
    difference in proportions for the paired-sample design*, Statistics in Medicine 17, 1998. With one try of
    unclustered tasks the test is McNemar's, with the variance n / (n - 1) times as large, as of n clusters. As it
    stands, with 6 to 150 pairs, up to 5.6 % of equal agents differ and up to 3.2 % of those worse by 5 or 10 points
    pass for good, at nominal 5 and 2.5 %; with the factor up to 5.0 and 2.6 %.

    Where one side tried a task more often, it counts as `TaskTries.weight` pairs of tries. On these tasks, what a
    pair varies by is then divided between the sides as rates that differ by what is supposed vary.

    Raises:
        ValueError: there is no try, a task has tries of one side alone, or `confidence` is out of range.
    """
    for task in tasks:
        if bool(task.first) != bool(task.second):
            raise ValueError(f"a task needs tries on both sides; got {len(task.first)} and {len(task.second)}")
    drawn = _Drawn.of(tasks, -1, 1)
    value = drawn.mean
    differing = _differing(tasks)
    known = drawn.known(differing - value * value, estimand, confidence, less_one)
    critical = known.critical(confidence)
    sides = _Sides.of(tasks, value) if known.uneven else None

    def score(supposed: float) -> float:
        of_pair = _tango((differing - value) / 2, value, supposed)
        of_second = sides.of_second(supposed) if sides else 0.5
        return _standardised(value - supposed, known.variance(of_pair, of_second))

    low = _end(score, critical, value, -1.0)
    high = _end(score, critical, value, 1.0)
    return _estimate(value, Interval(low, high), known.p_value(score(0.0)), estimand, drawn, known)


def ratio(tasks: Sequence[TaskTries], estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95) -> Estimate:
    """The mean of `second` over the mean of `first` on the same tasks; the interval may reach to infinity.

    Raises:
        ValueError: as in `ratio_at`.
    """
    return ratio_at(tasks, (confidence,), estimand)[0]


def ratio_at(
    tasks: Sequence[TaskTries], confidences: Sequence[float], estimand: Estimand = Estimand.WORK
) -> list[Estimate]:
    """The same at several confidences.

    The score interval for the ratio of paired rates of N.-S. Tang, M.-L. Tang and I. S. F. Chan, *On tests of
    equivalence via non-unity relative risk for matched-pair design*, Statistics in Medicine 22, 2003.

    Raises:
        ValueError: nothing of `first` passed, there is no try, a task has not as many tries by the second, or
            a confidence is out of range.
    """
    for task in tasks:
        if len(task.first) != len(task.second):
            tries = f"{len(task.first)} and {len(task.second)}"
            raise ValueError(f"a task needs as many tries on both sides; got {tries}")
    n = sum(len(task.first) for task in tasks)
    first, second = (fsum(fsum(getattr(task, side)) for task in tasks) for side in ("first", "second"))
    if not first:
        raise ValueError("nothing of the first passed, so a ratio has no meaning")
    value = second / first
    differing = _differing(tasks)
    only_first, only_second = (max(0.0, differing + sign * (first - second) / n) / 2 for sign in (1, -1))
    both = max(0.0, first / n - only_first)
    drawn = _Drawn.of(tasks, -value, 1)
    spread = both * (1 - value) ** 2 + only_second + value * value * only_first
    found = []
    for confidence in confidences:
        known = drawn.known(spread, estimand, confidence)
        critical, root = known.critical(confidence), sqrt(known.effective)

        def score(supposed: float, root: float = root) -> float:
            return _tang(both, only_second, only_first, supposed) * root

        low = _end(score, critical, value, 0.0)
        most = max(2.0, 2 * value)
        while most < _ENDLESS and abs(score(most)) <= critical:
            most *= 4
        high = inf if most >= _ENDLESS else _end(score, critical, value, most)
        p = known.p_value(score(1.0))
        found.append(_estimate(value, Interval(low, high), p, estimand, drawn, known))
    return found


def less_one(pairs: float) -> float:
    """The number of pairs that the variance of single pairs is divided by: one less, but not nothing."""
    return max(pairs - 1, pairs / 2)


_ENDLESS = 1e6
"""A ratio so large that its interval is said to have no upper end."""


def _differing(tasks: Sequence[TaskTries]) -> float:
    """Share of pairs of tries, each of the first with each of the second on its task, that differ."""
    share, n = 0.0, 0.0
    for task in tasks:
        if task.first:
            if len(task.first) == len(task.second) == 1:
                (first,), (second,), weight = task.first, task.second, 1.0
            else:
                first, second = _sum(task.first) / len(task.first), _sum(task.second) / len(task.second)
                weight = task.weight
            share += weight * (first * (1 - second) + second * (1 - first))
            n += weight
    return share / n


def _sum(values: Sequence[float]) -> float:
    return fsum(values) if len(values) > 1 else values[0]


class _Sides(NamedTuple):
    """Two sides that tried tasks unequally often."""

    first: float
    """Rate of the first, each task with its weight."""
    value: float
    """Difference of the rates, second minus first."""
    of_firsts: float
    """Share of all tries that are the first's."""

    @classmethod
    def of(cls, tasks: Sequence[TaskTries], value: float) -> "_Sides":
        firsts, seconds = (sum(len(getattr(task, side)) for task in tasks) for side in ("first", "second"))
        tried = [(task.weight, fsum(task.first) / len(task.first)) for task in tasks if task.first]
        first = fsum(weight * mean for weight, mean in tried) / fsum(weight for weight, _ in tried)
        return cls(first, value, firsts / (firsts + seconds))

    def of_second(self, supposed: float) -> float:
        """Part of the variance of a pair that is the second's, by rates that differ by what is supposed."""
        # The first rate that fits both sides' tries best.
        fitting = self.first + (1 - self.of_firsts) * (self.value - supposed)
        first = min(1.0, 1 - supposed, max(0.0, -supposed, fitting))
        of_first, of_second = (share * (1 - share) for share in (first, first + supposed))
        return of_second / (of_first + of_second) if of_first + of_second > _ROUNDING else 0.5


class _Drawn(NamedTuple):
    """Draws for the mean of a weighted sum of both sides' values."""

    mean: float
    n: float
    """Tries, or pairs of them."""
    clusters: list[tuple[float, float]]
    """Sum of the values, and their number."""
    tasks: Sequence[TaskTries]
    counts: tuple[float, float]
    """Weight of a value of each side."""

    @classmethod
    def of(cls, tasks: Sequence[TaskTries], of_first: float, of_second: float = 0.0) -> "_Drawn":
        clusters: dict[str, tuple[float, float]] = {}
        for task in tasks:
            first, second = task.first, task.second if of_second else task.first
            if not first:
                continue
            if len(first) == len(second) == 1:
                # The usual case, drawn often: nothing to weigh.
                tries, own = 1.0, of_first * first[0] + of_second * second[0]
            else:
                tries = task.weight if of_second else float(len(first))
                # How much a try of each side counts; 1 where both have as many.
                first_counts, second_counts = tries / len(first), tries / len(second)
                own = of_first * first_counts * _sum(first) + of_second * second_counts * _sum(second)
            if task.cluster in clusters:
                total, n = clusters[task.cluster]
                clusters[task.cluster] = total + own, n + tries
            else:
                clusters[task.cluster] = own, tries
        n = sum(tries for _, tries in clusters.values())
        if not n:
            raise ValueError("there is no try, so nothing can be said")
        mean = fsum(total for total, _ in clusters.values()) / n
        return cls(mean, n, list(clusters.values()), tasks, (of_first, of_second))

    def known(
        self, spread: float, estimand: Estimand, confidence: float, alone: Callable[[float], float] = float
    ) -> "_Known":
        """The variance of the mean, as an effective number of samples.

        Args:
            spread: Variance of an independent sample, as observed.
            estimand: What the mean is about.
            confidence: At which the narrower of two ways is taken.
            alone: Number that samples count for where the variance follows from the mean.
        """
        if estimand is Estimand.THESE:
            return self._from_tasks(spread, confidence, alone)
        return self._from_clusters(spread, alone)

    def _from_clusters(self, spread: float, alone: Callable[[float], float]) -> "_Known":
        clusters = len(self.clusters)
        errors = [(total - self.mean * n) ** 2 for total, n in self.clusters]
        squares = fsum(errors)
        if clusters == self.n and abs(squares - spread * self.n) <= 1e-9 * self.n:
            # Single passes and failures, of which the mean says how much they vary.
            return _Known(alone(self.n), inf)
        if clusters < 2 or spread <= _ROUNDING:
            # Nothing shows how much clusters vary: each counts as one sample.
            return _Known(alone(clusters), inf)
        if squares <= _ROUNDING * self.n:
            return _Known(self.n, clusters - 1.0)
        variance = clusters / (clusters - 1) * squares / self.n**2
        # Few degrees where a handful of clusters make up the variance (F. E. Satterthwaite, Biometrics Bulletin 2,
        # 1946, for the kurtosis 3 of normal errors), and at least two.
        freedom = 3 * squares**2 / fsum(error * error for error in errors) - 1
        return _Known(min(self.n, spread / variance), min(clusters - 1.0, max(2.0, freedom)))

    def _from_tasks(self, spread: float, confidence: float, alone: Callable[[float], float]) -> "_Known":
        repeated, uneven = self._within()
        # One try of each task cannot show how much it varies; tries of fixed tasks vary less than independent ones.
        independent = _Known(alone(self.n), inf, uneven / self.n**2)
        if not repeated or spread <= _ROUNDING:
            return independent
        # Of a task with one try, and of one task more, it is supposed that it varies as all tries together do: an
        # agent that did the same in every repeat is not without chance.
        tries = repeated[0][0]
        supposed = spread * (self.n - fsum(tries for tries, _ in repeated) + tries)
        terms = [(tries * variance, tries - 1) for tries, variance in repeated]
        total = fsum(term for term, _ in terms) + supposed
        freedom = total**2 / (fsum(term * term / df for term, df in terms) + supposed * supposed / (tries - 1))
        found = _Known(spread * self.n**2 / total, freedom)
        return max(found, independent, key=lambda known: known.effective / known.critical(confidence) ** 2)

    def _within(self) -> tuple[list[tuple[float, float]], float]:
        """Tries of each task with several, and the variance of one; and how uneven the two sides are.

        The sides' tries are independent. How uneven they are is the sum over tasks of the square of their tries,
        times what a try of the second side counts more than one of the first.
        """
        of_first, of_second = self.counts
        repeated = []
        uneven = 0.0
        for task in self.tasks:
            first, second = task.first, task.second if of_second else task.first
            if not first or len(first) == len(second) == 1:
                continue
            tries = task.weight if of_second else float(len(first))
            if min(len(first), len(second)) > 1:
                variance = of_first**2 * (tries / len(first)) * _variance(first)
                variance += of_second**2 * (tries / len(second)) * _variance(second)
                repeated.append((tries, variance))
            if len(first) != len(second):
                uneven += tries * tries * (1 / len(second) - 1 / len(first))
        return repeated, uneven


class _Known(NamedTuple):
    """Knowledge of a mean from the drawn values."""

    effective: float
    """Independent samples that would know as much, if both sides of a pair vary alike."""
    freedom: float
    """Degrees of freedom of the variance; infinite where it follows from the mean."""
    uneven: float = 0.0
    """Excess of the second side's part over the first's in the mean's variance, for a variance of 1 of a sample."""

    def variance(self, of_one: float, of_second: float = 0.5) -> float:
        """The variance of the mean.

        Args:
            of_one: Variance of an independent sample.
            of_second: Part of it that is the second side's.
        """
        return of_one * (1 / self.effective + self.uneven * (of_second - 0.5))

    def critical(self, confidence: float) -> float:
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")
        return student_quantile((1 - confidence) / 2, self.freedom)

    def p_value(self, score: float) -> float:
        return min(1.0, 2 * student_tail(abs(score), self.freedom))


_ROUNDING = 1e-12


def _variance(values: Sequence[float]) -> float:
    ones = values.count(1.0)
    if ones + values.count(0.0) == len(values):
        return _variance_of_passes(ones, len(values))
    mean = fsum(values) / len(values)
    return fsum((value - mean) ** 2 for value in values) / (len(values) - 1)


@lru_cache(maxsize=4096)
def _variance_of_passes(ones: int, tries: int) -> float:
    """The same for ones and zeros, of which most runs of many tries are made, in whatever order."""
    mean = ones / tries
    return fsum([(1 - mean) ** 2] * ones + [mean**2] * (tries - ones)) / (tries - 1)


def _tango(losses: float, value: float, supposed: float) -> float:
    """Tango's variance of the difference of one pair, if the mean difference is what is supposed.

    Args:
        losses: Share of pairs that only the first passed.
        value: Observed difference.
        supposed: Difference that is tested.
    """
    b = -(2 * losses + value) + (2 - value) * supposed
    c = -losses * supposed * (1 - supposed)
    only_first = (sqrt(max(0.0, b * b - 8 * c)) - b) / 4
    return 2 * only_first + supposed * (1 - supposed)


def _tang(both: float, only_second: float, only_first: float, supposed: float) -> float:
    """The score of one pair for a supposed ratio of the second rate to the first (Tang, Tang and Chan)."""
    some = both + only_second + only_first
    distance = both + only_second - supposed * (both + only_first)
    a = 1 + supposed
    b = (both + only_first) * supposed * supposed - (some + only_first)
    c = only_first * (1 - supposed) * some
    limit = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    return _standardised(distance, a * limit + some * (supposed - 1))


def _standardised(distance: float, variance: float) -> float:
    if variance > _ROUNDING * _ROUNDING:
        return distance / sqrt(variance)
    return 0.0 if abs(distance) <= _ROUNDING else inf if distance > 0 else -inf


def _end(score: Callable[[float], float], critical: float, inside: float, outside: float) -> float:
    """End of what the score does not reject, between a value that is inside and one that may be outside."""
    if abs(score(outside)) <= critical:
        return outside
    # Halving exhausts the digits of a float.
    for _ in range(60):
        middle = (inside + outside) / 2
        if abs(score(middle)) <= critical:
            inside = middle
        else:
            outside = middle
    return outside


def _estimate(
    value: float, interval: Interval, p: float | None, estimand: Estimand, drawn: _Drawn, known: _Known
) -> Estimate:
    return Estimate(value, interval, p, estimand, round(drawn.n), len(drawn.clusters), known.effective)
