"""Tasks in executable workplaces: a folder of workplaces and tasks read, and checked against each other.

A folder holds a folder for each workplace, with `tools.py` (the tools as functions over a typed state),
`workplace.yaml` (rules and meaning of the state), `initial_state.yaml`, maybe `states/NAME.json`, and `tasks.yaml`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError

from worktrial.agents.plan import Plan, plan_problems
from worktrial.errors import DataError
from worktrial.grading.check import Claim
from worktrial.grading.report_checks import report_problems
from worktrial.grading.state_checks import OF_HUMANS, Check
from worktrial.language import JsonObject
from worktrial.outside.files import read_bytes
from worktrial.outside.patches import BadPatch, patched
from worktrial.outside.yaml_files import read_yaml
from worktrial.suites.selection import workplace_tags
from worktrial.workplaces import Workplace
from worktrial.workplaces.duties.human import NOBODY, REQUEST_HUMAN
from worktrial.workplaces.executable import ExecutableSession, ExecutableWorkplace
from worktrial.workplaces.executable.code import CodeSession, CodeWorkplace
from worktrial.workplaces.executable.folder import (
    STATE_FILE,
    WORKPLACE_FILE,
    read_initial_state,
    read_start,
    read_workplace_file,
)
from worktrial.workplaces.executable.report_form import REPORT_TOOL

TASKS_FILE = "tasks.yaml"
HELD = (WORKPLACE_FILE, STATE_FILE, TASKS_FILE)
"""Files of a workplace, beside its code and its other states, on which results depend."""

Home = ExecutableWorkplace | CodeWorkplace
"""An executable workplace: one of ours, or one whose code is somebody else's."""

Trait = Literal["implicit_fault_sensitive", "refuse_or_ask"]
"""Second purpose of a task: whether a degraded answer is noticed, whether what must not be done is left undone."""

Text = Annotated[str, Field(min_length=1)]
M = TypeVar("M", bound=BaseModel)


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class _TaskFields(_Model):
    """Fields of a task that are the same for its author and its runs."""

    id: Text
    difficulty: int
    traits: tuple[Trait, ...] = ()
    instruction: Text
    wordings: tuple[Text, ...] = ()
    """Further instructions, which ask for the same in other words."""
    plan: Plan
    rubric: Text
    human: Text = NOBODY
    """Answer of a human who is asked for, where one can be."""
    clauses: tuple[str, ...] = ()
    """Ids of the clauses of the organisation's papers that decide it."""
    pair: str | None = None
    """Name that it shares with the same task in another language; None where there is none."""


class ExecutableTask(_TaskFields):
    """One task, ready to be set up."""

    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
    difficulty: Annotated[int, Field(ge=1, le=3)]
    checks: Annotated[tuple[Check | InstanceOf[Claim], ...], Field(min_length=1)]
    workplace: Text
    """Name of the workplace."""
    home: Home
    """The workplace itself, in the state that it has before the task's changes."""
    scenario: Text
    category: Text
    domain: Text
    language: Text
    clock: Text
    """Date or time in the workplace, ISO 8601; also the state's `clock`."""
    initial_state: JsonObject
    """State of the workplace with the task's changes, nothing left to defaults."""

    def reworded(self, repeat: int) -> "ExecutableTask":
        """The task in one of its other wordings: in the first for repeat 0, and so on, round and round."""
        return self.model_copy(update={"instruction": self.wordings[repeat % len(self.wordings)]})

    @property
    def plan_alone(self) -> Plan:
        """The plan where no human can be asked."""
        steps = tuple(step for step in self.plan.steps if step.call != REQUEST_HUMAN.name)
        return self.plan.model_copy(update={"steps": steps})

    @property
    def reads(self) -> frozenset[str]:
        """Names of the tools that change nothing, but for the one that hands in the report."""
        return frozenset(t.name for t in self.home.artifact.tools if t.writes is False and t.name != REPORT_TOOL)

    @property
    def tags(self) -> JsonObject:
        """Tags by which results can be grouped."""
        return {**workplace_tags(self), "traits": list(self.traits)}

    @property
    def artifact(self) -> Workplace:
        """The workplace as the agent finds it."""
        return self.home.starting_from(self.initial_state).artifact

    def open(self) -> ExecutableSession | CodeSession:
        """A session that begins in the task's initial state."""
        return self.home.open(self.initial_state)


class _TaskEntry(_TaskFields):
    """A task as its author writes it."""

    checks: tuple[Check, ...]
    language: str | None = None
    clock: str | None = None
    start: str | None = None
    """Initial state that it begins in, of those in `states/`; None for the workplace's own."""
    state: tuple[dict[str, Any], ...] = ()
    """JSON Patch (RFC 6902) that is applied to that initial state."""


class _TaskFile(_Model):
    scenario: Text
    category: Text
    domain: Text
    language: Text
    tasks: Annotated[tuple[_TaskEntry, ...], Field(min_length=1)]


class TaskLibrary:
    """All workplaces and tasks below one folder; each is read once."""

    def __init__(
        self,
        folder: Path,
        read: Callable[[Path], Home],
        *,
        title: str,
        categories: Collection[str] = (),
        usual: Mapping[str, str] | None = None,
    ) -> None:
        """Name a folder; nothing is read yet.

        Args:
            folder: Holds a folder for each workplace.
            read: Reader of the workplace in a folder.
            title: Name of the suite, for messages.
            categories: Industries that a task may be of; empty allows any.
            usual: Fields that a task file may leave out.
        """
        self.folder = folder
        self._read = read
        self._title = title
        self._categories = categories
        self._usual = usual or {}
        self._workplaces: dict[str, Home] = {}
        self._tasks: dict[str, Sequence[ExecutableTask]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the workplaces, in alphabetical order."""
        return sorted(path.parent.name for path in self.folder.glob(f"*/{WORKPLACE_FILE}"))

    def workplace(self, name: str) -> Home:
        """The workplace called `name`.

        Raises:
            DataError: there is no such workplace, or one of its files cannot be used.
        """
        if name not in self._workplaces:
            if not (self.folder / name / WORKPLACE_FILE).is_file():
                known = ", ".join(self.names)
                raise DataError(name, f"is no workplace of the {self._title} suite", f"There are: {known}")
            self._workplaces[name] = self._read(self.folder / name)
        return self._workplaces[name]

    @cached_property
    def tasks(self) -> tuple[ExecutableTask, ...]:
        """All tasks, workplace by workplace.

        Raises:
            DataError: a file or field cannot be used, an id is taken twice, or a plan cannot be followed.
        """
        return _each_once(task for name in self.names for task in self._tasks_in(name))

    def holding(self, ids: Collection[str]) -> tuple[ExecutableTask, ...]:
        """Tasks of as few workplaces as hold all these; all tasks where one of these is no task's id.

        Raises:
            DataError: as `tasks`, for the workplaces that are read.
        """
        words = [one.encode() for one in ids]
        files = ((name, self.folder / name / TASKS_FILE) for name in self.names)
        texts = ((name, path.read_bytes() if path.is_file() else b"") for name, path in files)
        # A file that holds the task holds the word, unless it is escaped there; others may, too.
        likely = [name for name, text in texts if any(word in text for word in words)]
        found = _each_once(task for name in likely for task in self._tasks_in(name))
        return found if words and {*ids} <= {task.id for task in found} else self.tasks

    def _tasks_in(self, name: str) -> Sequence[ExecutableTask]:
        if name not in self._tasks:
            usual = {"scenario": name, **self._usual} if self._usual else {}
            path = self.folder / name / TASKS_FILE
            self._tasks[name] = read_tasks(path, self.workplace(name), self._categories, usual)
        return self._tasks[name]

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the files (names and contents), for the manifest of a run."""
        return files_digest(self.folder, (p for p in self.folder.rglob("*") if p.suffix in (".yaml", ".py")))


def _each_once(tasks: Iterable[ExecutableTask]) -> tuple[ExecutableTask, ...]:
    seen: dict[str, ExecutableTask] = {}
    for task in tasks:
        if task.id in seen:
            raise DataError(task.workplace, f"the task id {task.id} is taken twice")
        seen[task.id] = task
    return tuple(seen.values())


def files_digest(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 over files below a folder, names and contents."""
    digest = sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        digest.update(sha256(read_bytes(path, within=folder)).digest())
    return digest.hexdigest()


def built_in(package: str) -> Callable[[Path], ExecutableWorkplace]:
    """Reader of workplaces that are packages of ours.

    Args:
        package: Name of the folder that holds them, in Python.
    """

    def read(folder: Path) -> ExecutableWorkplace:
        described = read_workplace_file(folder)
        return ExecutableWorkplace.build(
            described.name,
            import_module(f"{package}.{folder.name}.tools"),
            system_prompt=described.system_prompt,
            initial_state=read_initial_state(folder),
            state_description=described.state_description,
            source=str(folder),
            report=described.report,
        )

    return read


def read_tasks(
    path: Path,
    workplace: Home,
    categories: Collection[str] = (),
    usual: Mapping[str, str] | None = None,
) -> list[ExecutableTask]:
    """The tasks in one file.

    Args:
        path: A `tasks.yaml`.
        workplace: Where they take place.
        categories: Industries that they may be of; empty allows any.
        usual: Fields that the file may leave out.

    Raises:
        DataError: names the file and the field that cannot be used.
    """
    given = read_yaml(path, within=path.parent)
    file = _parse(_TaskFile, {**(usual or {}), **given} if isinstance(given, dict) else given, path)
    if categories and file.category not in categories:
        raise DataError(path, f"category: {file.category!r} is none of {', '.join(categories)}")
    where = [f"{path}: tasks[{index}] ({entry.id})" for index, entry in enumerate(file.tasks)]
    starts = {entry.start: read_start(path.parent, entry.start) for entry in file.tasks if entry.start}
    patched = [
        _patched(entry, starts.get(entry.start or "", workplace.artifact.initial_state), place)
        for entry, place in zip(file.tasks, where, strict=True)
    ]
    states = workplace.complete(patched, [f"{place}.state" for place in where])
    return [
        _task(entry, file, place, workplace, state)
        for entry, place, state in zip(file.tasks, where, states, strict=True)
    ]


def _task(entry: _TaskEntry, file: _TaskFile, where: str, workplace: Home, state: JsonObject) -> ExecutableTask:
    artifact = workplace.artifact
    with_human = replace(artifact, tools=(*artifact.tools, REQUEST_HUMAN))
    if problems := plan_problems(entry.plan, with_human):
        raise DataError(f"{where}.plan", "; ".join(problems))
    if any(step.call == REQUEST_HUMAN.name and step.name for step in entry.plan.steps):
        said = f"{REQUEST_HUMAN.name} is not always offered, so no step may use its answer"
        raise DataError(f"{where}.plan", said, "Leave out its `as`")
    if problems := report_problems(entry.checks, artifact):
        raise DataError(f"{where}.checks", "; ".join(problems))
    if all(isinstance(check, OF_HUMANS) for check in entry.checks):
        raise DataError(f"{where}.checks", "all are about asking a human, who is not always there; add another")
    fields = {
        **{name: getattr(entry, name) for name in _TaskFields.model_fields},
        "checks": entry.checks,
        "workplace": workplace.artifact.name,
        "home": workplace,
        "scenario": file.scenario,
        "category": file.category,
        "domain": file.domain,
        "language": entry.language or file.language,
        "clock": state["clock"],
        "initial_state": state,
    }
    return _parse(ExecutableTask, fields, where)


def _patched(entry: _TaskEntry, start: JsonObject, where: str) -> JsonObject:
    try:
        state: JsonObject = patched(start, entry.state)
    except BadPatch as e:
        raise DataError(f"{where}.state", f"does not apply to the workplace's initial state: {e}") from e
    if entry.clock is not None:
        state = {**state, "clock": entry.clock}
    if not isinstance(state.get("clock"), str):
        raise DataError(f"{where}.clock", "neither the task nor the state says what time it is")
    return state


def _parse(model: type[M], value: object, where: object) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as e:
        said = "; ".join(f"{_place(error['loc'])}: {error['msg']}" for error in e.errors())
        raise DataError(where, said) from e


def _place(location: tuple[int | str, ...]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return path.lstrip(".") or "(the whole file)"
