"""The contract of a suite, and the registry of everything that can be plugged in.

A suite is one object. It is registered under the entry-point group `worktrial.suites`, or lies in a folder of one's
own. Command line, Python, pytest, lists, lints, validation, regrading, comparisons and reports know suites through
this page alone.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.engine.trial import Trial
from worktrial.errors import DataError, SettingError, WorktrialError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.options import Options, RunOptions, with_roles
from worktrial.registry import Registry, what_there_is

if TYPE_CHECKING:  # what the optional parts are about lies above this page
    from rich.console import RenderableType

    from worktrial.agents.assignment import Solution
    from worktrial.agents.candidates import Candidate
    from worktrial.engine.manifest import Manifest
    from worktrial.engine.pairing import SamplePair
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.run_plan import RunSettings
    from worktrial.engine.stored import StoredRun
    from worktrial.finding import Findings
    from worktrial.reports.report import Report, Section
    from worktrial.statistics import Change, Figure
    from worktrial.workplaces import Workplace
    from worktrial.workplaces.retracing import Retracing


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task as lists show it."""

    id: str
    difficulty: str = "-"
    category: str = "-"
    scenario: str = ""
    """One line on what it is about."""


@dataclass(frozen=True, slots=True)
class DataReport:
    """Contents of a suite's data, and what is wrong with them."""

    tasks: int
    scenarios: int
    workplaces: int
    fingerprint: str
    categories: Mapping[str, int]
    """Industry to number of tasks."""
    problems: Sequence[str]
    """A sentence on each thing that makes at least one sample `invalid`."""
    notes: Sequence[str]
    """Sentences on things that are worth knowing and harmless to a run."""


class Baseline(StrEnum):
    """Side of its suite that a reference agent shows."""

    ORACLE = "oracle"  # it knows the solution
    IDLE = "idle"  # it does nothing
    RANDOM = "random"  # it calls tools without understanding
    SIMPLE = "simple"  # it works by a simple rule


@dataclass(frozen=True, slots=True)
class ReferenceAgent:
    """An agent without a model that ships with a suite, to show its floor or its ceiling."""

    about: str
    """Half a sentence on what it does."""
    must: Outcome | None = None
    """Outcome that it must have on every task for the suite to be valid; None if any will do."""
    make: "Callable[[Solution], Any] | None" = None
    """Makes the agent of one sample; None where the suite's trial knows it by name."""
    kind: Baseline = Baseline.SIMPLE


@dataclass(frozen=True, slots=True)
class SampleScore:
    """A number that every sample with a verdict has, and that tells agents apart where passing says too little."""

    of: "Callable[[SampleRecord], float | None]"
    """Score of a sample; None where it has none."""
    low: float = 0.0
    """Least that it can be; the most is 1."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Outcome of a suite's own proof that its tasks are fair: figures by row, and what is wrong."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    findings: "Findings"


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture of a page that a stored call was about."""

    name: str
    """Name that its suite reads; it stands in addresses."""
    caption: str
    """Half a sentence on what it shows."""


class Album(Protocol):
    """Pictures that a suite can draw of what its stored calls were about."""

    def of_calls(self, line: bytes) -> Mapping[int, Sequence[PagePicture]]:
        """Pictures by the index of their call; under -1 those of the answer.

        Args:
            line: JSON of a trajectory, as it is stored.
        """
        ...

    def draw(self, name: str) -> bytes:
        """One picture as a PNG.

        Args:
            name: Of a `PagePicture`.

        Raises:
            KeyError: no picture is called so.
            DataError: there is no such page, or its file is gone.
        """
        ...


class Suite(ABC):
    """A set of tasks and how to run, judge and show them.

    Only `name`, `about`, `options`, `tasks` and `trial` have to be given. Imports that take long belong into
    methods: the object itself is made whenever something is listed.
    """

    name: ClassVar[str]
    """Name that one writes after `worktrial run`; also in every record."""
    about: ClassVar[str]
    """One line on what it is."""
    needs: ClassVar[str] = "nothing"
    """Things that have to be given for it to run, beside an agent."""
    example: ClassVar[str] = ""
    """Options of a first run, such as `--agent plan`; for help texts."""
    options: ClassVar[type[RunOptions]]
    """Every option of a run."""
    data: ClassVar[type[Options]] = Options
    """The part of `options` that says where tasks come from; what lists and lints are given."""
    beside: ClassVar[type[Options]] = Options
    """Options of `worktrial show`: figures that a run can be shown beside."""
    roles: ClassVar[Sequence[Role]] = (Role.AGENT,)
    """Roles that models may play."""
    score: ClassVar[SampleScore | None] = None
    """Score by which agents are compared; None where that is whether they pass. Its figure is `score`."""
    reference_agents: ClassVar[Mapping[str, ReferenceAgent]] = {}
    """Agents that ship with the suite, by the name that one writes after `--agent`."""
    unproven: ClassVar[str] = "none of its agents has an outcome that is known beforehand"
    """Why no reference agent must pass or fail, where none must; `worktrial validate` says it."""
    card_scores: ClassVar[Sequence[str]] = ()
    """Names of own figures that are read as scores: the card tells them of agents that do no work."""
    on_card: ClassVar[Mapping[str, str]] = {}
    """Sentences for the trust card by the name of a point: what only the suite knows, or why it does not apply."""
    assignments: ClassVar[bool] = True
    """Whether an agent works on `Assignment`s, call by call, so that it may be driven from outside."""
    viewer: ClassVar[Sequence[Path]] = ()
    """Scripts and style sheets of the viewer for what only samples of this suite have, of names that are unique."""
    data_file: ClassVar[str | None] = None
    """File by which a folder that holds the suite's data is known; None where there is no such file."""

    @property
    def title(self) -> str:
        """Name that people know it by; for a suite that is installed its `name`."""
        return self.name

    @abstractmethod
    def tasks(self, data: Any) -> Sequence[TaskRow]:
        """All tasks, in their own order.

        Args:
            data: An instance of `self.data`.

        Raises:
            SettingError: an option is missing.
            DataError: the data cannot be read.
        """

    @abstractmethod
    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> Trial:
        """The suite made ready to run.

        Args:
            options: An instance of `every_option`.
            agent: Who takes the trial.
            models: Who plays which role; what `self.models` returned.

        Raises:
            SettingError: the options do not fit together.
            DataError: the data cannot be read.
        """

    @property
    def every_option(self) -> type[RunOptions]:
        """`options` with those of every role, such as `judge_base_url`."""
        return _every_option(self.options, tuple(role.value for role in self.roles))

    def models(self, options: Any, agent: "Candidate") -> Mapping[RoleName, RoleSettings]:
        """Models of a run by role; here the agent's alone, if it needs one.

        Raises:
            SettingError: a role has no model, or its settings cannot be read.
        """
        from worktrial.engine.role_values import settings_for

        if not agent.needs_model:
            return {}
        return {Role.AGENT: settings_for(Role.AGENT, agent.spec, options.model_dump())}

    def notices(self, options: Any, trial: Trial) -> Iterable[str]:
        """Tell the user what to know before `trial` starts, such as what is left out; a line each.

        Args:
            options: An instance of `every_option`.
            trial: What `self.trial` returned for them.
        """
        return ()

    def pace(self, options: Any, trial: Trial, settings: "RunSettings") -> "RunSettings":
        """`settings` with the concurrency that suits the suite; here as they are."""
        return settings

    def tables(self, run: "StoredRun", beside: Any) -> "Iterable[RenderableType]":
        """Render what only this suite's runs have to show on a terminal, after the completion rate.

        Args:
            run: Stored run of this suite.
            beside: An instance of `self.beside`.
        """
        return ()

    def trajectory(self, line: JsonObject, record: "SampleRecord | None") -> "Iterable[RenderableType] | None":
        """A sample's work for the terminal; None to show it as calls in a workplace."""
        return None

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome that a record's own grounds amount to, a budget apart; None where they do not say."""
        return None

    def figures(self, run: "StoredRun") -> "Sequence[Figure]":
        """Figures that only this suite has, with intervals at 95 %."""
        return ()

    def changes(self, pairs: "Sequence[SamplePair]", *, confidence: float) -> "Iterable[Change]":
        """Differences of the suite's own figures between two runs.

        Args:
            pairs: Same samples in both runs, of one condition, with two verdicts.
            confidence: Level of the intervals, 0-1.
        """
        return ()

    def report_sections(self, report: "Report") -> "Iterable[Section]":
        """Parts of a report's first page about the runs of this suite in `report`."""
        return ()

    def published(self, report: "Report") -> Iterable[Any]:
        """Markup of what others published about the same tasks, beside the runs of this suite in `report`."""
        return ()

    def lint(self, data: Any) -> "Findings":
        """Find what runs, and yet misleads.

        Raises:
            SettingError: the suite has nothing to lint, or an option is missing.
        """
        raise SettingError(f"{self.name}: has no lint")

    def proof(self, given: Mapping[str, Any]) -> Proof | None:
        """Prove that the tasks are fair, where reference agents on each of them do not; None where they do.

        Args:
            given: Values of `self.data` by field name; None is not given.

        Raises:
            SettingError: an option cannot be read.
            DataError: the data cannot be read.
        """
        return None

    def explained(self, given: Mapping[str, Any]) -> Iterable[str]:
        """Lines about what is right in drawn tasks, and why, for their author.

        Args:
            given: Values of `self.data` by field name; None is not given.

        Raises:
            SettingError: the suite draws no tasks, or an option cannot be read.
            DataError: the data cannot be read.
        """
        raise SettingError(f"{option('explain')}: {self.title} draws no tasks that could be explained")

    def data_report(self, data: Any) -> DataReport:
        """Take stock of the data, and of what in it cannot be used.

        Raises:
            SettingError: the suite has no data of a user's to look at, or an option is missing.
            DataError: nothing could run.
        """
        raise SettingError(f"{self.name}: has no data that could be checked")

    def grader(self, run: "StoredRun", data: Any, judging: Mapping[str, Any], models: Iterable[RoleName]) -> Any:
        """Make a `suites.regrade.Grader`, which judges stored work again.

        Args:
            run: Whose work.
            data: An instance of `self.data`.
            judging: Fields of `JudgingOptions`.
            models: Roles that have a model; the judge's, if one was named.

        Raises:
            SettingError: there is no work to judge again, or something is missing.
        """
        raise SettingError(f"{run.folder}: work of the suite {self.name} cannot be judged again")

    def workplaces(self, data: Any) -> "Callable[[str], tuple[Workplace, str]]":
        """Function from a task's id to its workplace, as the task begins, and its instruction; for audits.

        Raises:
            SettingError: the suite's samples are not calls in a workplace.
        """
        raise SettingError(f"{self.name}: has no workplaces to check against")

    def fingerprint(self, data: Any) -> str:
        """Fingerprint of the data, as manifests of its runs hold it; "" where it comes with the installed suite.

        Args:
            data: An instance of `self.data`.
        """
        return ""

    def retracing(self, run: "StoredRun") -> "Retracing | None":
        """Means to tell what each stored call changed in its workplace; None where that cannot be told.

        Args:
            run: Stored run of this suite.
        """
        return None

    def album(self, run: "StoredRun") -> "Album | None":
        """Pictures of what stored calls were about; None where there are none, or where they are not at hand.

        Args:
            run: Stored run of this suite.
        """
        return None


@cache
def _every_option(options: type[RunOptions], roles: tuple[str, ...]) -> type[RunOptions]:
    return with_roles(options, roles)


class _Suites(Registry[Suite]):
    """Suites by name; what is registered may be any object that a kind of suites knows."""

    def get(self, name: str) -> Suite:
        """The suite that is registered as `name`; see `Registry.get`."""
        return as_suite(super().get(name))


suites = _Suites("worktrial.suites", "suite")
"""Suites that are installed."""
audits: "Registry[Suite]" = Registry("worktrial.audits", "audit")
"""Audits that are installed: their runs are shown and reported as those of suites, but no list offers them."""
checks: "Registry[Callable[[Any], Findings]]" = Registry("worktrial.checks", "set of checks")
"""More checks of tasks in simulated workplaces; each is a function of a `suites.simulated.tasks.TaskSet`."""


class SuiteKind(Protocol):
    """A kind of folder that is a suite of one's own. Its registered name is the `kind` in `data` of manifests."""

    marker: ClassVar[str]
    """Pattern of the files that mark such a folder; "" for a kind that lies in none."""

    def read(self, folder: Path) -> Suite:
        """The suite in a folder.

        Raises:
            DataError: its `suite.yaml` cannot be used.
        """
        ...

    def of_object(self, found: object, place: str) -> Suite | None:
        """The suite that an object of Python's is; None where it is of another kind.

        Args:
            found: The object.
            place: `FILE.py:NAME` by which it was named; "" where it was not.
        """
        ...

    def of_runs(self, name: str) -> Suite:
        """The suite as its runs need it to be shown, compared and exported; its folder may be gone.

        Args:
            name: Name of the suite in a manifest.
        """
        ...


kinds: "Registry[SuiteKind]" = Registry("worktrial.kinds", "kind of suite")
"""Kinds of suites of one's own."""


def as_suite(found: object, place: str = "") -> Suite:
    """The suite that an object is: itself, or what one of the kinds of suites makes of it.

    Args:
        found: The object.
        place: `FILE.py:NAME` by which it was named; "" where it was not.

    Raises:
        SettingError: it is none.
    """
    if isinstance(found, Suite):
        return found
    for kind in kinds.all():
        made = kind.of_object(found, place)
        if made is not None:
            return made
    raise SettingError(f"{found!r} is no suite: name one, or give a worktrial.Workplace")


def find_suite(word: str | Path) -> Suite:
    """The suite that `word` names: one that is installed, `FILE.py:NAME`, or the folder of one's own.

    Raises:
        SettingError: there is no such suite.
        DataError: it is a folder, or looks like the path of one, and holds no suite.
    """
    if (installed := _installed(str(word))) is not None:
        return installed
    if (written := _written(str(word))) is not None:
        return written
    folder = Path(word)
    if (own := _own(folder)) is not None:
        return own
    if folder.is_dir():
        marks = " or ".join(kind.marker for kind in reversed(_by_marker()))
        raise DataError(folder, f"has no {marks}", _how_to_run(folder))
    if isinstance(word, Path) or word.startswith(".") or "/" in word or os.sep in word:
        raise DataError(folder, "no such folder", "Check the path")
    raise SettingError(f"no suite {word!r}; {what_there_is(word, suites.names)}")


def find_suite_of(manifest: "Manifest") -> Suite:
    """Suite of a stored run, with its tasks, such as the folder of one's own that it was made from.

    Raises:
        SettingError: there is none.
        DataError: the folder is not there, or cannot be read.
    """
    if not manifest.is_own or is_audit(manifest):
        return _of_runs(manifest)
    if (installed := _installed(manifest.suite)) is not None:
        return installed
    if (written := _written(str(manifest.data.get("folder")))) is not None:
        return written
    folder = Path(str(manifest.data.get("folder")))
    if (own := _own(folder)) is not None:
        return own
    what = f"the folder of the suite {manifest.title}, is not there any more"
    raise DataError(folder, what, f"Put it back, or say where it lies with {option('data')} DIR")


def suite_of(manifest: "Manifest") -> Suite | None:
    """Suite of a stored run as it takes to show it, without its tasks; None where it is not installed here."""
    try:
        return _of_runs(manifest)
    except WorktrialError:
        return None


def is_audit(manifest: "Manifest") -> bool:
    """Whether a stored run is an audit, which says nothing about an agent."""
    return manifest.suite in audits.names


def _of_runs(manifest: "Manifest") -> Suite:
    kind = manifest.data.get("kind")
    # What was audited may have been a folder of one's own.
    if isinstance(kind, str) and kind in kinds.names and not is_audit(manifest):
        return kinds.get(kind).of_runs(manifest.suite)
    if (installed := _installed(manifest.suite)) is not None:
        return installed
    raise SettingError(f"no suite {manifest.suite!r}; {what_there_is(manifest.suite, suites.names)}")


def _installed(name: str) -> Suite | None:
    found = next((registry for registry in (suites, audits) if name in registry.names), None)
    return None if found is None else found.get(name)


def _written(word: str) -> Suite | None:
    """Suite that `FILE.py:NAME` names; None where the word is written otherwise."""
    file, _, name = word.rpartition(":")
    if not file.endswith(".py") or not name.isidentifier():
        return None
    from worktrial.agents.own_callable import own_module

    module = own_module(file, Path())
    if not hasattr(module, name):
        raise SettingError(
            f"{file} has no {name!r}; {what_there_is(name, [n for n in vars(module) if n[0] != '_'])}"
        )
    return as_suite(getattr(module, name), place=f"{Path(file).resolve()}:{name}")


def _own(folder: Path) -> Suite | None:
    """Suite in a folder of one's own; of several kinds that it may be, the one whose mark says most."""
    for kind in _by_marker():
        if any(path.is_file() for path in folder.glob(kind.marker)):
            own = kind.read(folder)
            if own.name in {*suites.names, *audits.names}:
                what = f"name: {own.name} is the name of a suite that is installed"
                raise DataError(folder / "suite.yaml", what, "Give yours another")
            return own
    return None


def _by_marker() -> list[SuiteKind]:
    return sorted((kind for kind in kinds.all() if kind.marker), key=lambda kind: len(kind.marker), reverse=True)


def _how_to_run(folder: Path) -> str:
    """Advise on a folder that is no suite: it may hold the data of one."""
    for suite in suites.all():
        if suite.data_file is not None and (folder / suite.data_file).exists():
            return f"It holds the data of another suite: worktrial run {suite.name} {option('data')} {folder}"
    return "Name the folder of a finished suite; `worktrial synthesize` makes them"
