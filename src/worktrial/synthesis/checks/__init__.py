"""Static checks of a slot, before anything is run. Each says what to change."""

from collections.abc import Iterator, Sequence

from worktrial.errors import DataError
from worktrial.finding import Finding
from worktrial.synthesis.artifacts import TaskDraft, WorkplaceDraft
from worktrial.synthesis.checks import task as of_task
from worktrial.synthesis.checks import workplace as of_workplace
from worktrial.synthesis.checks.case import CheckName, SlotDraft, playable, problem
from worktrial.synthesis.checks.placeholders import placeholders

__all__ = ["OF_PLANS", "SLOT_CHECKS", "CheckName", "check_slot", "workplace_problems"]

_OF_WORKPLACES = (
    of_workplace.tool_count,
    of_workplace.duplicate_tools,
    of_workplace.schemas,
    of_workplace.example_shape,
    of_workplace.example_clash,
    of_workplace.state_described,
    of_workplace.prompt_calls,
    placeholders,
)
OF_PLANS = (of_task.plan_calls, of_task.plan_length, of_task.steps_given_away)
"""Checks that only a task with a plan can be asked."""
SLOT_CHECKS = (*_OF_WORKPLACES, of_task.dates, *OF_PLANS, of_task.rubric_tools)


def check_slot(workplace: WorkplaceDraft, task: TaskDraft) -> Sequence[Finding]:
    """Everything that is wrong with a task and its workplace, as far as that shows without a run."""
    case = SlotDraft(workplace, task)
    return [found for check in SLOT_CHECKS for found in check(case)] or list(_unplayable(workplace))


def workplace_problems(workplace: WorkplaceDraft) -> list[str]:
    """Everything that is wrong with a workplace alone, a sentence each."""
    case = SlotDraft(workplace, TaskDraft(id="-", level=1, instructions={"en": "-"}, plan=[], rubric="-"))
    found = [found for check in _OF_WORKPLACES for found in check(case)]
    return [f"{one.field}: {one.what}" for one in found or _unplayable(workplace)]


def _unplayable(workplace: WorkplaceDraft) -> Iterator[Finding]:
    """Refusal of the loader of finished workplaces, should the checks have missed it."""
    try:
        playable(workplace)
    except DataError as e:
        yield problem(CheckName.SCHEMAS, "tools", "tools", str(e), "Mend what the loader of workplaces refuses")
