"""Records that contradict themselves: an outcome that is not the one of the checks, votes or measures beside it."""

from collections.abc import Iterator
from pathlib import Path

from worktrial.engine.record import projected
from worktrial.engine.records import SAMPLES, Records
from worktrial.engine.stored import manifest_in
from worktrial.errors import DataError, InvalidReason
from worktrial.grading import Outcome
from worktrial.grading.check import WITHIN_BUDGET
from worktrial.suite import is_audit, suite_of

_READ = ("votes", "checks", "measures")
_REASONS = frozenset(InvalidReason)


def contradictions(folder: Path) -> Iterator[str]:
    """A sentence for each record of the run in `folder` whose outcome is not what its own grounds amount to.

    Raises:
        DataError: a record is damaged.
    """
    manifest = manifest_in(folder)
    suite = None if is_audit(manifest) else suite_of(manifest)
    for record in Records(folder, projected(_READ)):
        whose = f"sample {record.sample!r}, repeat {record.repeat}, {record.condition}"
        if record.outcome is Outcome.INVALID and record.reason.partition(":")[0] not in _REASONS:
            yield f"{whose}: the outcome is invalid, and the reason is none of those that make it so"
            continue
        try:
            told = (suite and suite.outcome_of(record)) or record.outcome
        except (LookupError, TypeError, ValueError, AttributeError):
            continue  # what it rests on is of another form, of which nothing is known here
        over = any(not check.passed for check in record.checks if check.check.startswith(WITHIN_BUDGET))
        told = Outcome.FAIL if over and told is Outcome.PASS else told
        if told is not record.outcome:
            yield f"{whose}: the outcome is {record.outcome}, and what it rests on amounts to {told}"


def refuse_contradictions(folder: Path) -> None:
    """Refuse a run of which nobody can say how it went.

    Raises:
        DataError: an outcome contradicts what it rests on.
    """
    for said in contradictions(folder):
        raise DataError(folder / SAMPLES, said, "Judge the work again: `worktrial regrade`")
