"""Composed tasks as the suite's files hold them: entries of `tasks.yaml`, drawn states, `suite.yaml`."""

import datetime as dt
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from worktrial.errors import DataError, StopRun
from worktrial.language import JsonObject
from worktrial.suites.executable.tasks import TASKS_FILE, ExecutableTask
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.compose.composer import CHECKS, ComposedTask, plan_of, state_of
from worktrial.synthesis.files import to_yaml, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.facts import amounts_asked
from worktrial.version import __version__

FORMAT = 1
STATES = "states"
_REFUSAL = "refuse_or_ask"
_QUOTED = 6
"""Clauses that a rubric quotes."""


class Labels(msgspec.Struct, frozen=True):
    """Names by which the tasks of a suite are grouped."""

    workplace: str
    scenario: str
    category: str
    domain: str


def labels_of(spec: JobSpec, place: Path) -> Labels:
    """Names by which the tasks of a job are grouped."""
    return Labels(place.name, spec.role, spec.industry, spec.domain or spec.role)


def prefix_of(name: str) -> str:
    """Beginning of task ids for a workplace of this name: lower-case words joined by hyphens."""
    words = re.findall(r"[a-z]+", name.lower())
    return "-".join(words) or "task"


def id_in(id: str, language: str, languages: Sequence[str]) -> str:
    """Id of a task in one of its languages; the first language's has no mark."""
    if language == languages[0]:
        return id
    prefix, number = id.rsplit("-", 1)
    return f"{prefix}-{language}-{number}"


def rubric_of(draft: ComposedTask, rules: Mapping[str, str]) -> str:
    """The task's rubric in prose, for judges and readers: the clauses that decide it. The checks count."""
    quoted = [f"{id}: {rules[id]}" for id in draft.clauses if id in rules][:_QUOTED]
    cases = len(draft.recipe.cases)
    said = "The case ends" if cases == 1 else f"All {cases} cases end"
    lines = [f"{said} as the rules require, nothing else is changed, and the report says so."]
    asked = [value for check in CHECKS.validate_python(draft.checks) for value in amounts_asked(check)]
    if amounts := list(dict.fromkeys(map(str, asked))):
        # Clauses have amounts of their own; those of this task must not be missing beside them.
        lines.append(f"The report states {', '.join(amounts)}.")
    return "\n".join([*lines, *quoted])


async def executable(
    draft: ComposedTask, language: str, door: Door, labels: Labels, rules: Mapping[str, str]
) -> ExecutableTask:
    """A composed task ready to be set up in the workplace behind `door`.

    Raises:
        DataError: it was changed to something that is no task.
    """
    state = await state_of(draft, door)
    clock = state.get("clock")
    if not isinstance(clock, str):
        raise DataError(f"{draft.recipe.id}: its state", "says no `clock`", "Let draw.py set it, ISO 8601")
    held = {name: value for name, value in entry(draft, language, rules).items() if name not in ("start", "state")}
    of_home = {"home": door.home, "clock": clock, "initial_state": state}
    try:
        return ExecutableTask.model_validate({**held, **of_home, **msgspec.structs.asdict(labels)})
    except ValueError as e:
        raise DataError(draft.recipe.id, f"is no task any more: {e}", "Put it right, or remove its file") from None


def entry(draft: ComposedTask, language: str, rules: Mapping[str, str]) -> JsonObject:
    """The task in one of its languages, as `tasks.yaml` holds it."""
    return {
        "id": id_in(draft.id, language, draft.recipe.languages),
        "difficulty": draft.difficulty,
        **({"traits": [_REFUSAL]} if draft.refusals else {}),
        "language": language,
        **({"pair": draft.recipe.id} if len(draft.instructions) > 1 else {}),
        "clauses": draft.clauses,
        "start": start_name(draft.recipe.start),
        "instruction": draft.instructions[language],
        **({"state": draft.patch} if draft.patch else {}),
        "plan": plan_of(draft, language),
        "checks": draft.checks,
        "rubric": rubric_of(draft, rules),
        **({"human": draft.human} if draft.human else {}),
    }


def start_name(seed: int | str) -> str:
    """Name of the file of a drawn state."""
    return f"draw-{seed}"


async def write_suite(
    folder: SuiteFolder,
    spec: JobSpec,
    drafts: Sequence[ComposedTask],
    door: Door,
    labels: Labels,
    rules: Mapping[str, str],
    figures: object,
) -> None:
    """Write drawn states and tasks, and last `suite.yaml`; what was there before and is not now goes.

    Raises:
        StopRun: something cannot be written.
    """
    place = folder.workplaces / labels.workplace
    starts = {draft.recipe.start for draft in drafts}
    for seed in sorted(starts):
        state = await door.start(seed)
        text = msgspec.json.format(msgspec.json.encode(state), indent=1).decode()
        write_text(place / STATES / f"{start_name(seed)}.json", text + "\n")
    tasks = {
        **{name: value for name, value in msgspec.structs.asdict(labels).items() if name != "workplace"},
        "language": spec.languages[0],
        "tasks": [entry(draft, language, rules) for draft in drafts for language in draft.instructions],
    }
    write_text(place / TASKS_FILE, to_yaml(tasks))
    kept = {f"{start_name(seed)}.json" for seed in starts}
    # Only what a draw is called: a state that a person put there stays.
    for path in (path for path in (place / STATES).glob(start_name("*.json")) if path.name not in kept):
        try:
            path.unlink()
        except OSError as e:
            raise StopRun(f"{path}: cannot be removed ({e.strerror})") from None
    write_text(folder.suite, to_yaml(suite_file(folder, spec, labels, figures)))


def withdraw_suite(folder: SuiteFolder, labels: Labels) -> None:
    """Remove the tasks of an earlier session where none can be kept any more; the workplace stays."""
    place = folder.workplaces / labels.workplace
    for path in (folder.suite, place / TASKS_FILE):
        path.unlink(missing_ok=True)
    shutil.rmtree(place / STATES, ignore_errors=True)


def suite_file(folder: SuiteFolder, spec: JobSpec, labels: Labels, figures: object) -> JsonObject:
    """Content of `suite.yaml`."""
    return {
        "format": FORMAT,
        "kind": "suite",
        "name": folder.root.resolve().name,
        "title": labels.scenario,
        "category": labels.category,
        "role": spec.role,
        "domain": labels.domain,
        "created_by": f"worktrial {__version__}",
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "counts": msgspec.to_builtins(figures),
    }
