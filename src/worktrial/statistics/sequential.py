"""Knowledge of a rate for those who look again and again, and stop whenever they like."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi

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
