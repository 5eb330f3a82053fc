"""Hazards of the starter suite."""

from worktrial.suites.lint import Hazard, LintReport, task_findings, workplace_findings
from worktrial.suites.starter.load import (
    FOLDER,
    STATE_FILE,
    TASKS_FILE,
    WORKPLACE_FILE,
    load_tasks,
    load_workplace,
    workplace_names,
)
from worktrial.workplaces.lint import tool_verbs

_FILES = {"tools": "tools.py", "initial_state": STATE_FILE}


def lint_starter() -> LintReport:
    """Look at every workplace and every task of the suite. Each task has a clock of its own."""
    workplaces = {name: load_workplace(name).artifact for name in workplace_names()}
    hazards = [
        Hazard(
            hazard,
            name,
            str(FOLDER / name / _FILES.get(found.field, WORKPLACE_FILE)),
            found.field,
            found.what,
            found.fix,
        )
        for name, workplace in workplaces.items()
        for hazard, found in workplace_findings(workplace)
    ]
    # So few tools have hardly a word in common; any of their words will do.
    verbs = tool_verbs((tool.name for workplace in workplaces.values() for tool in workplace.tools), at_least=1)
    tasks = load_tasks()
    for task in tasks:
        tools = {tool.name for tool in workplaces[task.workplace].tools}
        file = str(FOLDER / task.workplace / TASKS_FILE)
        hazards += [
            Hazard(hazard, task.id, file, found.field, found.what, found.fix)
            for hazard, found in task_findings(
                task.instruction, task.rubric, task.initial_state, tools, verbs=verbs, has_clock=True
            )
        ]
    return LintReport(len(tasks), len(workplaces), hazards, [])
