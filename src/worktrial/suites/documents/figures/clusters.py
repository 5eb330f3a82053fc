"""Shares over questions, whose repeats belong together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.statistics import Interval, bootstrap, wilson
from worktrial.suites.documents.scoring import in_current_words

Sums = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of samples, 0-1, with its 95 % interval; None where there is no sample."""

    value: float | None
    interval: Interval | None
    samples: int
    questions: int


def is_valid(record: SampleRecord) -> bool:
    """Whether the sample has a verdict with measures of this suite."""
    return record.outcome is not Outcome.INVALID and "setup" in record.measures


def in_current(record: SampleRecord) -> SampleRecord:
    """`record` with its measures in today's words."""
    return msgspec.structs.replace(record, measures=in_current_words(record.measures))


def passed(record: SampleRecord) -> float:
    """1 when the sample passed."""
    return float(record.outcome is Outcome.PASS)


def clusters(records: Iterable[SampleRecord], value: Callable[[SampleRecord], float]) -> dict[str, Sums]:
    """For each question the sum of a value over its samples, and how many these are."""
    found: dict[str, dict[str, float]] = {}
    for record in records:
        sums = found.setdefault(record.sample, {"value": 0.0, "n": 0.0})
        sums["value"] += value(record)
        sums["n"] += 1
    return {sample: found[sample] for sample in sorted(found)}


def mean(sums: Sums) -> Mapping[str, float]:
    """The statistic of a share, for a bootstrap."""
    return {"share": sums["value"] / sums["n"]}


def share(by_question: Mapping[str, Sums]) -> Share:
    """The share over all samples.

    Wilson's interval where each question has one sample that is right or wrong. With repeats, samples of one
    question do not vary independently: then a bootstrap over questions; from a single question no interval at all.
    """
    sums = list(by_question.values())
    samples = int(sum(s["n"] for s in sums))
    if not samples:
        return Share(None, None, 0, 0)
    total = sum(s["value"] for s in sums)
    if all(s["n"] == 1 and s["value"] in (0, 1) for s in sums):
        interval: Interval | None = wilson(int(total), samples)
    else:
        interval = bootstrap(sums, mean)["share"] if len(sums) > 1 else None
    return Share(total / samples, interval, samples, len(sums))


def common(of: Sequence[Mapping[str, Sums]]) -> list[str]:
    """Questions that all have."""
    if not of:
        return []
    return sorted(set.intersection(*(set(one) for one in of)))
