"""Reading the OccuBench release: tasks, scenarios, workplaces."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from worktrial.errors import DataError, option
from worktrial.language import JsonObject
from worktrial.outside.files import read_bytes
from worktrial.suites.occupations.tool_effects import with_judged_effects
from worktrial.suites.simulated.folder import OWN, is_own, load_own
from worktrial.suites.simulated.tasks import UNKNOWN, Task, TaskSet, rows_of
from worktrial.workplaces.loading import load_workplaces

TASKS = "eval_benchmark_solvable.jsonl"
SCENARIOS = "task_scenario_all_pool.jsonl"
WORKPLACES = "world_model_configs"

# What the release's files call our fields.
_FIELDS = {
    "rubric": "verification_plan",
    "instruction": "agent_instruction",
    "initial_state": "task_initial_state",
    "tools": "action_set_definitions",
    "system_prompt": "world_model_system_prompt",
}
_MISSING = f"Is this the OccuBench release, or a suite? (One has a {OWN})"

_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Row(msgspec.Struct):
    """A line of the task file; a later release may add fields."""

    task_id: int
    difficulty_level: Annotated[int, msgspec.Meta(ge=1, le=3)]
    task_scenario_name: _Text
    agent_instruction: _Text
    env_name: _Text
    verification_plan: _Text
    solution_plan: Any = None


class _Scenario(msgspec.Struct):
    category: _Text
    domain: _Text
    task_scenario_name: _Text


def load_release(folder: Path) -> TaskSet:
    """Tasks of the release in `folder`, or of the suite of one's own where it holds a `suite.yaml`.

    A row whose id is known but whose other fields are damaged becomes a task with a `problem`.

    Raises:
        DataError: the folder or a file is missing or empty, a line is not JSON or not UTF-8, an id is
            missing or occurs twice.
    """
    if not folder.is_dir():
        raise DataError(folder, "no such folder", f"Name the folder of the OccuBench release with {option('data')}")
    if not any(folder.iterdir()):
        raise DataError(folder, "the folder is empty", "Put the OccuBench release into it")
    if is_own(folder):
        return load_own(folder)
    scenarios = _scenarios(folder / SCENARIOS)
    tasks: dict[str, Task] = {}
    for where, row in rows_of(folder / TASKS, folder, _MISSING):
        task = _task(where, row, scenarios)
        if task.id in tasks:
            raise DataError(where, f"task_id: {task.id} occurs a second time", "Remove one of the two lines")
        tasks[task.id] = task
    if not tasks:
        raise DataError(folder / TASKS, "holds no task", "Get the release's file again")
    place = folder / WORKPLACES
    if not place.exists():
        place = folder / f"{WORKPLACES}.jsonl"
    if not place.exists():
        raise DataError(folder / WORKPLACES, "no such folder", f"Get it, or {place.name}, from the release")
    return TaskSet(
        folder,
        list(tasks.values()),
        load_workplaces(place, with_judged_effects),
        _fingerprint(folder, place),
        scenarios,
        tasks_name=TASKS,
        fields=_FIELDS,
    )


def _scenarios(path: Path) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for where, row in rows_of(path, path.parent, _MISSING):
        try:
            scenario = msgspec.convert(row, _Scenario)
        except msgspec.ValidationError as e:
            raise DataError(where, str(e), "Needed: category, domain, task_scenario_name") from None
        found[scenario.task_scenario_name] = scenario.category, scenario.domain
    return found


def _task(where: str, row: JsonObject, scenarios: Mapping[str, tuple[str, str]]) -> Task:
    task_id = row.get("task_id")
    if not isinstance(task_id, int) or isinstance(task_id, bool):
        raise DataError(where, f"task_id: {task_id!r} is not a whole number", "Every task needs its own")
    scenario = str(row.get("task_scenario_name", ""))
    category, domain = scenarios.get(scenario, (UNKNOWN, UNKNOWN))
    try:
        read = msgspec.convert(row, _Row)
    except msgspec.ValidationError as e:
        return Task(str(task_id), 0, scenario, category, domain, "", "", "", problem=f"{where}: {e}")
    return Task(
        id=str(task_id),
        difficulty=read.difficulty_level,
        scenario=scenario,
        category=category,
        domain=domain,
        instruction=read.agent_instruction,
        workplace=read.env_name,
        rubric=read.verification_plan,
        plan=read.solution_plan,
    )


def _fingerprint(folder: Path, workplaces: Path) -> str:
    digest = hashlib.sha256()
    files = sorted(workplaces.glob("env_*.json")) if workplaces.is_dir() else [workplaces]
    for path in (folder / TASKS, folder / SCENARIOS, *files):
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(read_bytes(path, within=folder)).digest())
    return digest.hexdigest()
