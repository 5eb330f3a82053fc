"""A slot's calibration: runs with the plan first, and free ones once it is known to be solvable."""

from collections.abc import Awaitable, Callable, Sequence

from worktrial.synthesis.artifacts import Calibration, RunRow
from worktrial.synthesis.calibration.rules import Rules
from worktrial.synthesis.calibration.sampling import Kind, rate_of, sample_until_decided
from worktrial.synthesis.stages.filters import verdict


async def calibrate(
    slot: str,
    content: str,
    run: Callable[[Kind, int], Awaitable[RunRow]],
    have: Sequence[RunRow],
    rules: Rules,
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
    rows: dict[Kind, list[RunRow]] = {"plan": [], "free": []}
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
