"""Losses of one run: what faults take away, and what keeps samples from ending with an answer."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import CLEAN
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.completion import paired_tries
from worktrial.results.conditions import by_condition
from worktrial.results.figure import figures_of
from worktrial.statistics import Estimate, Figure, difference

_ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class FaultLoss:
    """Completion under one faulted condition beside that without faults."""

    condition: str
    left: Figure
    """Share of all samples under the condition that passed."""
    change: Estimate | None
    """Faulted minus clean on work like this, at 95 %, over the samples with two verdicts. None without one."""


def fault_losses(run: StoredRun) -> list[FaultLoss]:
    """The loss under every faulted condition of `run`, the greatest first; [] without faults."""
    conditions = by_condition(run.records)
    clean = {(record.sample, record.repeat): record for record in conditions.get(CLEAN, [])}
    found = []
    for name, records in conditions.items():
        if name == CLEAN:
            continue
        pairs = [SamplePair(clean[key], one) for one in records if (key := (one.sample, one.repeat)) in clean]
        judged = [pair for pair in pairs if pair.both_judged]
        change = difference(paired_tries(judged)) if judged else None
        found.append(FaultLoss(name, figures_of(run).get("completion", name), change))
    return sorted(found, key=lambda loss: loss.change.value if loss.change is not None else float("inf"))


@dataclass(frozen=True, slots=True)
class Broken:
    """Samples of one condition that did not end with an answer."""

    samples: int
    stopped: Mapping[str, int]
    """Reason for which the work ended to the samples that failed by it, the most frequent first."""
    invalid: Mapping[str, int]
    """Kind of reason to the samples without a verdict, the most frequent first."""


def broken_off(run: StoredRun, condition: str) -> Broken:
    """The samples of `run` under `condition` whose work ended otherwise than by an answer."""
    records = [record for record in run.records if record.condition == condition]
    stopped = Counter(
        record.stop_reason
        for record in records
        if record.outcome is Outcome.FAIL and record.stop_reason not in (None, _ANSWERED)
    )
    invalid = Counter(r.reason.partition(":")[0] for r in records if r.outcome is Outcome.INVALID)
    named = {name: n for name, n in stopped.most_common() if name is not None}
    return Broken(len(records), named, dict(invalid.most_common()))
