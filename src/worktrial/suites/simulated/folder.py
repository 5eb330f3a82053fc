"""A suite of one's own: a folder with tasks and workplaces that a model plays.

    suite.yaml     format: 1, kind: suite, name; optionally `tasks` (the task file), industry, domain; the rest is
                   for people
    tasks.jsonl    one object a line: id, instruction, rubric, workplace; optionally plan, category, domain,
                   scenario, difficulty, language
    workplaces/    a folder for each workplace in our own format, called as tasks call it

What else lies in the folder (`work/`, records of calibration) is no part of the suite.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, Self

import msgspec
from pydantic import BeforeValidator

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.language.untrusted import plain_name
from worktrial.options import Flag, Options
from worktrial.outside.files import files_fingerprint
from worktrial.outside.yaml_files import read_yaml
from worktrial.suite import Suite
from worktrial.suites.simulated.suite import SimulatedOptions, SimulatedSuite
from worktrial.suites.simulated.tasks import Task, TaskSet, rows_of
from worktrial.workplaces.loading import Workplaces, load_workplaces

OWN = "suite.yaml"
"""File that makes a folder a suite of one's own."""
FORMAT = 1
TASKS = "tasks.jsonl"
WORKPLACES = "workplaces"

_Text = Annotated[str, msgspec.Meta(pattern=r"\S")]


class SuiteFile(msgspec.Struct, kw_only=True):
    """`suite.yaml`; what is not named here is for people."""

    kind: Literal["suite"]
    name: _Text
    tasks: _Text = TASKS
    title: str = ""
    role: str = ""
    industry: str = ""
    category: str = ""
    """The industry, as executable suites call it."""
    domain: str = ""

    @property
    def short_name(self) -> str:
        """The name as commands, records and paths have it: letters, digits, dots and dashes."""
        return plain_name(self.name, otherwise="suite")


class _Step(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """One call of a plan."""

    tool: _Text
    arguments: dict[str, Any] = {}
    why: str = ""


class _Row(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A line of the task file. What it does not say is the suite's, or the simplest."""

    id: _Text
    instruction: _Text
    rubric: _Text
    workplace: _Text
    category: str = ""
    domain: str = ""
    scenario: str = ""
    difficulty: Annotated[int, msgspec.Meta(ge=1, le=3)] = 1
    language: _Text = "en"
    plan: list[_Step] | dict[str, Any] | str | None = None


def is_own(folder: Path) -> bool:
    """Whether a folder holds a suite of one's own."""
    return (folder / OWN).is_file()


def load_own(folder: Path) -> TaskSet:
    """Tasks of the suite in `folder`.

    Raises:
        DataError: a file or a field is missing or cannot be used, an id occurs twice, or a task's workplace is
            not there.
    """
    suite = read_suite_file(folder)
    file = _inside(folder, suite.tasks)
    place = folder / WORKPLACES
    if not place.is_dir():
        raise DataError(place, "no such folder", "Put a folder for each workplace into it")
    workplaces = load_workplaces(place)
    tasks: dict[str, Task] = {}
    for where, row in rows_of(file, folder, f"Write it, or name the task file in {OWN}"):
        task = _task(where, row, suite)
        if task.id in tasks:
            raise DataError(where, f"id: {task.id} occurs a second time", "Give every task an id of its own")
        if task.workplace not in workplaces:
            what = f"workplace: there is no {place / task.workplace}"
            raise DataError(where, what, f"Name one of the {len(workplaces)} folders there")
        tasks[task.id] = task
    if not tasks:
        raise DataError(file, "holds no task", "Add one object a line")
    scenarios = {task.scenario: (task.category, task.domain) for task in tasks.values()}
    return TaskSet(
        folder=folder,
        tasks=list(tasks.values()),
        workplaces=workplaces,
        fingerprint=_fingerprint(folder, file, workplaces),
        scenarios=scenarios,
        title=suite.name,
        tasks_name=suite.tasks,
    )


def _refuse(value: Any) -> Any:
    if value is not None:
        raise ValueError("the folder has its own data; leave the option out")
    return value


class OwnData(Options):
    """Data of a suite of one's own: nothing has to be said."""

    data: Annotated[None, BeforeValidator(_refuse), Flag(neutral=True, metavar="DIR")] = None
    """Refused: the folder has its own data."""


class OwnOptions(SimulatedOptions, OwnData):
    """Options of a run of a suite of one's own."""


class FolderSuite(Suite):
    """A suite of one's own in a folder. Its runs are kept under its own name."""

    def __init__(self, folder: Path, file: SuiteFile) -> None:
        """Name a folder.

        Args:
            folder: Holds tasks and workplaces; it is read when these are asked for.
            file: Contents of its `suite.yaml`.
        """
        self.root = folder
        self.file = file
        self.name = file.short_name  # type: ignore[misc]
        self.about = file.title or file.name  # type: ignore[misc]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """The suite in a folder; see `SuiteKind.read`."""
        return cls(folder, read_suite_file(folder))

    @classmethod
    def of_object(cls, found: object, place: str) -> None:
        """Nothing: suites of this kind are folders; see `SuiteKind.of_object`."""

    @classmethod
    def of_runs(cls, name: str) -> Self:
        """The suite as its runs need it; see `SuiteKind.of_runs`."""
        return cls(Path(name), SuiteFile(kind="suite", name=name))

    @property
    def title(self) -> str:
        """Name of the suite, from its `suite.yaml`."""
        return self.file.name


class OwnSuite(FolderSuite, SimulatedSuite):
    """A suite of one's own whose workplaces a model plays."""

    options = OwnOptions
    data = OwnData
    needs = "a simulator model, a judge model"
    marker = OWN

    def load(self, data: Any) -> TaskSet:
        """Tasks in the folder; see `SimulatedSuite.load`."""
        return load_own(self.root)


def read_suite_file(folder: Path) -> SuiteFile:
    """The `suite.yaml` in `folder`.

    Raises:
        DataError: it is missing, or a field is, or cannot be used.
    """
    path = folder / OWN
    fields = read_yaml(path, within=folder)
    if not isinstance(fields, dict):
        raise DataError(path, "holds no mapping of fields", f"Begin with `format: {FORMAT}` and `kind: suite`")
    found = fields.get("format")
    if found != FORMAT or isinstance(found, bool):
        newer = isinstance(found, int) and found > FORMAT
        fix = "Use a newer worktrial" if newer else f"Add `format: {FORMAT}`"
        raise DataError(path, f"format is {found!r}, and this version reads {FORMAT}", fix)
    try:
        return msgspec.convert(fields, SuiteFile)
    except msgspec.ValidationError as e:
        raise DataError(path, _said(e), "Needed: format, kind: suite, name") from None


def _task(where: str, row: JsonObject, suite: SuiteFile) -> Task:
    try:
        read = msgspec.convert(row, _Row)
    except msgspec.ValidationError as e:
        needed = "Needed: id, instruction, rubric, workplace. A step of a plan has tool, arguments, why"
        raise DataError(where, _said(e), needed) from None
    category = read.category or suite.industry or suite.name
    return Task(
        id=read.id,
        difficulty=read.difficulty,
        scenario=read.scenario or read.workplace,
        category=category,
        domain=read.domain or suite.domain or suite.role or category,
        instruction=read.instruction,
        workplace=read.workplace,
        rubric=read.rubric,
        plan=_plan(read.plan),
        language=read.language,
    )


def _plan(plan: list[_Step] | dict[str, Any] | str | None) -> JsonValue:
    """A plan as it is shown to an agent, without reasons that were not given."""
    if not isinstance(plan, list):
        return plan
    why = ("tool", "arguments", "why")
    return [{name: getattr(step, name) for name in why if name != "why" or step.why} for step in plan]


def _inside(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or ":" in name:
        raise DataError(folder / OWN, f"tasks: {name!r} lies outside of the suite", "Name a file in the folder")
    return folder / parts


def _fingerprint(folder: Path, tasks: Path, workplaces: Workplaces) -> str:
    """SHA-256 over what a result depends on: not `suite.yaml`, so a new record of counts changes nothing."""
    files = [tasks, *(file for name in workplaces for file in _files(folder / WORKPLACES / name))]
    try:
        return files_fingerprint(folder, files)
    except OSError as e:
        raise DataError(e.filename or folder, f"cannot be read ({e.strerror})", "Check the file") from e


def _files(place: Path) -> Iterator[Path]:
    for path in [place] if place.is_file() else place.rglob("*"):
        below = path.relative_to(place).parts
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in below):
            yield path


def _said(error: msgspec.ValidationError) -> str:
    """Message with the field first, as the other messages have it."""
    said, _, path = str(error).partition(" - at `$")
    field = path.rstrip("`").lstrip(".")
    return f"{field}: {said[:1].lower()}{said[1:]}" if field else said
