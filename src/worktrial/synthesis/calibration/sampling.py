"""Running a task until its pass rate is known well enough."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal

from worktrial.statistics.sequential import Side
from worktrial.synthesis.artifacts import PassRate, SlotRun
from worktrial.synthesis.calibration.rules import Sequential, interval_of
from worktrial.synthesis.together import together

Run = Callable[[int], Awaitable[SlotRun]]
"""Makes the run of a number."""


async def sample_until_decided(
    run: Run, have: Sequence[SlotRun], rule: Sequential
) -> tuple[list[SlotRun], PassRate]:
    """Make runs of one kind, several at once, until `rule` has decided or allows no more.

    Decisions are made between batches and look at all runs of the batches made, never at those that happened to be
    quick. What is run follows from the outcomes by number alone; so after an interruption the same runs are made
    and the same is decided as without one. Runs that are there already are not made again, and all of them count.

    Returns:
        All runs in the order of their numbers, and the rate.

    Raises:
        StopRun: a run cannot be made at all; `run` has kept those that ended before.
    """
    rows = {row.number: row for row in have}
    made = last = 0
    while True:
        looked_at = [rows[number] for number in range(made)]
        # Rows beyond are of a rule that wanted more; they are paid for, so they have a say as well.
        if _is_over(looked_at, rule) and _is_over(rows.values(), rule):
            break
        if _brought_nothing_new(looked_at, last):
            break
        passed, n, *_ = _counts(looked_at)
        last = made
        batch = range(made, made + max(1, rule.batch(passed, n)))
        missing = [number for number in batch if number not in rows]
        for number, row in zip(missing, await together(*map(run, missing)), strict=True):
            if row.number != number:
                raise ValueError(f"run {number} was asked for, and run {row.number} came back")
            rows[number] = row
        made = batch.stop
    ordered = [rows[number] for number in sorted(rows)]
    return ordered, rate_of(ordered, rule)


def rate_of(rows: Iterable[SlotRun], rule: Sequential) -> PassRate:
    """Pass rate that runs of one kind show, and what `rule` decides by it."""
    passed, n, invalid, copies = _counts(rows)
    known = interval_of(passed, n)
    decisions: dict[Side, Literal["inside", "outside", "undecided"]]
    decisions = {Side.INSIDE: "inside", Side.UNDECIDED: "undecided"}
    decision = decisions.get(rule.side(passed, n), "outside")
    return PassRate(
        passed=passed, n=n, invalid=invalid, low=known.low, high=known.high, decision=decision, copies=copies
    )


def distinct(rows: Iterable[SlotRun]) -> list[SlotRun]:
    """Runs with a verdict, but for those that repeat an earlier one call for call and word for word.

    An agent that always does the same has made one run, however often it was stored.
    """
    seen: set[str] = set()
    found = []
    for row in rows:
        if row.outcome == "invalid" or row.work in seen:
            continue
        seen |= {row.work} - {""}
        found.append(row)
    return found


def _is_over(rows: Iterable[SlotRun], rule: Sequential) -> bool:
    passed, n, invalid, copies = _counts(rows)
    hopeless = invalid >= rule.first and invalid > n + copies
    return hopeless or n + copies >= rule.most or rule.is_over(passed, n)


def _brought_nothing_new(rows: Sequence[SlotRun], before: int) -> bool:
    """Whether the runs from a number on all repeat earlier ones: more of them would, too."""
    valid = [row for row in rows if row.outcome != "invalid"]
    earlier = distinct(rows[:before])
    return bool(earlier) and len(valid) > len(distinct(valid)) == len(earlier) and before < len(rows)


def _counts(rows: Iterable[SlotRun]) -> tuple[int, int, int, int]:
    """Passes and runs with a verdict, copies left out; runs without a verdict; copies."""
    rows = list(rows)
    counted = distinct(rows)
    valid = sum(row.outcome != "invalid" for row in rows)
    passed = sum(row.outcome == "pass" for row in counted)
    return passed, len(counted), len(rows) - valid, valid - len(counted)
