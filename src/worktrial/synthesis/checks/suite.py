"""The checks on a whole suite: one of one's own, or the published one as far as they apply to it."""

from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from worktrial.finding import Finding, Findings
from worktrial.suites.simulated.folder import is_own
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.synthesis.artifacts import PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.checks import OF_PLANS, SLOT_CHECKS
from worktrial.synthesis.checks.case import CheckName, SlotDraft
from worktrial.synthesis.checks.placeholders import placeholders
from worktrial.synthesis.checks.workplace import schemas
from worktrial.workplaces import Workplace
from worktrial.workplaces.loading.folder import MAIN_FILE

_OF_PUBLISHED = {CheckName.SCHEMAS: schemas, CheckName.PLACEHOLDERS: placeholders}
"""Checks that apply to the published release; it has no plans, and examples of other worlds."""
T = TypeVar("T", bound=msgspec.Struct)


def lint_suite(data: TaskSet) -> Findings:
    """Look at every task of `data` in its workplace.

    These checks go beside those that every suite of simulated workplaces has.
    """
    own = is_own(data.folder)
    found: dict[Finding, None] = {}
    workplaces, unread = data.readable()
    tasks = [task for task in data.tasks if task.problem is None and task.workplace in workplaces]
    for task in tasks:
        home, has_plan = workplaces[task.workplace], isinstance(task.plan, list)
        case = _case(task, home)
        # A task need not have a plan, or may have one in another form.
        of_own = [check for check in SLOT_CHECKS if has_plan or check not in OF_PLANS]
        for check in of_own if own else _OF_PUBLISHED.values():
            found |= {_placed(data, task, home, finding): None for finding in check(case)}
    names = list(CheckName) if own else list(_OF_PUBLISHED)
    return Findings(
        [name.value for name in names],
        list(found),
        {"tasks": len(tasks), "workplaces": len(workplaces)},
        unread,
        {name.value: name.meaning for name in names},
    )


def _case(task: Task, home: Workplace) -> SlotDraft:
    tools = [_draft(ToolDraft, tool, writes=bool(tool.writes)) for tool in home.tools]
    draft = TaskDraft(
        id=task.id,
        level=task.difficulty,
        instructions={task.language: task.instruction},
        plan=msgspec.convert(task.plan, list[PlannedCall]) if isinstance(task.plan, list) else [],
        rubric=task.rubric,
    )
    return SlotDraft(_draft(WorkplaceDraft, home, tools=tools), draft)


def _draft(kind: type[T], finished: object, **fields: Any) -> T:
    """A draft with the fields of what is finished, but for those that are given."""
    names = (field.name for field in msgspec.structs.fields(kind))
    return kind(**{name: getattr(finished, name) for name in names} | fields)


def _placed(data: TaskSet, task: Task, home: Workplace, finding: Finding) -> Finding:
    """A finding with the subject and the file that it is about: of the task, or of the workplace."""
    if finding.subject in ("instruction", "plan", "rubric"):
        return replace(finding, subject=task.id, file=str(data.tasks_file))
    main = Path(home.source)
    if main.name == MAIN_FILE:
        # The field may have a file of its own beside the main one.
        named = finding.field.split(".")[0].split("[")[0]
        main = next((path for path in sorted(main.parent.glob(f"{named}.*")) if path.is_file()), main)
    return replace(finding, subject=task.workplace, file=str(main))
