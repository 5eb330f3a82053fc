"""Agreement of several judges on the same samples."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum
from typing import Any

from worktrial.statistics.jackknife import quotient


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement between votes over a run."""

    kappa: float | None
    """Fleiss' kappa: 1 is full agreement, 0 what chance gives. None where chance alone gives full agreement
    (every vote is the same), or where no sample has two votes."""
    pairwise: float | None
    """Mean over samples of the share of pairs of votes that are equal; None when no sample has two votes."""
    samples: int
    """Samples with at least two real votes: those on which agreement can be observed."""
    single: int
    """Samples with one real vote: they count only towards how often each vote occurs."""


def agreement(samples: Iterable[Sequence[bool | None]], *, first: int | None = None) -> Agreement:
    """Agreement between the votes on each of `samples`; None is no vote and is left out.

    Fleiss' kappa (J. L. Fleiss, *Measuring nominal scale agreement among many raters*, Psychological
    Bulletin 76, 1971) supposes the same number of votes on every sample. For unequal numbers this is the
    generalisation to missing ratings of K. L. Gwet, *Handbook of Inter-Rater Reliability* (4th edition,
    2014, chapter 2): the observed agreement is averaged over the samples with two or more votes, and the
    expected one comes from the share of each kind of vote within a sample, averaged over all samples that
    have any. With equal numbers both are the same.

    Stopping early biases agreement upwards: when the first two of three votes are equal, the third, which
    might have differed, is never cast, while every pair of different votes is completed. Whether a vote is
    cast then depends on the votes before it. `first` undoes this: up to the number that makes a majority
    (2 of 3, 3 of 5), votes are cast whatever they say, so on these alone the figures are those that a
    run with all votes would estimate, from fewer pairs.

    Args:
        samples: For each sample its votes in the order of their numbers, with None in the place of no vote.
        first: Look at no more than this many votes of each sample; with early stopping, the number that
            makes a majority of the planned votes.

    Raises:
        ValueError: `first` is less than 2, so that there would be no pair.
    """
    if first is not None and first < 2:
        raise ValueError(f"first must be at least 2; got {first}")
    observed: list[float] = []
    for_share: list[float] = []
    single = 0
    for votes in samples:
        cast = [vote for vote in votes[:first] if vote is not None]
        n, yes = len(cast), sum(cast)
        if n == 0:
            continue
        for_share.append(yes / n)
        if n == 1:
            single += 1
        else:
            observed.append(equal_pairs(yes, n))
    if not observed:
        return Agreement(None, None, 0, single)
    pairwise = fsum(observed) / len(observed)
    kappa = fleiss_of(pairwise, fsum(for_share) / len(for_share))
    return Agreement(None if kappa != kappa else float(kappa), pairwise, len(observed), single)


def equal_pairs(yes: int, n: int) -> float:
    """Share of equal pairs among `n` votes of which so many are yes."""
    return (yes * (yes - 1) + (n - yes) * (n - yes - 1)) / (n * (n - 1))


def fleiss_of(pairwise: Any, mean_for: Any) -> Any:
    """Fleiss' kappa from the share of equal pairs and the mean share of yes; NaN where it has no meaning."""
    # 1 minus the agreement by chance, as a product: exactly 0 when every vote is the same.
    return 1 - quotient(1 - pairwise, 2 * mean_for * (1 - mean_for))


def cohen(pairs: Iterable[tuple[bool | None, bool | None]]) -> float | None:
    """Cohen's kappa of two judges: 1 is full agreement, 0 what chance gives.

    J. Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement 20, 1960.
    Unlike Fleiss' kappa it lets each judge have a share of yes of its own when it works out chance.

    Args:
        pairs: For each sample the vote of the one and of the other judge. Samples without two real votes are left
            out.

    Returns:
        None where chance alone gives full agreement (both judges always say the same one thing), or without a
        sample.
    """
    cast = [(bool(a), bool(b)) for a, b in pairs if a is not None and b is not None]
    first, second = sum(a for a, _ in cast), sum(b for _, b in cast)
    found = cohen_of(len(cast), first, second, sum(a != b for a, b in cast))
    return None if found != found else float(found)


def cohen_of(n: Any, first: Any, second: Any, differ: Any) -> Any:
    """Cohen's kappa from counts, or from arrays of them; NaN where `cohen` has none.

    Args:
        n: Samples with both votes.
        first: Votes of yes by the one judge.
        second: Votes of yes by the other.
        differ: Samples on which they differ.
    """
    # n² times the disagreement by chance, in whole numbers: exactly 0 where kappa has no meaning.
    return 1 - quotient(n * differ, first * (n - second) + (n - first) * second)


@dataclass(frozen=True, slots=True)
class PairwiseCohen:
    """Cohen's kappa within an ensemble of judges."""

    mean: float | None
    """Mean over the pairs of judges that have a kappa; None when none has."""
    by_pair: tuple[float | None, ...]
    """The kappa of judges 0 and 1, 0 and 2, …, 1 and 2, …, in that order."""


def pairwise_cohen(samples: Iterable[Sequence[bool | None]]) -> PairwiseCohen:
    """Cohen's kappa of every pair of judges, and the mean (R. J. Light, Psychological Bulletin 76, 1971).

    Args:
        samples: For each sample one vote of each judge, always in the same order of judges; None is no vote.

    Raises:
        ValueError: the samples differ in the number of judges.
    """
    rows = list(samples)
    judges = len(rows[0]) if rows else 0
    if any(len(votes) != judges for votes in rows):
        raise ValueError("every sample needs one vote of each judge, or None in its place")
    by_pair = tuple(cohen((row[a], row[b]) for row in rows) for a, b in combinations(range(judges), 2))
    known = [kappa for kappa in by_pair if kappa is not None]
    return PairwiseCohen(fsum(known) / len(known) if known else None, by_pair)
