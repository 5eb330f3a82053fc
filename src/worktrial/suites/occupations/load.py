"""Reading the OccuBench release: tasks, scenarios, workplaces."""

import hashlib
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Workplace
from worktrial.workplaces.loading import load_workplaces
from worktrial.workplaces.loading.files import as_json, json_kind, read_bytes

TASKS = "eval_benchmark_solvable.jsonl"
SCENARIOS = "task_scenario_all_pool.jsonl"
WORKPLACES = "world_model_configs"
UNKNOWN = "Unknown"
OWN = "suite.yaml"
"""What makes a folder a suite of one's own."""

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


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the suite."""

    id: str
    difficulty: int
    scenario: str
    category: str
    domain: str
    instruction: str
    workplace: str
    rubric: str
    plan: JsonValue = None
    language: str = "en"
    problem: str | None = None
    """Why the task cannot be set up; its sample is then `invalid`."""

    @property
    def tags(self) -> JsonObject:
        """What results can be grouped by."""
        return {
            "category": self.category,
            "domain": self.domain,
            "scenario": self.scenario,
            "difficulty": self.difficulty,
            "workplace": self.workplace,
            "language": self.language,
        }


@dataclass(frozen=True, slots=True)
class Release:
    """A release of the benchmark in a folder, or a suite of one's own."""

    folder: Path
    tasks: Sequence[Task]
    workplaces: Mapping[str, Workplace]
    fingerprint: str
    """SHA-256 over the contents of all its files."""
    scenarios: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Scenario name to (category, domain)."""
    title: str | None = None
    """What a suite of one's own is called."""
    tasks_name: str = TASKS

    @property
    def data(self) -> JsonObject:
        """How records name where the data came from."""
        named: JsonObject = {} if self.title is None else {"title": self.title}
        return {**named, "folder": str(self.folder), "fingerprint": self.fingerprint}

    @property
    def tasks_file(self) -> Path:
        """Where the tasks stand."""
        return self.folder / self.tasks_name

    @property
    def categories(self) -> list[str]:
        """The industries, in alphabetical order."""
        return sorted({c for c, _ in self.scenarios.values()})


def is_own(folder: Path) -> bool:
    """Whether a folder holds a suite of one's own rather than the benchmark's release."""
    return (folder / OWN).is_file()


def load_release(folder: Path) -> Release:
    """The release in `folder`, or the suite of one's own where it holds a `suite.yaml`.

    A row whose id is known but whose other fields are damaged becomes a task with a `problem`.

    Raises:
        DataError: the folder or a file is missing or empty, a line is not JSON or not UTF-8, an id is
            missing or occurs twice.
    """
    if not folder.is_dir():
        raise DataError(folder, "no such folder", "Name the folder of the OccuBench release with --data")
    if not any(folder.iterdir()):
        raise DataError(folder, "the folder is empty", "Put the OccuBench release into it")
    if is_own(folder):
        from worktrial.suites.occupations.own import load_own

        return load_own(folder)
    scenarios = _scenarios(folder / SCENARIOS)
    tasks: dict[str, Task] = {}
    for where, row in rows_of(folder / TASKS):
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
    workplaces = load_workplaces(place)
    return Release(folder, list(tasks.values()), workplaces, _fingerprint(folder, place), scenarios)


def rows_of(path: Path) -> Iterator[tuple[str, JsonObject]]:
    """`(file:line, row)` for each line; blank lines are passed over."""
    if not path.exists():
        raise DataError(path, "no such file", f"Is this the OccuBench release, or a suite? (One has a {OWN})")
    for number, line in enumerate(read_bytes(path).removeprefix(BOM_UTF8).split(b"\n"), 1):
        if line.strip():
            where = f"{path}:{number}"
            row = as_json(line, where)
            if not isinstance(row, dict):
                raise DataError(where, f"holds a JSON {json_kind(row)}, not an object", "Each line is one object")
            yield where, row


def _scenarios(path: Path) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for where, row in rows_of(path):
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
        digest.update(path.name.encode() + b"\0" + hashlib.sha256(read_bytes(path)).digest())
    return digest.hexdigest()
