"""Knowledge for those who look again and again, and stop whenever they like: of a rate, and of a difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import takewhile
from math import erf, exp, inf, lgamma, log, log1p, pi, sqrt

from worktrial.statistics.estimates import Estimand, Estimate, TaskTries, difference
from worktrial.statistics.rates import Interval


@lru_cache(maxsize=4096)
def confidence_sequence(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """A range for a rate that stays right however often one looks, as shares between 0 and 1.

    With probability `confidence` or more the true rate lies in the ranges of *all* n at once. So the trials may be
    stopped on what they have shown so far, which the intervals for one fixed n (Wilson, Clopper-Pearson) do not
    survive. The price is width.

    It is the set of rates p under which the likelihood of what was seen is at least (1 - confidence) times its
    mean over a Beta(1/2, 1/2) mixture of rates. Under the true rate the ratio of the two is a martingale that
    starts at 1, so it ever exceeds 1 / (1 - confidence) with probability at most 1 - confidence (J. Ville, *Étude
    critique de la notion de collectif*, 1939; H. Robbins, *Statistical methods related to the law of the iterated
    logarithm*, Annals of Mathematical Statistics 41, 1970).

    Args:
        successes: How many of the trials succeeded.
        n: How many trials there were; without any, nothing is known: (0, 1).
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: `successes` is not between 0 and `n`, or `confidence` not between 0 and 1.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be between 0 and n; got {successes} of {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")
    if n == 0:
        return Interval(0.0, 1.0)
    least = _log_mixture(successes, n) + log1p(-confidence)
    return Interval(1 - _upper(n - successes, n, least), _upper(successes, n, least))


def _log_mixture(successes: int, n: int) -> float:
    """Logarithm of the mean likelihood of one order of the outcomes, over Beta(1/2, 1/2)."""
    return lgamma(successes + 0.5) + lgamma(n - successes + 0.5) - lgamma(n + 1) - log(pi)


def _upper(successes: int, n: int, least: float) -> float:
    """The largest rate whose log-likelihood is at least `least`."""
    failures = n - successes
    if failures == 0:
        return 1.0
    if successes == 0:
        return 1 - exp(least / n)
    inside, outside = successes / n, 1.0
    # Halving what is left between a rate that is in and one that is out; 60 times exhaust a float.
    for _ in range(60):
        middle = (inside + outside) / 2
        if middle < 1 and successes * log(middle) + failures * log1p(-middle) >= least:
            inside = middle
        else:
            outside = middle
    return outside


@dataclass(frozen=True, slots=True)
class Stretch:
    """The last looks of a row, taken together, beside what they are compared with."""

    looks: int
    found: Estimate
    """Mean of the looks minus the baseline, on these tasks. Its interval is that of `difference_sequence`; its p is
    that of a single look."""


Tries = Mapping[str, Sequence[float]]
"""Task to a value between 0 and 1 for each try."""


def difference_sequence(baseline: Tries, looks: Sequence[Tries], confidence: float = 0.95) -> list[Stretch]:
    """Differences to a pinned baseline that stay right however often one looks, on the baseline's tasks.

    A drop may begin at any look. So with each look a new sequence begins, over that look and all later ones; the
    sequence of look s has the level (1 - confidence) / (s (s + 1)), and all of them together 1 - confidence. With
    probability `confidence` or more, all intervals of all looks hold the mean difference over their own looks.

    Within a sequence little needs to be spent on the number of looks: the baseline is drawn once, so that ever more
    looks come to know at most 1 + a / b times as much as the first one, with a tries of a task in the baseline and
    b in a look. The intervals are those of repeated looks at a process that ends (C. Jennison and B. W. Turnbull,
    *Interim analyses: the repeated confidence interval approach*, Journal of the Royal Statistical Society B 51,
    1989). New sequences for new beginnings: S. Shekhar and A. Ramdas, *Reducing sequential change detection to
    sequential estimation*, 2023.

    Args:
        baseline: Tries of each task.
        looks: Tries of the same tasks, the first look first; others are left out.
        confidence: Between 0 and 1, exclusive.

    Returns:
        The last 1, 2, 3, 4, 6, 8, 12, … looks and all of them, the shortest stretch first; not those that have no
        task in common with the baseline.

    Raises:
        ValueError: `confidence` is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")
    wanted = stretch_lengths(len(looks))
    known = 2 * sum(len(tries) for tries in baseline.values())
    found, later = [], dict[str, list[float]]()
    for length, look in enumerate(reversed(looks), 1):
        # In the baseline's order: sums of floats, so results, depend on the order to the last digit.
        common = [task for task in baseline if task in look]
        for task in common:
            later.setdefault(task, []).extend(look[task])
        pairs = [TaskTries(task, tuple(baseline[task]), tuple(look[task])) for task in common]
        first = sum(pair.weight for pair in pairs if pair.second)
        if length in wanted and first:
            begun = len(looks) - length + 1
            bound = critical_value((1 - confidence) / (begun * (begun + 1)), known / first)
            seen = [task for task in baseline if later.get(task)]
            tries = [TaskTries(task, tuple(baseline[task]), tuple(later[task])) for task in seen]
            found.append(Stretch(length, difference(tries, Estimand.THESE, confidence=_within(bound))))
    return found


def shown_drop(stretches: Sequence[Stretch], margin: float) -> Stretch | None:
    """Stretch that shows best a drop by more than `margin` that is no chance and is not over; None without one.

    A drop is over where some shorter stretch, the last look alone for one, lies above minus the margin.

    Args:
        stretches: From `difference_sequence`.
        margin: Drop that does not matter, as a share.
    """
    lasting = list(takewhile(lambda s: s.found.value < -margin, stretches))
    shown = [s for s in lasting if s.found.interval.high < 0]
    return min(shown, key=lambda s: s.found.interval.high, default=None)


def stretch_lengths(looks: int) -> set[int]:
    """Numbers of last looks that are taken together: 1, 2, 3, 4, 6, 8, 12, … and all."""
    lengths, length = {1, 2, 3, looks}, 4
    while length < looks:
        lengths |= {length, length * 3 // 2}
        length *= 2
    return {length for length in lengths if length <= looks}


@lru_cache(maxsize=4096)
def critical_value(level: float, growth: float) -> float:
    """Standard errors that a mean of 0 exceeds with probability `level` at any time while its information grows.

    R. Miller and D. Siegmund, *Maximally selected chi square statistics*, Biometrics 38, 1982: the chance that
    Brownian motion leaves plus or minus c roots of the time is (c - 1 / c) f log growth + 4 f / c, for the normal
    density f at c. An approximation from above where the looks are few.

    Args:
        level: Between 0 and 1, exclusive.
        growth: Information at the end over that of the first look, at least 1.

    Raises:
        ValueError: a number is out of range.
    """
    if not 0 < level < 1 or not growth >= 1:
        raise ValueError(f"level must be between 0 and 1, and growth at least 1; got {level} and {growth}")
    # At 1 and below the formula says nothing; a chance below that of any float is not asked for.
    low, high = 1.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        density = exp(-middle * middle / 2) / sqrt(2 * pi)
        chance = (middle - 1 / middle) * density * log(growth) + 4 * density / middle
        low, high = (middle, high) if chance > level else (low, middle)
    return high


def _within(bound: float) -> float:
    """Chance that a normal deviate lies within so many standard errors."""
    return erf(bound / sqrt(2))


class Side(StrEnum):
    """Place of a true rate beside a band, as far as is known."""

    INSIDE = "inside"
    BELOW = "below"
    ABOVE = "above"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Band:
    """Rates that are wanted. Each border is a stretch within which either answer will do.

    A border that is one sharp number cannot be decided for a rate that lies on it, in any number of trials.
    """

    low_out: float = -inf
    """Rate at or below which one is not wanted."""
    low_in: float = -inf
    """Least rate that is not too low."""
    high_in: float = inf
    """Up to here a rate is not too high."""
    high_out: float = inf
    """Rate at or above which one is not wanted."""

    def __post_init__(self) -> None:
        if not self.low_out <= self.low_in <= self.high_in <= self.high_out:
            raise ValueError(f"the borders of a band must be in order: {self}")

    def side(self, known: Interval) -> Side:
        """Side of the band that an interval shows.

        It is inside when the interval excludes every rate that is not wanted, below or above when it excludes every
        rate that is.
        """
        if known.low > self.low_out and known.high < self.high_out:
            return Side.INSIDE
        if known.high < self.low_in:
            return Side.BELOW
        if known.low > self.high_in:
            return Side.ABOVE
        return Side.UNDECIDED
