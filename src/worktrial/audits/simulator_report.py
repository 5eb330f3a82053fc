"""Figures of a stored audit of a simulator."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.audits.simulator import SUITE, AuditedCall
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.statistics import Rate
from worktrial.workplaces.conformance import CheckRate, ConformanceCheck, SimulatorFailure
from worktrial.workplaces.fidelity.truth import CallKind

# Where along a sequence the state is looked at: after so many calls.
DRIFT_AT = (1, 2, 5, 10, 20, 40)


@dataclass(frozen=True, slots=True)
class Fidelity:
    """Answers of one kind beside the truth."""

    calls: int
    exact: int
    """Answers with nothing wrong, missing or extra."""
    equal: int
    wrong: int
    missing: int
    extra: int
    free: int
    """Free texts that are there; they count for neither side."""
    unusable: int
    """Calls without any usable reply; their fields are missing."""

    @property
    def fields(self) -> int:
        """Fields that count."""
        return self.equal + self.wrong + self.missing + self.extra

    @property
    def share(self) -> float | None:
        """Equal fields among all fields of truth and answer; None without any."""
        return self.equal / self.fields if self.fields else None

    @property
    def exact_rate(self) -> Rate:
        """Exact answers among all."""
        return Rate(self.exact, self.calls)


@dataclass(frozen=True, slots=True)
class Drift:
    """Distance of the state from the true one after a number of calls, over sequences that got so far."""

    calls: int | None
    """Number of calls; None for the end of each sequence, however long."""
    sequences: int
    true: int
    """Sequences whose state still is the true one."""
    differing: float
    """Mean number of fields that differ."""
    changed: int
    """Fields that had to change by then, over all these sequences."""
    kept: int
    """Fields that did change, and rightly."""


@dataclass(frozen=True, slots=True)
class SimulatorReport:
    """One audit at a glance."""

    folder: Path
    model: str
    memory: str
    prompt: str
    sequences: int
    invalid: int
    """Sequences that could not be played for reasons that are not the simulator's."""
    kinds: dict[CallKind, Fidelity]
    """Fidelity by kind of call; only kinds that occur."""
    overall: Fidelity
    drift: list[Drift]
    """Empty where the state lives in the conversation."""
    conformance: dict[ConformanceCheck, CheckRate]
    failures: dict[SimulatorFailure, int]
    """Answers that show each kind of failure, by the truth."""
    conformance_failures: dict[SimulatorFailure, int]
    """The same as conformance alone, without the truth, would have it."""
    asked: int
    """Calls that reached the model."""
    input_tokens: float
    """Per call that reached the model, repairs included."""
    output_tokens: float
    seconds: float
    """Median of a call that reached the model."""
    slow_seconds: float
    """The 95th percentile."""


def simulator_report(folder: Path) -> SimulatorReport:
    """The report on the audit in `folder`.

    Raises:
        DataError: there is none.
    """
    run = open_run(folder)
    if run.manifest.suite != SUITE:
        raise DataError(folder, f"holds a run of {run.manifest.suite}, not the audit of a simulator")
    # A task whose rules forbid nothing to its plan's calls has an empty sequence of them.
    sequences = [rows for rows in _rows(run) if rows]
    rows = [row for sequence in sequences for row in sequence]
    asked = [row for row in rows if row.requests]
    settings = run.manifest.settings
    seconds = sorted(row.seconds for row in asked)
    return SimulatorReport(
        folder=folder,
        model=settings.get("roles", {}).get("simulator", {}).get("model", "?"),
        memory=settings["memory"],
        prompt=settings["simulator_prompt"],
        sequences=len(sequences),
        invalid=sum(r.outcome is Outcome.INVALID for r in run.records),
        kinds={kind: fidelity(own) for kind in CallKind if (own := [row for row in rows if row.kind == kind])},
        overall=fidelity(rows),
        drift=list(_drift(sequences)),
        conformance=_conformance(rows),
        failures=_counted(row.failures for row in rows),
        conformance_failures=_counted(row.conformance_failures for row in rows),
        asked=len(asked),
        input_tokens=sum(row.input_tokens for row in asked) / max(1, len(asked)),
        output_tokens=sum(row.output_tokens for row in asked) / max(1, len(asked)),
        seconds=_quantile(seconds, 0.5),
        slow_seconds=_quantile(seconds, 0.95),
    )


def fidelity(rows: Iterable[AuditedCall]) -> Fidelity:
    """Sums over `rows`."""
    rows = list(rows)
    return Fidelity(
        calls=len(rows),
        exact=sum(row.exact for row in rows),
        equal=sum(row.equal for row in rows),
        wrong=sum(row.wrong for row in rows),
        missing=sum(row.missing for row in rows),
        extra=sum(row.extra for row in rows),
        free=sum(row.free for row in rows),
        unusable=sum(row.unusable is not None for row in rows),
    )


def _rows(run: StoredRun) -> Iterable[list[AuditedCall]]:
    valid = {record.sample for record in run.records if record.outcome is not Outcome.INVALID}
    lines = {str(line["sample"]): line for line in trajectory_lines(run.folder, dict[str, object])}
    for sample, line in lines.items():
        if sample in valid:
            yield msgspec.convert(line["audit"], list[AuditedCall])


def _drift(sequences: Sequence[list[AuditedCall]]) -> Iterable[Drift]:
    for calls in (*DRIFT_AT, None):
        reached = [rows for rows in sequences if calls is None or len(rows) >= calls]
        states = [rows[-1 if calls is None else calls - 1].state for rows in reached]
        found = [state for state in states if state is not None]
        if found:
            yield Drift(
                calls=calls,
                sequences=len(found),
                true=sum(state.differing == 0 for state in found),
                differing=sum(state.differing for state in found) / len(found),
                changed=sum(state.changed for state in found),
                kept=sum(state.kept for state in found),
            )


def _conformance(rows: Iterable[AuditedCall]) -> dict[ConformanceCheck, CheckRate]:
    applied: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for row in rows:
        for finding in row.findings:
            applied[finding["check"]] += 1
            passed[finding["check"]] += finding["passed"]
    return {check: CheckRate(passed[check], applied[check]) for check in ConformanceCheck}


def _counted(rows: Iterable[Iterable[str]]) -> dict[SimulatorFailure, int]:
    counts = Counter(failure for row in rows for failure in row)
    return {failure: counts[failure] for failure in SimulatorFailure}


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of `ordered` lies (nearest rank); 0 for none."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
