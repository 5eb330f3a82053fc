"""Changes of figures between two runs of the same samples: each is reckoned once a pair, by one function.

A pair of samples counts where both have a verdict and the same faults were planned for both.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

from worktrial.engine.identity import TrialIdentity
from worktrial.engine.pairing import SamplePair, pair_runs
from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.results.completion import paired_tries, passed
from worktrial.results.conditions import (
    cluster_by,
    clusters_in,
    headline,
    in_order,
    outcomes_by_task,
    settings_with_all_modes,
    tallies,
)
from worktrial.results.estimates import too_few
from worktrial.results.figure import MEANS, Mean, digest_of, why_unknown
from worktrial.results.outcomes import OutcomeTally
from worktrial.results.spending import QUANTITIES, Spent, replayed_mark, spent_in, unseen
from worktrial.statistics import Change, Estimand, Unit, difference, holm, mean_change, robustness_change
from worktrial.suite import SampleScore, Suite, suite_of

Value = Callable[[SampleRecord], float]


@dataclass(frozen=True, slots=True)
class PairFigures:
    """All changes between two runs at one level."""

    headline: str
    """Condition that stands for the comparison: E0 where both have it, else the first; "" where none is shared."""
    listed: tuple[Change, ...]

    def get(
        self, name: str, condition: str | None = None, group: str = "", estimand: Estimand = Estimand.WORK
    ) -> Change:
        """A change; one without a value where there is none of that name.

        Args:
            name: Of the figure.
            condition: What it is about; None for the headline condition.
            group: As in `Change.group`.
            estimand: Question that its interval answers.
        """
        about = self.headline if condition is None else condition
        for one in self.listed:
            if (one.name, one.condition, one.group, one.estimand) == (name, about, group, estimand):
                return one
        return Change(name=name, condition=about, group=group, estimand=estimand, unknown="not in both runs")

    def groups(self, tag: str, condition: str) -> dict[str, Change]:
        """The changes of completion of samples that share a value of a tag, by that value."""
        start = f"{tag}="
        own = [one for one in self.listed if one.condition == condition and one.group.startswith(start)]
        return {one.group.removeprefix(start): one for one in own}


class RunPair:
    """Two runs, sample by sample.

    Args:
        first: For instance the baseline.
        second: The other; changes are second minus first.
    """

    def __init__(self, first: StoredRun, second: StoredRun) -> None:
        self.first, self.second = first, second
        self.pairing = pair_runs(first, second)
        found: dict[str, list[SamplePair]] = {}
        for pair in self.pairing.pairs:
            found.setdefault(pair.first.condition, []).append(pair)
        self.shared: Mapping[str, list[SamplePair]] = {name: found[name] for name in in_order(found)}
        """Pairs of each condition that both have, E0 first."""
        self.counted: Mapping[str, list[SamplePair]] = {
            name: [pair for pair in own if pair.both_judged and pair.same_faults]
            for name, own in self.shared.items()
        }
        """Figures that count among them."""
        self._rates: dict[tuple[str, str, Estimand, float], Change] = {}
        self._figures: dict[float, PairFigures] = {}

    @cached_property
    def suite(self) -> Suite | None:
        """The suite of both; None where it is not the same, or not installed."""
        first, second = (TrialIdentity.of(run.manifest) for run in (self.first, self.second))
        return suite_of(self.first.manifest) if first.is_same_suite(second) else None

    def rate(
        self, name: str, condition: str, estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95
    ) -> Change:
        """The change of a rate or of the score under one condition.

        Args:
            name: `completion`, of all pairs; `completion_of_valid`, of those that count; or `score`, of these.
            condition: One that both have.
            estimand: Question that the interval answers.
            confidence: Of the interval, 0-1.
        """
        key = name, condition, estimand, confidence
        if key not in self._rates:
            pairs = (self.shared if name == "completion" else self.counted)[condition]
            suite = self.suite
            value: Value = passed
            low = 0.0
            if name == "score" and suite is not None and suite.score is not None:
                value, low = _worth(suite.score), suite.score.low
            found = rate_change(name, pairs, value, estimand, low=low, confidence=confidence)
            self._rates[key] = replace(found, condition=condition)
        return self._rates[key]

    def figures(self, confidence: float = 0.95) -> PairFigures:
        """All changes.

        Args:
            confidence: Of the intervals, 0-1.
        """
        if confidence not in self._figures:
            chosen = headline(list(self.shared)) if self.shared else ""
            self._figures[confidence] = PairFigures(chosen, tuple(self._reckoned(chosen, confidence)))
        return self._figures[confidence]

    def _reckoned(self, chosen: str, confidence: float) -> Iterator[Change]:
        tested = [name for name, own in self.counted.items() if own]
        rates = [self.rate("completion_of_valid", name, confidence=confidence) for name in tested]
        yield from _adjusted(rates)
        for name in self.shared:
            yield self.rate("completion", name, confidence=confidence)
            yield self.rate("completion_of_valid", name, Estimand.THESE, confidence=confidence)
            if name not in tested:
                yield self.rate("completion_of_valid", name, confidence=confidence)
            if self.suite is not None and self.suite.score is not None:
                yield self.rate("score", name, confidence=confidence)
            for found in (*self._means(name, confidence), *_by_category(self.counted[name], confidence)):
                yield replace(found, condition=name)
        yield from self._robustness(confidence)
        if self.suite is not None and chosen:
            for found in self.suite.changes(self.counted[chosen], confidence=confidence):
                yield replace(found, condition=chosen)

    def _means(self, condition: str, confidence: float) -> Iterator[Change]:
        pairs = self.counted[condition]
        one, other = spent_in(self.first), spent_in(self.second)
        took = [(one(pair.first), other(pair.second)) for pair in pairs]
        replayed = sum(bool(record.replayed) for pair in pairs for record in (pair.first, pair.second))
        hidden = {**unseen(self.first), **unseen(self.second)}
        places = _places(pairs)
        for name, mean in MEANS.items():
            yield _mean_changed(name, mean, took, places, hidden, replayed, confidence)

    def _robustness(self, confidence: float) -> Iterator[Change]:
        sides = [self._modes(side) for side in ("first", "second")]
        for setting, first_modes in sides[0].items():
            # Only pairs that count are left, so both sides are about the same tasks and repeats.
            first, second = outcomes_by_task(first_modes), outcomes_by_task(sides[1][setting])
            if not first:
                continue
            clusters = clusters_in(first_modes[CLEAN])
            both = [(outcomes, second[sample]) for sample, outcomes in first.items()]
            found = robustness_change(both, clusters=[clusters[sample] for sample in first], confidence=confidence)
            low, high = found.interval or (None, None)
            yield Change(
                name="robustness",
                first=found.first,
                second=found.second,
                value=found.difference,
                low=low,
                high=high,
                n=found.tasks,
                unit=Unit.RATIO,
                group=setting,
                unknown="nothing passes without faults" if found.difference is None else "",
            )

    def _modes(self, side: str) -> dict[str, dict[str, OutcomeTally]]:
        records = {name: [getattr(pair, side) for pair in own] for name, own in self.counted.items()}
        return settings_with_all_modes(tallies(records))


_KEPT = 8
_known: OrderedDict[tuple[bytes, bytes], RunPair] = OrderedDict()


def pair_of(first: StoredRun, second: StoredRun) -> RunPair:
    """The pair of two runs that were read whole; of the same records it is made once."""
    key = digest_of(first), digest_of(second)
    if key not in _known:
        _known[key] = RunPair(first, second)
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return _known[key]


def rate_change(
    name: str,
    pairs: Sequence[SamplePair],
    value: Value,
    estimand: Estimand = Estimand.WORK,
    *,
    low: float = 0.0,
    confidence: float,
) -> Change:
    """The change of the mean of something between 0 and 1 that every sample has.

    Args:
        name: Of the figure.
        pairs: Pairs that count.
        value: Number of a sample, 0-1.
        estimand: Question that the interval answers.
        low: What 0 stands for, where the figure is told on a wider scale; 1 stays 1.
        confidence: Of the interval, 0-1.
    """
    if not pairs:
        return Change(name=name, estimand=estimand, unknown="no sample has a verdict in both runs")
    tries, width = paired_tries(pairs, value), 1 - low
    found = difference(tries, estimand, confidence=confidence)
    first, second = (
        low + width * fsum(fsum(getattr(task, side)) for task in tries) / found.samples
        for side in ("first", "second")
    )
    return Change(
        name=name,
        first=first,
        second=second,
        value=second - first,
        low=width * found.interval.low,
        high=width * found.interval.high,
        ratio=second / first if first and not low else None,
        p=found.p,
        n=found.samples,
        clusters=found.clusters,
        estimand=estimand,
    )


def _worth(score: SampleScore) -> Value:
    """A sample's score as a share of the way from the least to the most."""
    return lambda record: ((score.of(record) or 0.0) - score.low) / (1 - score.low)


def _adjusted(found: Sequence[Change]) -> list[Change]:
    adjusted = holm([1.0 if one.p is None else one.p for one in found])
    return [replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)]


def _by_category(pairs: Sequence[SamplePair], confidence: float) -> list[Change]:
    """The changes of completion by category, with intervals that hold together (Bonferroni); [] of one category."""
    members: dict[str, list[SamplePair]] = {}
    for pair in pairs:
        if "category" in pair.first.tags:
            members.setdefault(str(pair.first.tags["category"]), []).append(pair)
    if len(members) < 2:
        return []
    together = 1 - (1 - confidence) / len(members)
    found = [
        replace(
            rate_change("completion_of_valid", members[name], passed, confidence=together), group=f"category={name}"
        )
        for name in sorted(members)
    ]
    return _adjusted(found)


def _places(pairs: Sequence[SamplePair]) -> list[int]:
    """The place of each pair's cluster."""
    cluster_of = cluster_by(pair.first for pair in pairs)
    places: dict[str, int] = {}
    return [places.setdefault(cluster_of(pair.first), len(places)) for pair in pairs]


def _mean_changed(
    name: str,
    mean: Mean,
    took: Sequence[tuple[Spent, Spent]],
    places: Sequence[int],
    hidden: Mapping[str, str],
    replayed: int,
    confidence: float,
) -> Change:
    at = QUANTITIES.index(mean.quantity)
    count = 1 + max(places, default=-1)
    first, second, n = [0.0] * count, [0.0] * count, [0.0] * count
    unknown = 0
    for (one, other), place in zip(took, places, strict=True):
        before, after = one[at], other[at]
        if before is None or after is None:
            unknown += (before is None) + (after is None)
            continue
        first[place] += before
        second[place] += after
        n[place] += 1
    if why := why_unknown(mean, hidden, unknown, 2 * len(took), replayed, is_all=not any(n)):
        return Change(name=name, unit=mean.unit, unknown=why)
    first, second, n = ([value for value, of in zip(part, n, strict=True) if of] for part in (first, second, n))
    pairs, few = fsum(n), too_few(len(n))
    before, after = fsum(first) / pairs, fsum(second) / pairs
    found = None if few else mean_change(first, second, n, confidence=confidence)
    low, high = (None, None) if found is None else found.difference
    ratio_low, ratio_high = (None, None) if found is None or found.ratio is None else found.ratio
    return Change(
        name=name,
        first=before,
        second=after,
        value=after - before,
        low=low,
        high=high,
        ratio=after / before if before else None,
        ratio_low=ratio_low,
        ratio_high=ratio_high,
        n=int(pairs),
        clusters=len(n),
        unit=mean.unit,
        note="; ".join(filter(None, (replayed_mark(replayed, 2 * len(took)), few))),
    )
