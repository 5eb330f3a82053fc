"""Completion of stored samples, estimated: the one interval that every surface shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.results.conditions import HasScenario, cluster_by
from worktrial.results.outcomes import OutcomeTally, TaskOutcomes
from worktrial.statistics import CompletionRate, Estimand, Estimate, TaskTries, rate


@dataclass(frozen=True, slots=True)
class CompletionEstimate:
    """Share of some samples that passed."""

    counts: CompletionRate
    of_all: Estimate | None
    """Share of passes among all samples; an invalid one counts as not passed. None without a sample."""
    of_valid: Estimate | None
    """Share of passes among the samples with a verdict; None without any."""


class HasOutcome(HasScenario, Protocol):
    """The part of a sample's record that an outcome is read from."""

    @property
    def outcome(self) -> Outcome:
        """Outcome of the sample."""


_Sample = TypeVar("_Sample", bound=HasOutcome)


_VALUES = {outcome: float(outcome is Outcome.PASS) for outcome in Outcome}
_IN_ORDER = (Outcome.PASS, Outcome.FAIL, Outcome.INVALID)


def passed(record: HasOutcome) -> float:
    """1 where the sample passed; an invalid one did not."""
    return _VALUES[record.outcome]


def completion_of(
    tally: OutcomeTally, estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95
) -> CompletionEstimate:
    """The completion rate over samples of one condition."""
    tried = [(task, [*task.by_repeat.values()]) for task in tally.tasks.values()]
    passed, failed, invalid = (sum(own.count(one) for _, own in tried) for one in _IN_ORDER)
    counts = CompletionRate(passed, failed, invalid)
    of_all = _rate([(task, task.values) for task, _ in tried], estimand, confidence)
    if not invalid:
        return CompletionEstimate(counts, of_all, of_all)
    judged = [(task, [one for one in own if one is not Outcome.INVALID]) for task, own in tried]
    values = [(task, tuple(map(_VALUES.__getitem__, own))) for task, own in judged if own]
    return CompletionEstimate(counts, of_all, _rate(values, estimand, confidence))


def _rate(
    tried: Sequence[tuple[TaskOutcomes, tuple[float, ...]]], estimand: Estimand, confidence: float
) -> Estimate | None:
    if not tried:
        return None
    cluster_of = cluster_by(task for task, _ in tried)
    return rate([TaskTries(cluster_of(task), values) for task, values in tried], estimand, confidence=confidence)


class _Place(NamedTuple):
    """Task and scenario of a sample: all that says what it varies together with."""

    sample: str
    scenario: str | None


def tries_of(records: Iterable[_Sample], value: Callable[[_Sample], float]) -> list[TaskTries]:
    """Tries of each task in one run, in the order of their first samples; `value` lies between 0 and 1."""
    values: dict[str, list[float]] = {}
    tasks: list[_Place] = []
    for record in records:
        if record.sample not in values:
            # Not the record itself, which holds votes and checks.
            tasks.append(_Place(record.sample, record.scenario))
        values.setdefault(record.sample, []).append(value(record))
    cluster_of = cluster_by(tasks)
    return [TaskTries(cluster_of(task), tuple(values[task.sample])) for task in tasks]


def share(
    records: Iterable[_Sample],
    value: Callable[[_Sample], float],
    estimand: Estimand = Estimand.WORK,
    *,
    confidence: float = 0.95,
) -> Estimate | None:
    """The mean of something between 0 and 1 that every sample has; None without a sample."""
    tasks = tries_of(records, value)
    return rate(tasks, estimand, confidence=confidence) if tasks else None


def paired_tries(pairs: Sequence[SamplePair], value: Callable[[SampleRecord], float] = passed) -> list[TaskTries]:
    """Tries of each task in two runs, in the order of their first pairs."""
    cluster_of = cluster_by(pair.first for pair in pairs)
    tries: dict[str, list[SamplePair]] = {}
    for pair in pairs:
        tries.setdefault(pair.first.sample, []).append(pair)
    return [
        TaskTries(cluster_of(own[0].first), tuple(value(p.first) for p in own), tuple(value(p.second) for p in own))
        for own in tries.values()
    ]
