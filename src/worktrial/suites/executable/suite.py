"""Base of a suite whose workplaces are executable. It needs a name, a line about itself, and a folder."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from hashlib import sha256
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import DataError
from worktrial.finding import Findings
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.options import (
    AgentOptions,
    CategoryOptions,
    ContextOptions,
    EndpointOptions,
    FaultOptions,
    Flag,
    HumanOptions,
    JudgingOptions,
    LimitOptions,
    Options,
    OwnAgentOptions,
    PromptOptions,
    RunOptions,
    WordingOptions,
)
from worktrial.suite import Suite, TaskRow
from worktrial.suites.reference import careful_agent, greedy_agent, idle_agent, plan_agent, spam_agent
from worktrial.trial.settings import judging_of, models_of, work_fields

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.stored import StoredRun
    from worktrial.engine.trial import Trial
    from worktrial.suites.executable.tasks import ExecutableTask, TaskLibrary
    from worktrial.workplaces import Workplace
    from worktrial.workplaces.faults import Position
    from worktrial.workplaces.retracing import Retracing

_FILES = {"tools": "tools.py", "initial_state": "initial_state.yaml"}


class ExecutableOptions(
    CategoryOptions,
    JudgingOptions,
    FaultOptions,
    WordingOptions,
    RunOptions,
    LimitOptions,
    EndpointOptions,
    AgentOptions,
    ContextOptions,
    OwnAgentOptions,
    HumanOptions,
    PromptOptions,
):
    """Options of a run in executable workplaces."""

    judge: Annotated[str | None, Flag("Who takes part", common=True, neutral=True, metavar="MODEL")] = None
    """Model that judges by the rubric, too; the checks decide."""


class ExecutableSuite(Suite):
    """A suite of executable workplaces: every task has a plan that solves it, and checks of the final state."""

    options: ClassVar[type[ExecutableOptions]] = ExecutableOptions
    roles = (Role.AGENT, Role.JUDGE)
    reference_agents: ClassVar = {
        "plan": plan_agent(must=Outcome.PASS),
        "careful": careful_agent(),
        "greedy": greedy_agent(),
        "idle": idle_agent(must=Outcome.FAIL),
        "spam": spam_agent(must=Outcome.FAIL),
    }
    on_card: ClassVar[Mapping[str, str]] = {
        "judge": "does not apply: checks of state and answer decide; a judge's votes are only kept beside them",
        "simulator": "does not apply: code plays the workplaces",
        "held_out": "as much as is kept to oneself: tasks, plans and checks lie in one folder",
    }

    folder: ClassVar[Path]
    """Folder that holds a package for each workplace; see `worktrial.suites.executable.tasks`."""
    package: ClassVar[str]
    """Name of that folder as a Python package."""
    categories: ClassVar[Collection[str]] = ()
    """Industries that a task may be of; empty allows any."""
    quick_calls: ClassVar[bool] = True
    """Whether calls are carried out in our own process, on states of a few kilobytes."""

    @cached_property
    def library(self) -> "TaskLibrary":
        """The suite's workplaces and tasks."""
        from worktrial.suites.executable.tasks import TaskLibrary, built_in

        return TaskLibrary(self.folder, built_in(self.package), title=self.name, categories=self.categories)

    def library_of(self, data: Any) -> "TaskLibrary":
        """The suite's workplaces and tasks, read as `data` says; here as they are.

        Args:
            data: Options that have the fields of `self.data`.
        """
        return self.library

    def load_tasks(self) -> "Sequence[ExecutableTask]":
        """All tasks, ready to be set up.

        Raises:
            DataError: a file or a field cannot be used.
        """
        return self.library.tasks

    def tasks_of(self, data: Any) -> "Sequence[ExecutableTask]":
        """All tasks, read as `data` says; here as `load_tasks` gives them.

        Args:
            data: Options that have the fields of `self.data`.
        """
        return self.load_tasks()

    def candidates(self, options: Any) -> "Sequence[ExecutableTask]":
        """Tasks from which a run chooses: all, so that whoever writes them hears what is wrong in any.

        Args:
            options: An instance of `self.options`.
        """
        return self.tasks_of(options)

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome by the checks; see `Suite`."""
        passed = {check.passed for check in record.checks}
        return Outcome.FAIL if False in passed else Outcome.PASS if passed == {True} else None

    @property
    def source(self) -> JsonObject:
        """Origin of the tasks for manifests: `folder` and `fingerprint`; of no folder, the suite's file."""
        if not hasattr(self, "folder"):
            file = Path(getfile(type(self)))
            return {"folder": self.name, "fingerprint": sha256(file.read_bytes()).hexdigest()}
        return {"folder": "built in", "fingerprint": self.library.fingerprint}

    def on_record(self, data: Any) -> JsonObject:
        """The source, known by its tasks and by how their checks read answers.

        Args:
            data: Options that have the fields of `self.data`.
        """
        from worktrial.grading.answer_checks import READING

        whole = sha256(f"{self.source['fingerprint']}, answers read by version {READING}".encode())
        return {**self.source, "fingerprint": whole.hexdigest()}

    def tasks(self, data: Any) -> Sequence[TaskRow]:
        """All tasks; see `Suite.tasks`."""
        return [TaskRow(t.id, str(t.difficulty), t.category, t.scenario) for t in self.tasks_of(data)]

    def models(self, options: Any, agent: "Candidate") -> Mapping[RoleName, RoleSettings]:
        """The agent's model, if it needs one, and the judge's, if one is named; see `Suite.models`."""
        own = agent.spec if agent.needs_model else None
        return models_of(options, {Role.AGENT: own, Role.JUDGE: options.judge})

    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> "Trial":
        """The suite made ready to run; see `Suite.trial`."""
        from worktrial.suites.executable.trial import ExecutableSettings, executable_trial
        from worktrial.suites.selection import select_by

        judging = judging_of(options, models.get(Role.JUDGE))
        settings = ExecutableSettings(**vars(judging), **work_fields(options, agent, models))
        return executable_trial(
            self.name,
            self.on_record(options),
            select_by(options, self.candidates(options), source=f"the suite {self.title}"),
            agent,
            settings,
            with_judge=Role.JUDGE in models,
            options=options.model_copy(update={"judge_record": judging.judge_record}).measured(),
        )

    def lint(self, data: Options) -> Findings:
        """Findings on every workplace and every task. Each task has a clock of its own."""
        from worktrial.suites.executable.tasks import TASKS_FILE
        from worktrial.suites.lint import MEANINGS, placed, task_findings, workplace_findings
        from worktrial.workplaces.executable.folder import WORKPLACE_FILE
        from worktrial.workplaces.lint import tool_verbs

        library = self.library_of(data)
        workplaces = {name: library.workplace(name).artifact for name in library.names}
        found = [
            placed(finding, name, str(library.folder / name / _FILES.get(finding.field, WORKPLACE_FILE)))
            for name, workplace in workplaces.items()
            for finding in workplace_findings(workplace)
        ]
        # So few tools have hardly a word in common; any of their words will do.
        verbs = tool_verbs((tool.name for home in workplaces.values() for tool in home.tools), at_least=1)
        tasks = library.tasks
        for task in tasks:
            tools = {tool.name for tool in workplaces[task.workplace].tools}
            file = str(library.folder / task.workplace / TASKS_FILE)
            about = (task.instruction, task.rubric, task.initial_state, tools)
            found += [placed(f, task.id, file) for f in task_findings(*about, verbs=verbs, has_clock=True)]
        looked_at = {"tasks": len(tasks), "workplaces": len(workplaces)}
        return Findings(list(MEANINGS), found, looked_at, about=MEANINGS)

    def grader(
        self, run: "StoredRun", data: Options, judging: Mapping[str, Any], models: Iterable[RoleName]
    ) -> Any:
        """Checks of stored work; see `Suite.grader`."""
        from worktrial.suites.executable.trial import ExecutableWork
        from worktrial.suites.regrade import ToolGrader, judging_as_stored

        work = ExecutableWork(
            judging_as_stored(run.manifest, judging),
            with_judge=Role.JUDGE in set(models),
            human=run.manifest.settings.get("request_human", False),
        )
        return ToolGrader(self.on_record(data), self.tasks_of(data), work.load, work.grade)

    def workplaces(self, data: Options) -> "Callable[[str], tuple[Workplace, str]]":
        """Workplace and instruction of a task; see `Suite.workplaces`."""
        tasks = {task.id: task for task in self.tasks_of(data)}

        def found(sample: str) -> "tuple[Workplace, str]":
            if sample not in tasks:
                raise DataError(sample, f"is no task of the suite {self.title} any more")
            return tasks[sample].artifact, tasks[sample].instruction

        return found

    def retracing(self, run: "StoredRun") -> "Retracing":
        """Carry stored calls out again in the tasks' workplaces; see `Suite.retracing`."""
        from worktrial.suites.executable.trial import opened
        from worktrial.trial.trial import condition_on_record, under_faults
        from worktrial.workplaces import Trajectory
        from worktrial.workplaces.retracing import ReopenedSession, Retracing

        @cache
        def tasks() -> "dict[str, ExecutableTask]":
            return {task.id: task for task in self.load_tasks()}

        def reopen(sample: str, condition: str, position: "Callable[[], Position]") -> ReopenedSession:
            if sample not in tasks():
                raise DataError(sample, f"is no task of the suite {self.title} any more")
            faults = condition_on_record(run.manifest, condition)
            place = opened(tasks()[sample], Trajectory())
            return ReopenedSession(under_faults(place, sample, faults, position))

        return Retracing(reopen, self.quick_calls)
