"""Agreement of raters beyond chance, with intervals that know which samples belong together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from worktrial.statistics.agreement import cohen_of, equal_pairs, fleiss_of
from worktrial.statistics.jackknife import Sums, difference_intervals, quotient, score_intervals
from worktrial.statistics.rates import Interval


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A figure of agreement; 1 is full agreement."""

    value: float | None
    """None where chance alone gives full agreement, so that the figure has no meaning."""
    interval: Interval | None
    """Interval at the confidence asked for; None from a single cluster, or where one cluster more or less decides
    whether there is a value."""


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement of two or more raters on pass and fail."""

    samples: int
    """Samples with at least two opinions."""
    clusters: int
    """Groups of samples that belong together: scenarios, or tasks."""
    observed: AgreementFigure
    """Share of equal pairs of opinions, mean over samples."""
    kappa: AgreementFigure
    """Cohen's kappa of two raters, Fleiss' of more for any number of opinions; 0 is what chance gives."""
    ac1: AgreementFigure
    """Gwet's AC1, which does not fall where nearly all opinions are the same."""


def rater_agreement(
    samples: Iterable[tuple[str, Sequence[bool | None]]], *, confidence: float = 0.95
) -> RaterAgreement | None:
    """Agreement of raters, each sample with its cluster and one opinion of each rater; None is no opinion.

    Kappa as in `cohen` and `agreement`. AC1 is (p - e) / (1 - e) with p the observed agreement and
    e = 2 π (1 - π), where π is the mean share of yes: K. L. Gwet, *Computing inter-rater reliability and its
    variance in the presence of high agreement*, British Journal of Mathematical and Statistical Psychology 61,
    2008. Intervals are the jackknife's over clusters.

    Args:
        samples: Always the same raters in the same order.
        confidence: Between 0 and 1, exclusive.

    Returns:
        None where no sample has two opinions.

    Raises:
        ValueError: the samples differ in the number of raters, or `confidence` is out of range.
    """
    rows = [(cluster, [bool(vote) for vote in votes if vote is not None], votes) for cluster, votes in samples]
    if len({len(votes) for _, _, votes in rows}) > 1:
        raise ValueError("every sample needs one opinion of each rater, or None in its place")
    of_two = bool(rows) and len(rows[0][2]) == 2
    clusters: dict[str, dict[str, float]] = {}
    for cluster, cast, _ in rows:
        # Of two raters kappa is about the samples that both rated; of more about all that any did.
        if len(cast) < (2 if of_two else 1):
            continue
        sums = clusters.setdefault(cluster, dict.fromkeys(_KEYS, 0.0))
        n, yes = len(cast), sum(cast)
        sums["rated"] += 1
        sums["yes"] += yes / n
        if of_two:
            sums["first"], sums["second"] = sums["first"] + cast[0], sums["second"] + cast[1]
        if n > 1:
            sums["twice"] += 1
            sums["equal"] += equal_pairs(yes, n)
    twice = int(sum(sums["twice"] for sums in clusters.values()))
    if not twice:
        return None

    def chance_corrected(sums: Sums) -> dict[str, Any]:
        share, equal = quotient(sums["yes"], sums["rated"]), quotient(sums["equal"], sums["twice"])
        by_chance = 2 * share * (1 - share)
        differ = sums["twice"] - sums["equal"]
        kappa = (
            cohen_of(sums["twice"], sums["first"], sums["second"], differ) if of_two else fleiss_of(equal, share)
        )
        return {"kappa": kappa, "ac1": quotient(equal - by_chance, 1 - by_chance)}

    each = list(clusters.values())
    total = {key: sum(sums[key] for sums in each) for key in _KEYS}
    whole = {"observed": total["equal"] / total["twice"], **chance_corrected(total)}
    intervals = {
        **score_intervals(
            each, lambda sums: {"observed": quotient(sums["equal"], sums["twice"])}, confidence=confidence
        ),
        **difference_intervals(each, chance_corrected, confidence=confidence),
    }

    def figure(name: str) -> AgreementFigure:
        value = whole[name]
        return AgreementFigure(None if value != value else float(value), intervals.get(name))

    return RaterAgreement(twice, len(each), figure("observed"), figure("kappa"), figure("ac1"))


_KEYS = ("rated", "yes", "first", "second", "twice", "equal")
