"""Completion of stored samples, estimated: the one interval that every surface shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.results.conditions import cluster_by
from worktrial.results.pairing import SamplePair
from worktrial.statistics import CompletionRate, Estimand, Estimate, TaskTries, rate


@dataclass(frozen=True, slots=True)
class CompletionEstimate:
    """Share of some samples that passed."""

    counts: CompletionRate
    of_all: Estimate | None
    """Share of passes among all samples; an invalid one counts as not passed. None without a sample."""
    of_valid: Estimate | None
    """Share of passes among the samples with a verdict; None without any."""


class HasOutcome(Protocol):
    """The part of a sample's record that an outcome is read from."""

    @property
    def sample(self) -> str:
        """Id of the task."""

    @property
    def scenario(self) -> str | None:
        """Scenario of the task; None without one."""

    @property
    def outcome(self) -> Outcome:
        """Outcome of the sample."""


_Sample = TypeVar("_Sample", bound=HasOutcome)


def passed(record: HasOutcome) -> float:
    """1 where the sample passed; an invalid one did not."""
    return float(record.outcome is Outcome.PASS)


def completion(
    records: Iterable[SampleRecord], estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95
) -> CompletionEstimate:
    """The completion rate over `records`, which are of one condition."""
    tally = OutcomeTally()
    for record in records:
        tally.add(record)
    return tally.completion(estimand, confidence=confidence)


class OutcomeTally:
    """Outcomes of samples of one condition, of which nothing else is kept."""

    def __init__(self) -> None:
        self._samples: list[_Outcome] = []

    def add(self, record: SampleRecord) -> None:
        """Count one sample."""
        self._samples.append(_Outcome(record.sample, record.scenario, record.outcome))

    def completion(self, estimand: Estimand = Estimand.WORK, *, confidence: float = 0.95) -> CompletionEstimate:
        """The completion rate over what was counted."""
        outcomes = [one.outcome for one in self._samples]
        counts = CompletionRate(*(outcomes.count(one) for one in (Outcome.PASS, Outcome.FAIL, Outcome.INVALID)))
        of_all = share(self._samples, passed, estimand, confidence=confidence)
        of_valid = of_all
        if counts.invalid:
            valid = [one for one in self._samples if one.outcome is not Outcome.INVALID]
            of_valid = share(valid, passed, estimand, confidence=confidence)
        return CompletionEstimate(counts, of_all, of_valid)


class _Outcome(NamedTuple):
    sample: str
    scenario: str | None
    outcome: Outcome


def share(
    records: Sequence[_Sample],
    value: Callable[[_Sample], float],
    estimand: Estimand = Estimand.WORK,
    *,
    confidence: float = 0.95,
) -> Estimate | None:
    """The mean of something between 0 and 1 that every sample has; None without a sample."""
    cluster_of = cluster_by(records)
    tries: dict[str, list[float]] = {}
    clusters: dict[str, str] = {}
    for record in records:
        tries.setdefault(record.sample, []).append(value(record))
        clusters[record.sample] = cluster_of(record)
    tasks = [TaskTries(clusters[sample], tuple(own)) for sample, own in tries.items()]
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
