"""Rates, and how sure they are."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """A range of plausible values, both ends included."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2


def wilson(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """The Wilson score interval for a rate, as shares between 0 and 1.

    It is the range of true rates that a two-sided score test would not reject (E. B. Wilson, *Probable
    inference, the law of succession, and statistical inference*, JASA 22, 1927), without continuity
    correction. Unlike the textbook interval around the observed rate it stays within 0 and 1 and keeps a
    width when nothing or everything succeeded. Without any trial nothing is known: (0, 1).

    Args:
        successes: How many of the trials succeeded.
        n: How many trials there were.
        confidence: Between 0 and 1, exclusive.

    Raises:
        ValueError: `successes` is not between 0 and `n`, or `confidence` not between 0 and 1.
    """
    _check(successes, n, confidence)
    if n == 0:
        return Interval(0.0, 1.0)
    # The lower tail is asked for, because 1 minus a tiny share would round to 1.
    z = -NormalDist().inv_cdf((1 - confidence) / 2)
    rate = successes / n
    return Interval(_lower(successes, n, z), max(rate, 1 - _lower(n - successes, n, z)))


def _check(successes: int, n: int, confidence: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be between 0 and n; got {successes} of {n}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, exclusive; got {confidence}")


def _lower(successes: int, n: int, z: float) -> float:
    """The smaller root of Wilson's quadratic, written without a difference so that no digits cancel."""
    if successes == 0:
        return 0.0
    spread = z * sqrt(successes * (n - successes) / n + z * z / 4)
    return successes / n * (successes / (successes + z * z / 2 + spread))


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of successes."""

    successes: int
    n: int

    @property
    def share(self) -> float | None:
        """Successes per trial; None without a trial."""
        return self.successes / self.n if self.n else None

    def interval(self, confidence: float = 0.95) -> Interval:
        """The Wilson interval around the share."""
        return wilson(self.successes, self.n, confidence)


@dataclass(frozen=True, slots=True)
class CompletionRate:
    """Counts of samples that passed, failed, and could not be judged."""

    passed: int = 0
    failed: int = 0
    invalid: int = 0

    def __post_init__(self) -> None:
        if min(self.passed, self.failed, self.invalid) < 0:
            raise ValueError(f"counts cannot be negative: {self}")

    def __add__(self, other: "CompletionRate") -> "CompletionRate":
        return CompletionRate(self.passed + other.passed, self.failed + other.failed, self.invalid + other.invalid)

    @property
    def of_all(self) -> Rate:
        """Passes among all samples; an invalid one counts as not passed. Comparable between runs."""
        return Rate(self.passed, self.passed + self.failed + self.invalid)

    @property
    def of_valid(self) -> Rate:
        """Passes among the samples with a verdict. Flatters where hard samples are the ones that break."""
        return Rate(self.passed, self.passed + self.failed)
