"""Figures of a run: each has one name, one meaning and one function that reckons it.

Every way in which a run is shown writes these: terminal, JSON, Python, report, export, gate and pytest reckon
nothing by themselves.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import chain
from math import fsum, nan
from typing import NamedTuple

import msgspec

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.completion import CompletionEstimate, completion_of, share
from worktrial.results.conditions import (
    OTHERWISE,
    by_condition,
    cluster_by,
    clusters_in,
    headline,
    in_order,
    outcomes_by_task,
    repeats_in,
    robustness_of,
    settings_with_all_modes,
)
from worktrial.results.estimates import mean_estimate, too_few
from worktrial.results.outcomes import OutcomeTally
from worktrial.results.spending import QUANTITIES, OfRun, replayed_mark, spent_in, unseen
from worktrial.statistics import Estimand, Figure, TaskTries, Unit, ZeroCleanRate, difference, rate
from worktrial.suite import SampleScore, suite_of

GROUPED_BY = ("category", "difficulty")
"""Tags by whose values the completion rate of the headline condition is told."""


class Ask(NamedTuple):
    """Question that figures answer."""

    confidence: float = 0.95
    """Level of the intervals, 0-1."""
    estimand: Estimand = Estimand.WORK


class Mean(NamedTuple):
    """A figure that is the mean of what samples took."""

    quantity: str
    """Field of `spending.Spent`."""
    unit: Unit
    about: str
    partly: bool = False
    """Whether samples of which it is not known are left out; else the mean is unknown with one of them."""


MEANS = {
    "cost_per_task": Mean(
        "cost", Unit.DOLLARS, "US dollars of all roles; of replayed requests what they would cost"
    ),
    "agent_cost_per_task": Mean("agent_cost", Unit.DOLLARS, "US dollars of the agent's own requests"),
    "seconds": Mean("seconds", Unit.SECONDS, "Wall-clock seconds, without samples that were replayed", partly=True),
    "calls": Mean("calls", Unit.COUNT, "Tool calls"),
    "tokens": Mean("tokens", Unit.TOKENS, "Tokens of all roles, in and out"),
    "agent_tokens_in": Mean("agent_tokens_in", Unit.TOKENS, "Tokens that the agent's own requests sent"),
    "agent_tokens_out": Mean("agent_tokens_out", Unit.TOKENS, "Tokens that the agent's own requests brought back"),
}
"""Means of the samples with a verdict, by the name of the figure: one that broke off took less, whoever worked."""


class Samples:
    """Samples of one condition added up as far as figures need them; of each only numbers are kept.

    Args:
        run: Run whose samples they are.
    """

    def __init__(self, run: OfRun) -> None:
        self.outcomes = OutcomeTally()
        """Outcomes by task and repeat."""
        self.unseen = unseen(run)
        """Quantities that no record can tell, with the reason."""
        self.judged = 0
        """Samples with a verdict."""
        self.replayed = 0
        """Samples with a verdict of which requests were answered from the request cache."""
        self._spent = spent_in(run)
        self._amounts = array("d")  # of each sample with a verdict its quantities in turn
        self._numbers: dict[str, int] = {}
        self._tasks = array("q")  # of each of these the number of its task
        self._completion: dict[Ask, CompletionEstimate] = {}
        self._sums: dict[str, QuantitySums] | None = None

    def add_all(self, records: Sequence[SampleRecord]) -> None:
        """Add samples."""
        # For each of a million samples: what can be taken of many at once is.
        self.outcomes.add_all(records)
        judged = [record for record in records if record.outcome is not Outcome.INVALID]
        self.judged += len(judged)
        self.replayed += sum([record.replayed > 0 for record in judged])
        numbers = self._numbers
        self._tasks.extend([numbers.setdefault(record.sample, len(numbers)) for record in judged])
        amounts = chain.from_iterable(map(self._spent, judged))
        self._amounts.extend([nan if amount is None else amount for amount in amounts])
        self._completion.clear()
        self._sums = None

    def completion(self, ask: Ask) -> CompletionEstimate:
        """The completion rate, reckoned once for each question."""
        if ask not in self._completion:
            self._completion[ask] = completion_of(self.outcomes, ask.estimand, confidence=ask.confidence)
        return self._completion[ask]

    def sums(self, quantity: str) -> "QuantitySums":
        """Sums of a quantity by cluster; those of all quantities are taken at once."""
        if self._sums is None:
            self._sums = dict(self._added_up())
        return self._sums[quantity]

    def _added_up(self) -> Iterator[tuple[str, "QuantitySums"]]:
        import numpy as np

        tasks = self.outcomes.tasks
        cluster_of = cluster_by(tasks.values())
        own = [cluster_of(tasks[name]) for name in self._numbers]
        place_of = {cluster: place for place, cluster in enumerate(sorted({*own}))}
        places = np.array([place_of[cluster] for cluster in own], dtype=np.int64)[np.asarray(self._tasks)]
        table = np.asarray(self._amounts).reshape(-1, len(QUANTITIES))
        for name, amounts in zip(QUANTITIES, table.T, strict=True):
            known = ~np.isnan(amounts)  # NaN stands for what is not known
            numbers = np.bincount(places[known])
            sums = np.bincount(places[known], amounts[known])
            kept = numbers > 0
            unknown = len(amounts) - int(known.sum())
            yield name, QuantitySums(sums[kept].tolist(), numbers[kept].tolist(), unknown)


class QuantitySums(NamedTuple):
    """Sums of what the samples of each cluster took, in the order of the clusters' names."""

    amounts: Sequence[float]
    numbers: Sequence[int]
    """Samples of each cluster that tell it."""
    unknown: int
    """Samples that do not tell it."""


def _completion(of: Samples, ask: Ask) -> Iterator[Figure]:
    found = of.completion(ask)
    yield Figure.of("completion", found.of_all, hits=found.counts.passed)


def _completion_of_valid(of: Samples, ask: Ask) -> Iterator[Figure]:
    found = of.completion(ask)
    yield Figure.of("completion_of_valid", found.of_valid, hits=found.counts.passed)


def _invalid(of: Samples, ask: Ask) -> Iterator[Figure]:
    yield _invalid_in([of.outcomes], ask)


def _invalid_in(tallies: Sequence[OutcomeTally], ask: Ask) -> Figure:
    tasks = {name: task for tally in tallies for name, task in tally.tasks.items()}
    values: dict[str, list[float]] = {name: [] for name in tasks}
    for tally in tallies:
        for name, task in tally.tasks.items():
            values[name] += [1.0 if outcome is Outcome.INVALID else 0.0 for outcome in task.by_repeat.values()]
    cluster_of = cluster_by(tasks.values())
    tries = [TaskTries(cluster_of(tasks[name]), tuple(own)) for name, own in values.items() if own]
    found = rate(tries, ask.estimand, confidence=ask.confidence) if tries else None
    return Figure.of("invalid", found, hits=sum(own.count(1.0) for own in values.values()))


def _repeats(of: Samples, ask: Ask, *, every: bool) -> Iterator[Figure]:
    found = repeats_in(of.outcomes, confidence=ask.confidence)
    # Of these very tasks nothing is said about k tries.
    if found is None or ask.estimand is not Estimand.WORK:
        return
    value = found.every_time if every else found.at_least_one
    low, high = found.every_time_interval if every else found.at_least_one_interval
    note = f"{found.too_few} with fewer tries left out" if found.too_few else ""
    name = f"pass{'^' if every else '@'}{found.k}"
    yield Figure(name=name, value=value, low=low, high=high, n=found.tasks, note=note)


def _mean(of: Samples, ask: Ask, *, name: str) -> Iterator[Figure]:
    mean = MEANS[name]
    if ask.estimand is not Estimand.WORK:
        return
    amounts, numbers, unknown = of.sums(mean.quantity)
    if why := why_unknown(mean, of.unseen, unknown, of.judged, of.replayed, is_all=unknown == of.judged):
        yield Figure(name=name, value=None, unit=mean.unit, unknown=why)
        return
    found, n, clusters = (
        mean_estimate(amounts, numbers, confidence=ask.confidence),
        int(fsum(numbers)),
        len(numbers),
    )
    low, high = found.interval or (None, None)
    note = "; ".join(filter(None, (replayed_mark(of.replayed, of.judged), too_few(clusters))))
    yield Figure(
        name=name, value=found.value, low=low, high=high, n=n, clusters=clusters, unit=mean.unit, note=note
    )


def why_unknown(
    mean: Mean, hidden: Mapping[str, str], unknown: int, judged: int, replayed: int, *, is_all: bool
) -> str:
    """Reason for which a mean is not known; "" where it is.

    Args:
        mean: The figure.
        hidden: Quantities that no record can tell, with the reason.
        unknown: Samples with a verdict that do not tell it.
        judged: Samples with a verdict.
        replayed: Those of them of which requests were answered from the request cache.
        is_all: Whether none is left that tells it.
    """
    if why := hidden.get(mean.quantity):
        return why
    if not judged:
        return "no sample has a verdict"
    if not unknown or (mean.partly and not is_all):
        return ""
    some = "1 sample" if unknown == 1 else f"{unknown} samples"
    if mean.partly:
        return f"{some} {'was' if unknown == 1 else 'were'} answered from the request cache"
    if unknown == judged and mean.quantity.startswith("agent"):
        return "the agent is no model whose requests were seen"
    either = "what replayed requests would have cost, or " if replayed else ""
    return f"{either}the price of a model is unknown in {some}"


class Meaning(NamedTuple):
    """Meaning of a figure, and the function that reckons it from the samples of one condition."""

    about: str
    reckon: Callable[[Samples, Ask], Iterable[Figure]]


FIGURES: dict[str, Meaning] = {
    "completion": Meaning("Share of all samples that passed; an invalid one counts as not passed", _completion),
    "completion_of_valid": Meaning("Share of the samples with a verdict that passed", _completion_of_valid),
    "invalid": Meaning("Share of all samples that have no verdict", _invalid),
    "pass^k": Meaning("Share of tasks that pass in each of k tries, the repeats", partial(_repeats, every=True)),
    "pass@k": Meaning("Share of tasks that pass in at least one of k tries", partial(_repeats, every=False)),
    **{name: Meaning(mean.about, partial(_mean, name=name)) for name, mean in MEANS.items()},
}
"""Figures of every suite by name; a suite adds those of `Suite.figures`."""


def _robustness(conditions: Mapping[str, Samples], ask: Ask) -> Iterator[Figure]:
    """R and the worst case for each count and duration of faults (`3x2`), their group where there are several."""
    tallies = {name: samples.outcomes for name, samples in conditions.items()}
    known = robustness_of(tallies, ask.confidence, ask.estimand)
    for setting, modes in settings_with_all_modes(tallies).items():
        found = known.get(setting)
        if found is None or isinstance(found, ZeroCleanRate):
            none = "no task has a verdict in each of E0, E1, E2 and E3"
            why = none if found is None else "nothing passes without faults"
            yield Figure(name="robustness", value=None, unit=Unit.RATIO, group=setting, unknown=why)
        else:
            low, high = found.interval
            yield Figure(
                name="robustness",
                value=found.value,
                low=low,
                high=high,
                n=found.tasks,
                clusters=found.clusters,
                unit=Unit.RATIO,
                estimand=found.estimand,
                group=setting,
                note=f"worst in {found.worst}",
            )
        names = [f"{mode}/{setting}" if setting else mode for mode in modes if mode != CLEAN]
        yield replace(_worst_case({name: conditions[name] for name in names}, ask), group=setting)


def _worst_case(faulted: Mapping[str, Samples], ask: Ask) -> Figure:
    # As that of R, the interval reaches from the smallest of the lower ends to the smallest of upper ends that hold
    # together (Bonferroni).
    together = Ask(1 - (1 - ask.confidence) / len(faulted), ask.estimand)
    found = {name: of.completion(ask).of_all for name, of in faulted.items()}
    values = {name: one for name, one in found.items() if one is not None}
    upper = [one.interval.high for of in faulted.values() if (one := of.completion(together).of_all) is not None]
    worst = min(values, key=lambda name: values[name].value)
    shown = Figure.of("worst_case", values[worst], hits=faulted[worst].completion(ask).counts.passed)
    return replace(shown, low=min(one.interval.low for one in values.values()), high=min(upper), note=worst)


def _otherwise(conditions: Mapping[str, Samples], ask: Ask) -> Iterator[Figure]:
    """Completion of tasks said otherwise less that of the same in their first words; nothing where none was."""
    if not {CLEAN, OTHERWISE} <= conditions.keys():
        return
    tallies = {name: conditions[name].outcomes for name in (CLEAN, OTHERWISE)}
    clusters = clusters_in(tallies[CLEAN])
    tries = [
        TaskTries(clusters[task], tuple(map(float, of[CLEAN])), tuple(map(float, of[OTHERWISE])))
        for task, of in outcomes_by_task(tallies).items()
    ]
    found = difference(tries, ask.estimand, confidence=ask.confidence) if tries else None
    yield Figure.of("said_otherwise", found)


WHOLE = {
    "robustness": "R: completion under the worst kind of faults over that without, on tasks with a verdict in all",
    "worst_case": "Completion under the kind of faults, E1 to E3, under which it is lowest; the note names it",
    "said_otherwise": "Completion of tasks asked in other words less that in their first words, paired by task",
    "score": "Mean score of the samples with a verdict, of suites that have one; below 0 where harm outweighs work",
}
"""Figures that are reckoned otherwise than from the samples of one condition."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """All figures of a run that answer one question."""

    headline: str
    """Condition that stands for the run: E0 where it was tried, else the first."""
    conditions: tuple[str, ...]
    """Conditions that were tried, E0 first."""
    listed: tuple[Figure, ...]

    def get(self, name: str, condition: str | None = None, group: str = "") -> Figure:
        """A figure; one without a value where there is none of that name.

        Args:
            name: Of the figure; `pass^k` and `pass@k` are those of however many tries there were.
            condition: What it is about; None for the headline condition.
            group: As in `Figure.group`.
        """
        about = self.headline if condition is None else condition
        for figure in self.listed:
            known = {figure.name, f"{figure.name[:5]}k"} if figure.name.startswith("pass") else {figure.name}
            if name in known and (figure.condition, figure.group) == (about, group):
                return figure
        return Figure(name=name, value=None, condition=about, group=group, unknown="not in this run")

    def named(self, start: str, condition: str | None = None) -> list[Figure]:
        """Figures whose name begins so, such as `pass^`, of one condition; None for any."""
        return [one for one in self.listed if one.name.startswith(start) and condition in (None, one.condition)]

    def groups(self, tag: str, condition: str | None = None) -> dict[str, Figure]:
        """The completion of samples that share a value of a tag, by that value; {} but under the headline."""
        start, about = f"{tag}=", self.headline if condition is None else condition
        own = [one for one in self.named("completion", about) if one.group.startswith(start)]
        return {one.group.removeprefix(start): one for one in own if one.name == "completion"}


def reckon(run: StoredRun, conditions: Mapping[str, Samples], ask: Ask = Ask()) -> RunFigures:  # noqa: B008
    """The figures of a run.

    Args:
        run: The run; the records of one whose suite has figures of its own are read.
        conditions: Its samples by condition.
        ask: Question that they answer.
    """
    ordered = {name: conditions[name] for name in in_order(conditions)}
    chosen = headline(list(ordered))
    found = [
        replace(figure, condition=name)
        for name, samples in (ordered or {chosen: Samples(run)}).items()
        for meaning in FIGURES.values()
        for figure in meaning.reckon(samples, ask)
    ]
    found += [*_robustness(ordered, ask), *_otherwise(ordered, ask)]
    if len(ordered) > 1:
        found.append(_invalid_in([samples.outcomes for samples in ordered.values()], ask))
    if chosen in ordered:
        found += [replace(figure, condition=chosen) for figure in _grouped(ordered[chosen].outcomes, ask)]
    suite = suite_of(run.manifest)
    if suite is not None and suite.score is not None:
        own = by_condition(run.records).items()
        found += [replace(score_figure(records, suite.score, ask), condition=name) for name, records in own]
    if suite is not None and ask == Ask():
        found += suite.figures(run)
    # One without an interval answers the question as well as any.
    asked = (one if one.estimand is ask.estimand else replace(one, estimand=ask.estimand) for one in found)
    return RunFigures(chosen, tuple(ordered), tuple(asked))


def score_figure(records: Iterable[SampleRecord], score: SampleScore, ask: Ask = Ask(), group: str = "") -> Figure:  # noqa: B008
    """Mean score of the samples with a verdict; of a single task it has no interval."""
    width = 1 - score.low
    scored = [(record, of) for record in records if (of := _judged_score(record, score)) is not None]
    values = {id(record): (of - score.low) / width for record, of in scored}
    # Intervals are those of shares, stretched to where scores lie.
    found = share(
        [record for record, _ in scored], lambda r: values[id(r)], ask.estimand, confidence=ask.confidence
    )
    shown = Figure.of("score", found, group=group)
    if found is None:
        return shown
    value = score.low + width * found.value
    if found.clusters < 2:
        return replace(shown, value=value, low=None, high=None, note="no interval from one task")
    low, high = (score.low + width * end for end in found.interval)
    return replace(shown, value=value, low=low, high=high)


def _judged_score(record: SampleRecord, score: SampleScore) -> float | None:
    return None if record.outcome is Outcome.INVALID else score.of(record)


def _grouped(tally: OutcomeTally, ask: Ask) -> Iterator[Figure]:
    for tag in GROUPED_BY:
        for value, own in sorted(tally.by_tag(tag).items()):
            done = completion_of(own, ask.estimand, confidence=ask.confidence)
            yield Figure.of("completion", done.of_all, hits=done.counts.passed, group=f"{tag}={value}")
            n, broken = done.counts.of_all.n, done.counts.invalid
            yield Figure(name="invalid", value=broken / n, n=n, hits=broken, group=f"{tag}={value}")


def _by_condition(run: StoredRun) -> dict[str, Samples]:
    found = {}
    for name, own in by_condition(run.records).items():
        found[name] = Samples(run)
        found[name].add_all(own)
    return found


_KEPT = 64
_known: OrderedDict[tuple[bytes, Ask], RunFigures] = OrderedDict()


def figures_of(run: StoredRun, ask: Ask = Ask()) -> RunFigures:  # noqa: B008
    """The figures of a run that was read whole; of the same records they are reckoned once."""
    key = digest_of(run), ask
    if key not in _known:
        _known[key] = reckon(run, _by_condition(run), ask)
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return _known[key]


def digest_of(run: StoredRun) -> bytes:
    """Digest of what figures of a run are reckoned from, so that they are reckoned once."""
    digest = blake2b(digest_size=16)
    encoder = msgspec.msgpack.Encoder()
    told = (str(run.folder), run.manifest.suite, run.manifest.data, run.manifest.settings)
    digest.update(encoder.encode(told))
    for record in run.records:
        digest.update(encoder.encode(record))
    return digest.digest()
