"""Applying corrections to the steps of a scenario."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from worktrial.suites.orchestration.planning.corrections.correction import Correction
from worktrial.suites.orchestration.planning.corrections.operations import DoesNotFit
from worktrial.suites.orchestration.planning.records import StepRecord


@dataclass(frozen=True, slots=True)
class Corrected:
    """Steps after their corrections."""

    records: tuple[StepRecord, ...]
    applied: tuple[str, ...] = ()
    """What was done, each as `STEP: REASON`."""
    misfits: tuple[tuple[int, str], ...] = ()
    """Corrections that do not fit this data, each as (step, why); their steps are as they were."""


def correct(records: Sequence[StepRecord], corrections: Sequence[Correction]) -> Corrected:
    """`records` with `corrections` applied, in the order given.

    A step takes all of its corrections or none, so that it is never half mended.
    """
    steps = {record.id: record for record in records}
    applied: list[str] = []
    misfits: list[tuple[int, str]] = []
    for step in dict.fromkeys(correction.step for correction in corrections):
        own = [correction for correction in corrections if correction.step == step]
        if step not in steps:
            misfits.append((step, f"there is no such step ({own[0].reason})"))
            continue
        record = steps[step]
        try:
            for correction in own:
                record = correction.operation(record)
                if record.left_out:
                    record = replace(record, left_out=correction.reason)
        except DoesNotFit as e:
            misfits.append((step, f"{e} ({correction.reason})"))
            continue
        steps[step] = record
        applied += [f"{step}: {correction.reason}" for correction in own]
    return Corrected(tuple(steps.values()), tuple(applied), tuple(misfits))
