"""Reading a whole release to find what a run could not use."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.errors import DataError
from worktrial.suites.occupations.load import UNKNOWN, Release


@dataclass(frozen=True, slots=True)
class Report:
    """What is in a release, and what is wrong with it."""

    tasks: int
    scenarios: int
    workplaces: int
    fingerprint: str
    categories: Mapping[str, int]
    """Industry to number of tasks."""
    problems: list[str]
    """Each makes at least one sample `invalid`."""
    notes: list[str]
    """Worth knowing, harmless to a run."""


def check_release(release: Release) -> Report:
    """Load every task and every workplace of `release`."""
    problems = [task.problem for task in release.tasks if task.problem]
    problems += [
        f"task {task.id}: its workplace {task.workplace} is missing"
        for task in release.tasks
        if task.problem is None and task.workplace not in release.workplaces
    ]
    for name in release.workplaces:
        try:
            release.workplaces[name]
        except DataError as e:
            problems.append(str(e))
    return Report(
        tasks=len(release.tasks),
        scenarios=len(release.scenarios),
        workplaces=len(release.workplaces),
        fingerprint=release.fingerprint,
        categories=dict(sorted(Counter(task.category for task in release.tasks).items())),
        problems=problems,
        notes=_notes(release),
    )


def _notes(release: Release) -> list[str]:
    notes = []
    idle = release.scenarios.keys() - {task.scenario for task in release.tasks}
    if idle:
        notes.append(f"scenarios without a task: {', '.join(sorted(idle))}")
    strays = release.workplaces.keys() - {task.workplace for task in release.tasks}
    if strays:
        notes.append(f"{len(strays)} workplaces belong to no task")
    homeless = sorted({task.scenario for task in release.tasks if task.category == UNKNOWN})
    if homeless:
        notes.append(f"scenarios missing from the pool, so without an industry: {', '.join(homeless)}")
    if not any(task.plan for task in release.tasks):
        notes.append("no task has a solution plan")
    return notes
