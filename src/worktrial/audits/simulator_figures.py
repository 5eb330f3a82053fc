"""Figures of a stored audit of a simulator: fidelity, drift, conformance, failures, and what an answer takes."""

from collections.abc import Iterator, Sequence

import msgspec

from worktrial.audits.fidelity import CallKind
from worktrial.audits.figures import ClusterHits, FigureTable, amount, conformance_figures, share
from worktrial.audits.observations import SimulatorFailure
from worktrial.audits.simulator import AuditedCall
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.statistics import Figure, Unit

DRIFT_AT = (1, 2, 5, 10, 20, 40)
"""Numbers of calls after which the state is looked at."""

TABLES = (
    FigureTable(
        "fidelity",
        {
            "exact": "answers exact",
            "fields_equal": "fields equal",
            "fields_wrong": "wrong",
            "fields_missing": "missing",
            "fields_extra": "extra",
            "fields_free": "free text",
            "unusable": "unusable",
        },
        "calls",
        "The truth is the same workplace carried out by code. Free texts, which nobody could know word for word, "
        "count for neither side.",
    ),
    FigureTable(
        "state drift",
        {"state_true": "state still true", "fields_off": "fields off (mean)", "changes_kept": "changes kept"},
        "after call",
        "Over the sequences that got so far; only a ledger has a state to compare.",
    ),
    FigureTable("conformance, without the truth", {"conforms": "passed"}, "check"),
    FigureTable(
        "answers that show a failure", {"failure": "by the truth", "failure_alone": "by conformance"}, "failure"
    ),
    FigureTable(
        "what an answer takes",
        {
            "sequences": "sequences",
            "asked": "calls that reached the model",
            "input_tokens": "tokens in",
            "output_tokens": "tokens out",
            "answer_seconds": "median time",
            "slow_seconds": "95th percentile",
            "invalid": "sequences not played",
        },
    ),
)


def simulator_figures(run: StoredRun) -> Iterator[Figure]:
    """All figures of an audit of a simulator; sequences that could not be played are in none."""
    # A task whose rules forbid nothing to its plan's calls has an empty sequence of them.
    sequences = [one for one in _sequences(run) if one[1]]
    rows = [(task, row) for task, own in sequences for row in own]
    for kind in CallKind:
        yield from _fidelity([one for one in rows if one[1].kind == kind], f"calls={kind}")
    yield from _fidelity(rows, "calls=all")
    yield from _drift(sequences)
    yield from conformance_figures(
        [(task, {one["check"]: one["passed"] for one in row.findings}) for task, row in rows]
    )
    for failure in SimulatorFailure:
        # The truth does not say what is hidden.
        if failure is not SimulatorFailure.STATE_LEAK:
            shown = (ClusterHits(task, failure in row.failures) for task, row in rows)
            yield share("failure", shown, f"failure={failure}")
    yield amount("sequences", len(sequences), len(sequences))
    yield from _takes([row for _, row in rows if row.requests], len(rows))


def _sequences(run: StoredRun) -> Iterator[tuple[str, list[AuditedCall]]]:
    valid = {record.sample for record in run.records if record.outcome is not Outcome.INVALID}
    lines = {str(line["sample"]): line for line in trajectory_lines(run.folder, dict[str, object])}
    for sample, line in lines.items():
        if sample in valid:
            yield sample.split("/")[0], msgspec.convert(line["audit"], list[AuditedCall])


def _fidelity(rows: Sequence[tuple[str, AuditedCall]], group: str) -> Iterator[Figure]:
    if not rows:
        return
    yield share("exact", (ClusterHits(task, row.exact) for task, row in rows), group)
    fields = [ClusterHits(task, row.equal, row.equal + row.wrong + row.missing + row.extra) for task, row in rows]
    yield share("fields_equal", fields, group)
    n = sum(one.n for one in fields)
    for name in ("wrong", "missing", "extra", "free"):
        yield amount(f"fields_{name}", sum(getattr(row, name) for _, row in rows), n, group)
    yield amount("unusable", sum(row.unusable is not None for _, row in rows), len(rows), group)


def _drift(sequences: Sequence[tuple[str, list[AuditedCall]]]) -> Iterator[Figure]:
    for calls in (*DRIFT_AT, None):
        reached = [(task, rows) for task, rows in sequences if calls is None or len(rows) >= calls]
        states = [(task, rows[-1 if calls is None else calls - 1].state) for task, rows in reached]
        found = [(task, state) for task, state in states if state is not None]
        group = f"after call={'the last' if calls is None else calls}"
        if found:
            yield share("state_true", (ClusterHits(task, state.differing == 0) for task, state in found), group)
            off = sum(state.differing for _, state in found) / len(found)
            yield amount("fields_off", off, len(found), group)
            yield share(
                "changes_kept", (ClusterHits(task, state.kept, state.changed) for task, state in found), group
            )


def _takes(asked: Sequence[AuditedCall], of: int) -> Iterator[Figure]:
    n = len(asked)
    yield amount("asked", n, of)
    for name in ("input_tokens", "output_tokens"):
        yield amount(name, sum(getattr(row, name) for row in asked) / max(1, n), n, unit=Unit.TOKENS)
    seconds = sorted(row.seconds for row in asked)
    for name, below in (("answer_seconds", 0.5), ("slow_seconds", 0.95)):
        # Nearest rank.
        value = seconds[min(n - 1, int(below * n))] if seconds else None
        why = "" if seconds else "no call reached the model"
        yield Figure(name=name, value=value, n=n, unit=Unit.SECONDS, unknown=why)
