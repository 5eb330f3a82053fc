"""Checks that refused work on a task, each with the text that it read, and whether it may have misread it."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from worktrial.grading.facts import at
from worktrial.grading.state_checks import AnyCheck, StateItems
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.artifacts import SlotRun
from worktrial.synthesis.prompting import compact
from worktrial.synthesis.proving.difficulty import failed_checks
from worktrial.synthesis.proving.truth import End, differences, end_of_run

_LONGEST = 300
"""Characters of a check, and of what it read."""


class RefusedWork(msgspec.Struct, kw_only=True, frozen=True):
    """A check that refused what was done, with what it read there."""

    check: str
    """Its claim."""
    read: str
    """Text or value that it found, in the first run that it refused."""
    runs: int = 1
    """Runs that it refused."""


def refusals(task: ExecutableTask, rows: Sequence[SlotRun]) -> list[RefusedWork]:
    """Checks that refused any of the runs, those first that refused most.

    Args:
        task: What was worked on.
        rows: Runs with what happened in them.
    """
    counts = Counter(index for failed in failed_checks(rows) for index in failed)
    found = []
    for index, runs in counts.most_common():
        row = next(row for row in rows if len(row.checks) > index and not row.checks[index].passed)
        result = row.checks[index]
        read = _read(task.checks[index], task.initial_state, row) or result.why
        found.append(RefusedWork(check=_cut(result.check), read=_cut(read), runs=runs))
    return found


def may_misread(task: ExecutableTask, plan: End, rows: Sequence[SlotRun]) -> bool:
    """Whether every run is refused by the same check, though it leaves the state as the plan does.

    Args:
        task: What was worked on.
        plan: End of its plan.
        rows: Runs with what happened in them.
    """
    valid = [row for row in rows if row.outcome != "invalid"]
    failed = [set(indices) for indices in failed_checks(valid)]
    if not failed or len(failed) < len(valid) or not set.intersection(*failed):
        return False
    ends = [end_of_run(row) for row in valid]
    if plan.report is not None and any(end.report is None for end in ends):
        return False
    return not any(one.at.startswith("/") for end in ends for one in differences(task, plan, end))


def _read(check: AnyCheck, before: JsonObject, row: SlotRun) -> str:
    """Words that a check looks at; "" where its result says what it found."""
    line = row.trajectory or {}
    if isinstance(check, StateItems):
        earlier = [compact(item) for item in _items(at(before, check.at))]
        now = (compact(item) for item in _items(at(line.get("final_state") or {}, check.at)))
        return "; ".join(item for item in now if item not in earlier) or "nothing new"
    return ""


def _items(found: JsonValue) -> list[JsonValue]:
    return list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else []


def _cut(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
