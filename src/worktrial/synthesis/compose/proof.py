"""Proof of a composed task by playing it: in each language its plan passes, and idleness does not."""

from pydantic import ValidationError

from worktrial.errors import DataError
from worktrial.synthesis.compose.composer import CHECKS, ComposedTask
from worktrial.synthesis.compose.languages import language_of
from worktrial.synthesis.composed_suite import Labels, executable
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.task import idle_findings, plan_findings
from worktrial.synthesis.gates.work import carry_out


async def faults_of(draft: ComposedTask, door: Door) -> list[str]:
    """Reasons why the task is none, each in a sentence; [] where it holds.

    In every language its plan has to pass all checks, doing nothing must not, and the text has to be in that
    language.
    """
    try:
        CHECKS.validate_python(draft.checks)
    except ValidationError as e:
        return [f"its checks: {error['loc']}: {error['msg']}" for error in e.errors()]
    faults: list[str] = []
    for language in draft.instructions:
        # The frame around them is ours.
        requests = " ".join(request[language] for request in draft.requests)
        found = language_of(requests, draft.instructions)
        if found != language:
            faults.append(f"its instruction in {language} reads as {found}")
    name = door.artifact.name
    labels = Labels(workplace=name, scenario=name, category=name, domain=name)
    try:
        tasks = [await executable(draft, language, door, labels, {}) for language in draft.instructions]
    except DataError as e:
        return [*faults, str(e)]
    works = await carry_out(door, [(task.plan_alone, task.initial_state) for task in tasks])
    for task, work in zip(tasks, works, strict=True):
        faults += [f"in {task.language}: {one.field}: {one.what}" for one in plan_findings(task, work)]
    faults += [f"{one.field}: {one.what}" for one in idle_findings(tasks[0])]
    return list(dict.fromkeys(faults))
