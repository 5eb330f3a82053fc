"""Static checks of a slot, before anything is run. Each is one small file, and says what to change."""

from collections.abc import Callable, Iterator

from worktrial.errors import DataError
from worktrial.synthesis.artifacts import DraftFinding, TaskDraft, WorkplaceDraft
from worktrial.synthesis.checks.case import MEANINGS, CheckName, SlotDraft, playable, problem
from worktrial.synthesis.checks.placeholders import placeholders
from worktrial.synthesis.checks.task import (
    PLAN_STEPS,
    dates,
    plan_calls,
    plan_length,
    rubric_tools,
    steps_given_away,
)
from worktrial.synthesis.checks.workplace import (
    TOOLS,
    duplicate_tools,
    example_clash,
    example_shape,
    prompt_calls,
    schemas,
    state_described,
    tool_count,
)

__all__ = [
    "MEANINGS",
    "OF_PLANS",
    "PLAN_STEPS",
    "SLOT_CHECKS",
    "TOOLS",
    "CheckName",
    "check_slot",
    "workplace_problems",
]

SLOT_CHECKS: tuple[Callable[[SlotDraft], Iterator[DraftFinding]], ...] = (
    tool_count,
    duplicate_tools,
    schemas,
    example_shape,
    example_clash,
    state_described,
    prompt_calls,
    placeholders,
    dates,
    plan_calls,
    plan_length,
    steps_given_away,
    rubric_tools,
)
OF_WORKPLACES = SLOT_CHECKS[: SLOT_CHECKS.index(placeholders) + 1]
"""Checks that a workplace alone can be asked."""
OF_PLANS = frozenset({plan_calls, plan_length, steps_given_away})
"""Checks that only a task with a plan can be asked."""


def check_slot(workplace: WorkplaceDraft, task: TaskDraft) -> list[DraftFinding]:
    """Everything that is wrong with a task and its workplace, as far as that shows without a run."""
    case = SlotDraft(workplace, task)
    found = [p for check in SLOT_CHECKS for p in check(case)]
    return found or list(_unplayable(case))


def workplace_problems(workplace: WorkplaceDraft) -> list[str]:
    """Everything that is wrong with a workplace alone, a sentence each."""
    case = SlotDraft(workplace, TaskDraft(id="-", level=1, instructions={"en": "-"}, plan=[], rubric="-"))
    found = [p for check in OF_WORKPLACES for p in check(case)]
    return [f"{one.field}: {one.what}" for one in found or _unplayable(case)]


def _unplayable(case: SlotDraft) -> Iterator[DraftFinding]:
    """Refusal of the loader of finished workplaces, should the checks have missed it."""
    try:
        playable(case.workplace)
    except DataError as e:
        fix = "Mend what the loader of workplaces refuses"
        yield problem(CheckName.SCHEMAS, "tools", "tools", str(e), fix)
