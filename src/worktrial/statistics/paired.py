"""Tests of paired outcomes, and what is left of many p values when all were looked at."""

from collections.abc import Sequence
from math import fsum, isfinite

_ENUMERATED = 16
"""Up to so many clusters that differ, all 65,536 ways of signs are gone through."""
_AT_ONCE = 2_000_000
"""Signs in memory at a time."""


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p value of McNemar's test.

    Tasks that both pass or both fail say nothing about which agent is better. Of the others, each is as
    likely to go to either agent when there is no difference: a binomial test with one half (Q. McNemar, *Note
    on the sampling error of the difference between correlated proportions or percentages*, Psychometrika
    12, 1947; the exact form, and not its mid-p, so that the level is never exceeded).

    Args:
        only_first: Tasks that the first agent passed and the second did not.
        only_second: The other way round.

    Returns:
        Between 0 and 1; 1 when the two never differ.

    Raises:
        ValueError: a count is negative.
    """
    if min(only_first, only_second) < 0:
        raise ValueError(f"counts cannot be negative; got {only_first} and {only_second}")
    if only_first == only_second:
        return 1.0
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(only_first, only_second), only_first + only_second, 0.5)))


def sign_flip(differences: Sequence[float], *, draws: int = 10_000, seed: int = 0) -> float:
    """The two-sided p value of a paired permutation test over clusters.

    Without a difference between the agents, each cluster's difference is as likely to have the other sign;
    the statistic is the sum of all (R. A. Fisher, *The Design of Experiments*, 1935, section 21; E. S.
    Edgington and P. Onghena, *Randomization Tests*, 2007). For tasks with repeats, or tasks that share a
    scenario, where single outcomes are not independent. With one task of one repeat a cluster it is McNemar's
    exact test.

    Up to 16 clusters that differ, all signs are gone through and p is exact. With more, signs are drawn and
    the observed ones count as one more draw, so that p is never 0 and the level is kept (B. Phipson and
    G. K. Smyth, *Permutation p-values should never be zero*, 2010).

    Args:
        differences: One per cluster: the sum over its tasks of second minus first, or their mean.
        draws: How many, where not all are gone through.
        seed: The same differences, in any order, and seed give the same p.

    Raises:
        ValueError: a difference is not finite, or `draws` is below 1.
    """
    if draws < 1:
        raise ValueError(f"draws must be at least 1; got {draws}")
    if not all(isfinite(difference) for difference in differences):
        raise ValueError("differences must be finite")
    # A sign changes nothing at 0. Sorted, because a draw takes signs by position.
    sizes = sorted(abs(difference) for difference in differences if difference)
    observed = abs(fsum(differences))
    # Sums that are equal in exact arithmetic must count as equal in rounded arithmetic.
    least = observed - 1e-9 * fsum(sizes)
    if least <= 0:
        return 1.0
    if len(sizes) <= _ENUMERATED:
        return _share_of_all(sizes, least)
    return _share_of_draws(sizes, least, draws, seed)


def _share_of_all(sizes: Sequence[float], least: float) -> float:
    import numpy as np

    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return float(np.mean(np.abs(sums) >= least))


def _share_of_draws(sizes: Sequence[float], least: float, draws: int, seed: int) -> float:
    import numpy as np

    random = np.random.default_rng(seed)
    # A draw with negative signs at s adds up to the total minus twice the sum over s.
    twice = 2 * np.array(sizes)
    total = fsum(sizes)
    left, reached = draws, 1
    while left:
        block = min(left, max(1, _AT_ONCE // len(sizes)))
        negative = random.integers(0, 2, size=(block, len(sizes)), dtype=np.int8)
        reached += int(np.sum(np.abs(total - negative @ twice) >= least))
        left -= block
    return reached / (draws + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order of `p_values`.

    Whoever looks at ten industries finds one at the 5 % level by chance in four of ten cases. An adjusted p
    below the level is a finding even so: the chance of any false one stays below the level, however the tests
    depend on each other (S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian
    Journal of Statistics 6, 1979).

    Raises:
        ValueError: a p value is not between 0 and 1.
    """
    if wrong := [p for p in p_values if not 0 <= p <= 1]:
        raise ValueError(f"p values must be between 0 and 1; got {wrong[0]}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        # A smaller p never ends up with a larger adjusted one.
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = largest
    return adjusted
