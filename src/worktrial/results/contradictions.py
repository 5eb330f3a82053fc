"""Records that contradict themselves: an outcome that is not the one of the checks, votes or measures beside it."""

from pathlib import Path

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord, projected
from worktrial.engine.records import SAMPLES, Records
from worktrial.engine.stored import manifest_in
from worktrial.errors import DataError, InvalidReason
from worktrial.grading import Outcome
from worktrial.grading.check import WITHIN_BUDGET
from worktrial.suite import Suite, is_audit, suite_of

GROUNDS = ("votes", "checks", "measures")
"""Fields of a record that its outcome rests on."""
_REASONS = frozenset(InvalidReason)


def judging_suite(manifest: Manifest) -> Suite | None:
    """The suite that tells outcomes by their grounds; None of an audit, or where it is not installed."""
    return None if is_audit(manifest) else suite_of(manifest)


def contradiction_in(record: SampleRecord, suite: Suite | None) -> str:
    """Sentence on a record whose outcome is not what its own grounds amount to; "" where it is."""
    outcome = record.outcome
    if outcome is Outcome.INVALID and record.reason.partition(":")[0] not in _REASONS:
        return f"{_whose(record)}: the outcome is invalid, and the reason is none of those that make it so"
    try:
        told = (suite and suite.outcome_of(record)) or outcome
    except (LookupError, TypeError, ValueError, AttributeError):
        return ""  # what it rests on is of another form, of which nothing is known here
    if told is Outcome.PASS:
        over = any(not check.passed and check.check.startswith(WITHIN_BUDGET) for check in record.checks)
        told = Outcome.FAIL if over else told
    if told is outcome:
        return ""
    return f"{_whose(record)}: the outcome is {outcome}, and what it rests on amounts to {told}"


def _whose(record: SampleRecord) -> str:
    return f"sample {record.sample!r}, repeat {record.repeat}, {record.condition}"


def refuse_contradictions(folder: Path) -> None:
    """Refuse a run of which nobody can say how it went.

    Raises:
        DataError: an outcome contradicts what it rests on, or a record is damaged.
    """
    suite = judging_suite(manifest_in(folder))
    for record in Records(folder, projected(GROUNDS)):
        if said := contradiction_in(record, suite):
            raise DataError(folder / SAMPLES, said, "Judge the work again: `worktrial regrade`")
