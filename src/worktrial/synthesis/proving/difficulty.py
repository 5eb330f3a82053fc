"""Difficulty of a task: runs until its band is known, then fresh ones that no choice has seen."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass

from worktrial.statistics import agresti_coull
from worktrial.statistics.sequential import Side
from worktrial.synthesis.artifacts import PassRate, RunKind, SlotRun
from worktrial.synthesis.calibration.rules import Sequential
from worktrial.synthesis.calibration.sampling import distinct, sample_until_decided
from worktrial.synthesis.together import together

RunOf = Callable[[RunKind, int], Coroutine[None, None, SlotRun]]
"""Makes the run of a kind and a number."""


@dataclass(frozen=True, slots=True)
class Screened:
    """Band of a task, as far as its runs show it."""

    rate: PassRate
    side: Side
    rows: Sequence[SlotRun]

    @property
    def is_without_verdicts(self) -> bool:
        """Whether more runs came to no verdict than to one."""
        return self.rate.invalid > self.rate.n


async def screened(run: RunOf, have: Sequence[SlotRun], rule: Sequential) -> Screened:
    """Run a task until it is known whether it is trivial, impossible, or in between.

    Args:
        run: Makes a run.
        have: Rows of earlier sessions on the same content.
        rule: Tells when they suffice.

    Raises:
        StopRun: no run can be made.
    """
    rows, rate = await sample_until_decided(
        lambda number: run("free", number), [row for row in have if row.kind == "free"], rule
    )
    return Screened(rate, rule.side(rate.passed, rate.n), rows)


async def fresh_rate(run: RunOf, have: Sequence[SlotRun], count: int) -> PassRate:
    """Pass rate over `count` runs that were made after the task was chosen, with its interval of 95 %.

    Raises:
        StopRun: no run can be made.
    """
    rows = {row.number: row for row in have if row.kind == "fresh"}
    missing = [number for number in range(count) if number not in rows]
    everything = [*rows.values(), *await together(*(run("fresh", number) for number in missing))]
    valid = [row for row in everything if row.outcome != "invalid"]
    counted = distinct(sorted(valid, key=lambda row: row.number))
    passed = sum(row.outcome == "pass" for row in counted)
    known = agresti_coull(passed, len(counted)) if counted else None
    return PassRate(
        passed=passed,
        n=len(counted),
        invalid=len(everything) - len(valid),
        copies=len(valid) - len(counted),
        low=known.low if known else 0.0,
        high=known.high if known else 1.0,
        decision="inside",
    )


def failed_checks(rows: Sequence[SlotRun]) -> list[list[int]]:
    """Indices of the checks that failed, for each run that failed."""
    return [
        [index for index, check in enumerate(row.checks) if not check.passed]
        for row in rows
        if row.outcome == "fail"
    ]
