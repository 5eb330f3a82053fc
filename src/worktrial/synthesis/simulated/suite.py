"""Tasks in a simulated workplace as the suite's files hold them: `tasks.jsonl`, the workplace, `suite.yaml`."""

from collections.abc import Sequence

import msgspec

from worktrial.suites.simulated.folder import TASKS
from worktrial.suites.simulated.tasks import Task
from worktrial.synthesis.artifacts import JobSpec, TaskDraft
from worktrial.synthesis.composed_suite import Labels, id_in, suite_file
from worktrial.synthesis.files import to_yaml, write_lines, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.simulated.workplace import SimulatedPlace


def run_task(draft: TaskDraft, language: str, spec: JobSpec, place: SimulatedPlace) -> Task:
    """A task in one of its languages, as a run is given it."""
    return Task(
        id=id_in(draft.id, language, draft.languages),
        difficulty=draft.level,
        scenario=spec.role,
        category=spec.industry,
        domain=spec.domain or spec.role,
        instruction=draft.instructions[language],
        workplace=place.name,
        rubric=draft.rubric,
        plan=msgspec.to_builtins(draft.plan),
        language=language,
    )


def publish(
    folder: SuiteFolder, spec: JobSpec, place: SimulatedPlace, drafts: Sequence[TaskDraft], figures: object
) -> None:
    """Write workplace and tasks, and last `suite.yaml`.

    Raises:
        StopRun: something cannot be written.
    """
    write_text(folder.workplaces / place.name / "workplace.yaml", to_yaml(place.whole))
    tasks = [run_task(draft, language, spec, place) for draft in drafts for language in draft.languages]
    rows = [msgspec.to_builtins(task) for task in tasks]
    write_lines(folder.root / TASKS, [{name: row[name] for name in row if name != "problem"} for row in rows])
    labels = Labels(workplace=place.name, scenario=spec.role, category=spec.industry, domain=tasks[0].domain)
    write_text(folder.suite, to_yaml({**suite_file(folder, spec, labels, figures), "tasks": TASKS}))


def withdraw(folder: SuiteFolder) -> None:
    """Remove the tasks of an earlier session where none can be kept any more."""
    for path in (folder.suite, folder.root / TASKS):
        path.unlink(missing_ok=True)
