"""The checks on a whole suite: one of one's own, or the published one as far as they apply to it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from worktrial.finding import Finding, Findings
from worktrial.suites.simulated.folder import is_own
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.synthesis.artifacts import DraftFinding, PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.checks import OF_PLANS, SLOT_CHECKS
from worktrial.synthesis.checks.case import MEANINGS, CheckName, SlotDraft
from worktrial.synthesis.checks.placeholders import placeholders
from worktrial.synthesis.checks.workplace import schemas
from worktrial.workplaces import Workplace
from worktrial.workplaces.loading.folder import MAIN_FILE

Check = Callable[[SlotDraft], Iterator[DraftFinding]]

_MORE: tuple[Check, ...] = (schemas, placeholders)
"""Checks of the published release beside the usual lint; it has no plans, and examples of other worlds."""

OF_PUBLISHED = (CheckName.SCHEMAS, CheckName.PLACEHOLDERS)
"""The checks that apply to the published release."""


def lint_suite(data: TaskSet) -> Findings:
    """Look at every task of `data` in its workplace.

    These checks go beside those that every suite of simulated workplaces has; of a suite of one's own they are all.
    """
    own = is_own(data.folder)
    found: dict[Finding, None] = {}
    workplaces, unread = data.readable()
    tasks = [task for task in data.tasks if task.problem is None and task.workplace in workplaces]
    for task in tasks:
        home = workplaces[task.workplace]
        for problem in _problems(_case(task, home), _checks(task) if own else _MORE):
            found[_finding(data, task, home, problem)] = None
    names = list(CheckName) if own else OF_PUBLISHED
    return Findings(
        [name.value for name in names],
        list(found),
        {"tasks": len(tasks), "workplaces": len(workplaces)},
        unread,
        {name.value: MEANINGS[name] for name in names},
    )


def _checks(task: Task) -> Sequence[Check]:
    """A task need not have a plan, or may have one in another form."""
    return [check for check in SLOT_CHECKS if isinstance(task.plan, list) or check not in OF_PLANS]


def _problems(case: SlotDraft, checks: Sequence[Check]) -> Iterator[DraftFinding]:
    for check in checks:
        yield from check(case)


def _case(task: Task, home: Workplace) -> SlotDraft:
    tools = [
        ToolDraft(
            name=tool.name,
            description=tool.description,
            parameters=tool.parameters,
            example_output=tool.example_output,
            writes=bool(tool.writes),
        )
        for tool in home.tools
    ]
    workplace = WorkplaceDraft(
        name=home.name,
        system_prompt=home.system_prompt,
        tools=tools,
        initial_state=home.initial_state,
        state_description=home.state_description,
    )
    draft = TaskDraft(
        id=task.id,
        level=task.difficulty,
        instructions={task.language: task.instruction},
        plan=msgspec.convert(task.plan, list[PlannedCall]) if isinstance(task.plan, list) else [],
        rubric=task.rubric,
    )
    return SlotDraft(workplace, draft)


def _finding(data: TaskSet, task: Task, home: Workplace, problem: DraftFinding) -> Finding:
    of_task = problem.artifact in ("instruction", "plan", "rubric")
    subject = task.id if of_task else task.workplace
    file = str(data.tasks_file) if of_task else _file(home, problem.field)
    return Finding(problem.check, subject, file, problem.field, problem.what, problem.fix)


def _file(home: Workplace, field: str) -> str:
    """The file of a workplace that has the field: its own, or the main one."""
    main = Path(home.source)
    if main.name != MAIN_FILE:
        return home.source
    named = field.split(".")[0].split("[")[0]
    return str(next((path for path in sorted(main.parent.glob(f"{named}.*")) if path.is_file()), main))
