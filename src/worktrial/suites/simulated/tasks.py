"""Tasks in simulated workplaces as one set, and what a run could not use of it."""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import as_json, json_kind, read_bytes
from worktrial.suite import DataReport
from worktrial.suites.selection import workplace_tags
from worktrial.workplaces import Workplace

KIND = "simulated"
"""Name under which suites of one's own with such tasks are registered."""
UNKNOWN = "Unknown"
"""Industry of a task whose scenario the data does not list."""


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a suite."""

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
        """Tags by which results can be grouped."""
        return workplace_tags(self)


@dataclass(frozen=True, slots=True)
class TaskSet:
    """Tasks and their workplaces, as they lie in a folder."""

    folder: Path
    tasks: Sequence[Task]
    workplaces: Mapping[str, Workplace]
    fingerprint: str
    """SHA-256 over the contents of all files that a result depends on."""
    scenarios: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Scenario name to (category, domain)."""
    title: str | None = None
    """Name of a suite of one's own; None for the data of an installed suite."""
    tasks_name: str = "tasks.jsonl"
    """Name of the task file."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """Names in the files for our fields, such as `rubric`, where they are others."""

    @property
    def data(self) -> JsonObject:
        """Origin for manifests: `folder`, `fingerprint` and, for a suite of one's own, `title` and `kind`."""
        named: JsonObject = {} if self.title is None else {"title": self.title, "kind": KIND}
        return {**named, "folder": str(self.folder), "fingerprint": self.fingerprint}

    @property
    def tasks_file(self) -> Path:
        """File in which the tasks stand."""
        return self.folder / self.tasks_name

    @property
    def categories(self) -> list[str]:
        """Industries, in alphabetical order."""
        return sorted({c for c, _ in self.scenarios.values()})

    @property
    def lost(self) -> list[str]:
        """A sentence on each task whose workplace is missing."""
        return [
            f"task {task.id}: its workplace {task.workplace} is missing"
            for task in self.tasks
            if task.problem is None and task.workplace not in self.workplaces
        ]

    def readable(self) -> tuple[dict[str, Workplace], list[str]]:
        """Workplaces that can be read, and a sentence on each that cannot."""
        found, unread = {}, []
        for name in self.workplaces:
            try:
                found[name] = self.workplaces[name]
            except DataError as e:
                unread.append(str(e))
        return found, unread


def check_tasks(tasks: TaskSet) -> DataReport:
    """Load every task and every workplace."""
    return DataReport(
        tasks=len(tasks.tasks),
        scenarios=len(tasks.scenarios),
        workplaces=len(tasks.workplaces),
        fingerprint=tasks.fingerprint,
        categories=dict(sorted(Counter(task.category for task in tasks.tasks).items())),
        problems=[*(t.problem for t in tasks.tasks if t.problem), *tasks.lost, *tasks.readable()[1]],
        notes=_notes(tasks),
    )


def _notes(tasks: TaskSet) -> list[str]:
    notes = []
    idle = tasks.scenarios.keys() - {task.scenario for task in tasks.tasks}
    if idle:
        notes.append(f"scenarios without a task: {', '.join(sorted(idle))}")
    strays = tasks.workplaces.keys() - {task.workplace for task in tasks.tasks}
    if strays:
        notes.append(f"{len(strays)} workplaces belong to no task")
    homeless = sorted({task.scenario for task in tasks.tasks if task.category == UNKNOWN})
    if homeless:
        notes.append(f"scenarios missing from the pool, so without an industry: {', '.join(homeless)}")
    if not any(task.plan for task in tasks.tasks):
        notes.append("no task has a solution plan")
    return notes


def rows_of(path: Path, folder: Path, missing: str = "Check the path") -> Iterator[tuple[str, JsonObject]]:
    """`(file:line, row)` for each line of a JSONL file; blank lines are passed over.

    Args:
        path: The file.
        folder: Folder that it was found in, and must lie in.
        missing: What to do where there is none, for the message.

    Raises:
        DataError: there is no such file, or a line is no JSON object or not UTF-8.
    """
    if not path.exists():
        raise DataError(path, "no such file", missing)
    for number, line in enumerate(read_bytes(path, within=folder).removeprefix(BOM_UTF8).split(b"\n"), 1):
        if line.strip():
            where = f"{path}:{number}"
            row = as_json(line, where)
            if not isinstance(row, dict):
                raise DataError(where, f"holds a JSON {json_kind(row)}, not an object", "Each line is one object")
            yield where, row
