"""Two runs under one condition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import SampleRecord
from worktrial.results.comparison.changes import Change, Measure, changes, rate_change
from worktrial.results.comparison.outcomes import Flip, PairedTable, flips, paired_table
from worktrial.results.completion import paired_tries, passed
from worktrial.results.estimates import too_few
from worktrial.results.spending import QUANTITIES, replayed, spent
from worktrial.statistics import Estimand, Estimate, TaskTries, difference, holm


def _quantity(name: str, record: SampleRecord) -> float | None:
    found: float | None = getattr(spent(record), name)
    return found


_OF_ALL = {"": Measure(passed, judged=False, share=True)}
# Means over the samples with a verdict: one that broke off took less, whoever worked on it.
_MEASURES = {name: Measure(partial(_quantity, name)) for name in QUANTITIES}


@dataclass(frozen=True, slots=True)
class IndustryEffect:
    """One industry."""

    name: str
    table: PairedTable
    effect: Change | None
    """Its interval holds together with those of the other industries (Bonferroni)."""
    p: float | None
    p_adjusted: float | None
    """Holm-adjusted over the industries of this condition."""


@dataclass(frozen=True, slots=True)
class ConditionComparison:
    """Comparison of two runs under one condition."""

    condition: str
    pairs: int
    tasks: int
    """Tasks with two verdicts in some repeat."""
    clusters: int
    """Scenarios, or tasks where the suite has none: what varies together."""
    repeats: int
    """The most pairs with two verdicts that a task has."""
    table: PairedTable
    flips: tuple[Flip, ...]
    effect: Change | None
    """The completion rate over pairs with two verdicts, as shares, its interval on work like this; None without
    any."""
    effect_of_all: Change | None
    """The same over all pairs; an invalid sample counts as not passed."""
    these: Estimate | None
    """The same difference as a statement on these tasks; None without a pair with two verdicts."""
    work: Estimate | None
    """The same as a statement on work like this."""
    p_adjusted: float | None
    """P value of `work`, Holm-adjusted over the conditions."""
    industries: tuple[IndustryEffect, ...]
    """Effects by the tag `category`; () where there are fewer than two."""
    quantities: Mapping[str, Change | None]
    """Means of a sample by name: `cost`, `agent_cost`, `seconds`, `calls`, `tokens`, `agent_tokens_in`,
    `agent_tokens_out`."""
    unknown: Mapping[str, str]
    """Why a quantity is None."""
    few: str
    """Reason for which quantities have no interval; "" where there are enough tasks."""
    replayed: str
    """Mark of the quantities where some samples were answered from the request cache; else ""."""


def compare_conditions(
    by_condition: Mapping[str, Sequence[SamplePair]], unseen: Mapping[str, str], *, confidence: float
) -> list[ConditionComparison]:
    """Each condition, with p values adjusted over all of them.

    Args:
        by_condition: The pairs.
        unseen: Quantities that one of the runs cannot tell, with the reason.
        confidence: Of the intervals.
    """
    found = [_compare(name, pairs, unseen, confidence) for name, pairs in by_condition.items()]
    tested = [one for one in found if one.work is not None]
    adjusted = holm([p_of(one.work) for one in tested])
    by_name = {one.condition: p for one, p in zip(tested, adjusted, strict=True)}
    return [replace(one, p_adjusted=by_name.get(one.condition)) for one in found]


def _compare(
    condition: str, pairs: Sequence[SamplePair], unseen: Mapping[str, str], confidence: float
) -> ConditionComparison:
    seen = {name: measure for name, measure in _MEASURES.items() if name not in unseen}
    judged = [pair for pair in pairs if pair.both_judged]
    tries = paired_tries(judged)
    these, work = (_estimate(tries, estimand, confidence) for estimand in (Estimand.THESE, Estimand.WORK))
    effect = None if work is None else rate_change(tries, work)
    of_all = effect
    if len(judged) < len(pairs):
        of_all = changes(pairs, _OF_ALL, confidence=confidence)[""]
    changed = changes(judged, seen, confidence=confidence)
    records = [record for pair in judged for record in (pair.first, pair.second)]
    unknown = {name: _why_unknown(records, seen[name]) for name, change in changed.items() if change is None}
    return ConditionComparison(
        condition=condition,
        pairs=len(pairs),
        tasks=len(tries),
        clusters=len({task.cluster for task in tries}),
        repeats=max((len(task.first) for task in tries), default=0),
        table=paired_table(pairs),
        flips=tuple(flips(judged)),
        effect=effect,
        effect_of_all=of_all,
        these=these,
        work=work,
        p_adjusted=None,
        industries=tuple(_industries(pairs, confidence)),
        quantities={name: changed.get(name) for name in _MEASURES},
        unknown={**unseen, **unknown},
        few=too_few(len({task.cluster for task in tries})) if tries else "",
        replayed=replayed(records),
    )


def _why_unknown(records: Sequence[SampleRecord], measure: Measure) -> str:
    unknown = [record for record in records if measure.value(record) is None]
    if cached := sum(bool(record.replayed) for record in unknown):
        some = "1 sample was" if cached == 1 else f"{cached} samples were"
        return f"{some} answered from the request cache"
    return f"the price of a model is unknown in {'1 sample' if len(unknown) == 1 else f'{len(unknown)} samples'}"


def _estimate(tries: Sequence[TaskTries], estimand: Estimand, confidence: float) -> Estimate | None:
    return difference(tries, estimand, confidence=confidence) if tries else None


def p_of(found: Estimate | None) -> float:
    """P value of no difference; 1 where there is nothing to test."""
    return 1.0 if found is None or found.p is None else found.p


def _industries(pairs: Sequence[SamplePair], confidence: float) -> list[IndustryEffect]:
    members: dict[str, list[SamplePair]] = {}
    for pair in pairs:
        if "category" in pair.first.tags:
            members.setdefault(str(pair.first.tags["category"]), []).append(pair)
    if len(members) < 2:
        return []
    tries = {name: paired_tries([p for p in members[name] if p.both_judged]) for name in sorted(members)}
    # Intervals that hold together: one without 0 is significant among all of them, too.
    together = 1 - (1 - confidence) / max(1, sum(map(bool, tries.values())))
    found = {name: difference(own, confidence=together) for name, own in tries.items() if own}
    adjusted = dict(zip(found, holm([p_of(one) for one in found.values()]), strict=True))
    return [
        IndustryEffect(
            name=name,
            table=paired_table(members[name]),
            effect=rate_change(own, found[name]) if own else None,
            p=p_of(found[name]) if own else None,
            p_adjusted=adjusted.get(name),
        )
        for name, own in tries.items()
    ]
