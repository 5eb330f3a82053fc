"""What a run shows of the things that a gate looks at, with intervals."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from worktrial.engine.record import SampleRecord
from worktrial.results.comparison.changes import cluster_by, passed
from worktrial.results.gate.criterion import Estimate
from worktrial.statistics import Interval, bootstrap, wilson


def completion_of(records: Sequence[SampleRecord], confidence: float) -> Estimate:
    """The completion rate over all `records`; an invalid one counts as not passed."""
    return _share("passed", records, passed, confidence)


def invalid_of(records: Sequence[SampleRecord], confidence: float) -> Estimate:
    """The share of invalid samples."""
    return _share("are invalid", records, lambda record: float(record.outcome == "invalid"), confidence)


def mean_of(
    records: Sequence[SampleRecord], value: Callable[[SampleRecord], float], unit: str, confidence: float
) -> Estimate:
    """The mean of a quantity, with a bootstrap over scenarios (tasks, where there are none).

    Args:
        records: At least one.
        value: The quantity of one of them.
        unit: `{}` with the number, such as `${:.4f}`.
        confidence: Of the interval.
    """
    clusters = _clusters(records, value)
    mean = sum(map(value, records)) / len(records)
    interval = bootstrap(clusters, _mean, confidence=confidence)["mean"] if len(clusters) > 1 else None
    words = f"{unit.format(mean)} a sample, mean of {counted(len(records))}"
    return Estimate(mean, interval, words, _span(interval, unit.format, confidence))


def percent(share: float) -> str:
    """A share as it is to be read."""
    return f"{share * 100:.1f} %"


def counted(n: int) -> str:
    """A number of samples."""
    return "1 sample" if n == 1 else f"{n:,} samples"


def _share(
    verb: str, records: Sequence[SampleRecord], value: Callable[[SampleRecord], float], confidence: float
) -> Estimate:
    n, successes = len(records), int(sum(map(value, records)))
    clusters = _clusters(records, value)
    tasks = len({record.sample for record in records})
    interval: Interval | None
    if len(clusters) == n:
        interval = wilson(successes, n, confidence)
    elif successes in (0, n):
        # All draws would be alike. Repeats of a task are no further evidence.
        interval = wilson(tasks if successes else 0, tasks, confidence)
    else:
        interval = bootstrap(clusters, _mean, confidence=confidence)["mean"] if len(clusters) > 1 else None
    words = f"{percent(successes / n)} of {counted(n)} {verb}"
    return Estimate(successes / n, interval, words, _span(interval, percent, confidence))


def _span(interval: Interval | None, shown: Callable[[float], str], confidence: float) -> str:
    if interval is None:
        return ""
    return f"{confidence * 100:g} % interval {shown(interval.low)} to {shown(interval.high)}"


def _clusters(records: Sequence[SampleRecord], value: Callable[[SampleRecord], float]) -> list[dict[str, float]]:
    """Sums of what varies together."""
    cluster_of = cluster_by(records)
    found: dict[str, dict[str, float]] = {}
    for record in records:
        sums = found.setdefault(cluster_of(record), {"value": 0.0, "n": 0.0})
        sums["value"] += value(record)
        sums["n"] += 1
    return list(found.values())


def _mean(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {"mean": sums["value"] / sums["n"]}
