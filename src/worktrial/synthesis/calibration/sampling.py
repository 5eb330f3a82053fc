"""Running a task until its pass rates are known well enough, and the verdict that follows."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal

from worktrial.statistics.sequential import Side
from worktrial.synthesis.artifacts import (
    Calibration,
    DraftFinding,
    JobSpec,
    PassRate,
    RunKind,
    SlotRun,
    SlotVerdict,
)
from worktrial.synthesis.calibration.rules import Outlook, StoppingRule, StoppingRules, interval_of

Run = Callable[[int], Awaitable[SlotRun]]
"""Makes the run of a number."""


async def sample_until_decided(
    run: Run, have: Sequence[SlotRun], rule: StoppingRule
) -> tuple[list[SlotRun], PassRate]:
    """Make runs of one kind, several at once, until `rule` has decided or allows no more.

    Decisions are made between batches and look at all runs of the batches made, never at those that happened to be
    quick. What is run follows from the outcomes by number alone; so after an interruption the same runs are made
    and the same is decided as without one.

    Args:
        run: Makes one run.
        have: Runs of this kind that are there already; none of them is made again, and all of them count.
        rule: Decides.

    Returns:
        All runs in the order of their numbers, those of `have` included, and the rate.

    Raises:
        StopRun: a run cannot be made at all; `run` has kept those that ended before.
    """
    rows = {row.number: row for row in have}
    outlook = Outlook(rule)
    made = 0
    while True:
        looked_at = [rows[number] for number in range(made)]
        # Rows beyond are of a rule that wanted more; they are paid for, so they have a say as well.
        if _is_over(looked_at, outlook) and _is_over(rows.values(), outlook):
            break
        passed, n, _ = _counts(looked_at)
        batch = range(made, made + max(1, outlook.batch(passed, n)))
        for row in await _all(run, [number for number in batch if number not in rows]):
            rows[row.number] = row
        made = batch.stop
    ordered = [rows[number] for number in sorted(rows)]
    return ordered, rate_of(ordered, rule)


def rate_of(rows: Iterable[SlotRun], rule: StoppingRule) -> PassRate:
    """Pass rate that runs of one kind show, and what `rule` decides by it."""
    passed, n, invalid = _counts(rows)
    known = interval_of(passed, n)
    side = rule.side(passed, n)
    decision: Literal["inside", "outside", "undecided"] = "outside"
    if side is Side.INSIDE:
        decision = "inside"
    elif side is Side.UNDECIDED:
        decision = "undecided"
    return PassRate(passed=passed, n=n, invalid=invalid, low=known.low, high=known.high, decision=decision)


def _is_over(rows: Iterable[SlotRun], outlook: Outlook) -> bool:
    passed, n, invalid = _counts(rows)
    hopeless = invalid >= outlook.rule.first and invalid > n
    return hopeless or outlook.is_over(passed, n)


def _counts(rows: Iterable[SlotRun]) -> tuple[int, int, int]:
    """Passes, runs with a verdict, runs without."""
    passed = n = invalid = 0
    for row in rows:
        invalid += row.outcome == "invalid"
        n += row.outcome != "invalid"
        passed += row.outcome == "pass"
    return passed, n, invalid


async def _all(run: Run, numbers: Sequence[int]) -> list[SlotRun]:
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_one(run, number)) for number in numbers]
    except BaseExceptionGroup as trouble:
        # Runs in flight tend to meet the same refusal at the same moment; one report is enough.
        raise trouble.exceptions[0] from None
    return [task.result() for task in tasks]


async def _one(run: Run, number: int) -> SlotRun:
    row = await run(number)
    if row.number != number:
        raise ValueError(f"run {number} was asked for, and run {row.number} came back")
    return row


def verdict(
    plan: PassRate, free: PassRate, problems: Sequence[DraftFinding], *, rules: StoppingRules | None = None
) -> tuple[SlotVerdict, str]:
    """Verdict of the filters on a task, and why in a sentence.

    Args:
        plan: Of the runs with the plan.
        free: Of those without.
        problems: What static checks found; such a task is not judged by its runs.
        rules: By which the rates were decided; None is the default of a `JobSpec`.
    """
    if rules is None:
        from worktrial.synthesis.calibration.rules import rules_of

        rules = rules_of(JobSpec(role="any"))
    if problems:
        return "unchecked", "; ".join(f"{problem.artifact}: {problem.what}" for problem in problems)
    with_plan, without = _said(plan, "with the plan"), _said(free, "without it")
    if _is_invalid(plan):
        return "invalid", f"{with_plan}; too few came to a verdict"
    if plan.decision == "outside":
        return "unsolvable", with_plan
    if plan.decision == "undecided":
        return "undecided", f"{with_plan}; too near the border to tell whether it can be solved"
    if _is_invalid(free):
        return "invalid", f"{with_plan}; {without}; too few came to a verdict"
    if free.decision == "undecided":
        return "undecided", f"{without}; too near the border to tell whether it is kept"
    match rules.free.side(free.passed, free.n):
        case Side.BELOW:
            return "too_hard", f"{with_plan}; {without}"
        case Side.ABOVE:
            return "trivial", without
    return "kept", f"{with_plan}; {without}"


def _is_invalid(rate: PassRate) -> bool:
    return rate.decision == "undecided" and rate.invalid > rate.n


def _said(rate: PassRate, how: str) -> str:
    invalid = f", {rate.invalid} more without a verdict" if rate.invalid else ""
    return f"{rate.passed} of {rate.n} runs {how} passed (rate {rate.low:.2f} to {rate.high:.2f}{invalid})"


async def calibrate(
    slot: str,
    content: str,
    run: Callable[[RunKind, int], Awaitable[SlotRun]],
    have: Sequence[SlotRun],
    rules: StoppingRules,
    *,
    rounds: int = 0,
) -> Calibration:
    """Find out how often a slot is passed, with its plan and without.

    Args:
        slot: Its id.
        content: Hash of its workplace and task.
        run: Makes the run of a kind and a number, and keeps its row.
        have: Rows of earlier sessions; those on another content do not count.
        rules: When the runs suffice.
        rounds: Repairs that led to this content.

    Raises:
        StopRun: no run can be made.
    """
    rows: dict[RunKind, list[SlotRun]] = {"plan": [], "free": []}
    for row in have:
        if row.content == content and row.slot == slot:
            rows[row.kind].append(row)
    _, plan = await sample_until_decided(lambda number: run("plan", number), rows["plan"], rules.plan)
    if plan.decision == "inside":
        # A task that cannot be solved with its plan is not worth any run without.
        _, free = await sample_until_decided(lambda number: run("free", number), rows["free"], rules.free)
    else:
        free = rate_of(rows["free"], rules.free)
    decided, why = verdict(plan, free, [], rules=rules)
    return Calibration(slot=slot, content=content, plan=plan, free=free, verdict=decided, why=why, rounds=rounds)
