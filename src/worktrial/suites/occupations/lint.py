"""Hazards of an OccuBench release."""

from worktrial.errors import DataError
from worktrial.suites.lint import Hazard, LintReport, task_findings, workplace_findings
from worktrial.suites.occupations.load import TASKS, Release
from worktrial.workplaces import Workplace
from worktrial.workplaces.lint import tool_verbs

# What the release's files call the fields.
_FIELDS = {
    "rubric": "verification_plan",
    "instruction": "agent_instruction",
    "initial_state": "task_initial_state",
    "tools": "action_set_definitions",
    "system_prompt": "world_model_system_prompt",
}


def lint_release(release: Release) -> LintReport:
    """Look at every workplace and every task of `release`.

    Workplaces come first, by name, then tasks in their own order. Only workplaces of the release are looked at,
    whether or not a task uses them.
    """
    hazards: list[Hazard] = []
    unread = [task.problem for task in release.tasks if task.problem]
    workplaces: dict[str, Workplace] = {}
    for name in release.workplaces:
        try:
            workplaces[name] = release.workplaces[name]
        except DataError as e:
            unread.append(str(e))
    for name, workplace in workplaces.items():
        hazards += [
            Hazard(hazard, name, workplace.source, _FIELDS.get(found.field, found.field), found.what, found.fix)
            for hazard, found in workplace_findings(workplace)
        ]
    verbs = tool_verbs(tool.name for workplace in workplaces.values() for tool in workplace.tools)
    tasks = [task for task in release.tasks if task.problem is None and task.workplace in workplaces]
    for task in tasks:
        home = workplaces[task.workplace]
        tools = {tool.name for tool in home.tools}
        for hazard, found in task_findings(task.instruction, task.rubric, home.initial_state, tools, verbs=verbs):
            # A task's state is a field of its workplace's file.
            file = home.source if found.field == "initial_state" else str(release.folder / TASKS)
            field = _FIELDS.get(found.field, found.field)
            hazards.append(Hazard(hazard, task.id, file, field, found.what, found.fix))
    lost = [
        f"task {task.id}: its workplace {task.workplace} is missing"
        for task in release.tasks
        if task.problem is None and task.workplace not in release.workplaces
    ]
    return LintReport(len(tasks), len(workplaces), hazards, unread + lost)
