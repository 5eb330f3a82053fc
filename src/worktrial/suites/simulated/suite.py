"""Base of a suite whose workplaces a model plays. It needs a name, a line about itself, and a way to load tasks."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from worktrial.engine.roles import Role, RoleName, RoleSettings
from worktrial.errors import SettingError, option
from worktrial.finding import Findings
from worktrial.grading import Outcome
from worktrial.options import (
    AgentOptions,
    CategoryOptions,
    ContextOptions,
    DutyOptions,
    EndpointOptions,
    FaultOptions,
    Flag,
    JudgingOptions,
    LimitOptions,
    OwnAgentOptions,
    PromptOptions,
    RunOptions,
)
from worktrial.suite import DataReport, Suite, TaskRow, checks
from worktrial.suites.reference import idle_agent, plan_agent, spam_agent
from worktrial.trial.settings import judging_of, models_of, work_fields

if TYPE_CHECKING:
    from worktrial.agents.candidates import Candidate
    from worktrial.engine.record import SampleRecord
    from worktrial.engine.stored import StoredRun
    from worktrial.engine.trial import Trial
    from worktrial.suites.simulated.tasks import TaskSet
    from worktrial.workplaces import Workplace

_WHO = "Who takes part"
_SIMULATION = "Simulation"
# Few enough for the embedded model's context.
_LOCAL_FACTS = 8_000  # characters


class SimulatedOptions(
    CategoryOptions,
    JudgingOptions,
    FaultOptions,
    RunOptions,
    LimitOptions,
    EndpointOptions,
    AgentOptions,
    ContextOptions,
    OwnAgentOptions,
    DutyOptions,
    PromptOptions,
):
    """Options of a run in simulated workplaces."""

    simulator: Annotated[str, Flag(_WHO, common=True, neutral=True, metavar="MODEL")]
    """The model that plays the workplaces: a name, openai/NAME, or local."""
    judge: Annotated[str, Flag(_WHO, common=True, neutral=True, metavar="MODEL")]
    """The model that judges: a name, openai/NAME, or local."""
    with_plan: Annotated[bool, Flag("Which tasks")] = False
    """Show the agent each task's solution plan, where the data has them."""
    memory: Annotated[Literal["history", "ledger", "auto"], Flag(_SIMULATION)] = "history"
    """history: the simulator sees the whole conversation. ledger: it sees an explicit state and recorded facts, and
    answers with its effects on them, so prompts stay short and contradictions show. auto: whichever costs less for
    the calls that a task is expected to take; a history that might not fit into the simulator's context is none."""
    expected_calls: Annotated[int, Field(ge=1), Flag(_SIMULATION, metavar="N")] = 20
    """Calls that a task without a solution plan is expected to take, for auto."""
    simulator_context: Annotated[int | None, Field(ge=1), Flag(_SIMULATION, metavar="N")] = None
    """Tokens of prompt and answer together that the simulator's model can hold, for auto. Default: what the price
    list says of the model; 8192 for the embedded one; where it is unknown, any history fits."""
    simulator_prompt: Annotated[Literal["full", "compact"] | None, Flag(_SIMULATION)] = None
    """full, or compact for small models. Default: full; compact for the embedded model."""
    simulator_facts: Annotated[int | None, Field(ge=0), Flag(_SIMULATION, metavar="N")] = None
    """Characters of recorded facts that a ledger prompt shows; those that a call names are shown whole in any case.
    Default: 40000; 8000 for the embedded model."""


class SimulatedSuite(Suite):
    """A suite of workplaces that a simulator plays; a judge decides."""

    options: ClassVar[type[SimulatedOptions]] = SimulatedOptions
    roles = (Role.AGENT, Role.SIMULATOR, Role.JUDGE)
    reference_agents: ClassVar = {"plan": plan_agent(), "idle": idle_agent(), "spam": spam_agent()}
    on_card: ClassVar[Mapping[str, str]] = {
        "ends": "not measured: a judge decides by the rubric's words which ends are right, and what may change",
        "truth": "not measured: only judge and simulator are told rubric and hidden state; leaks are found by the "
        "check no_leak of worktrial audit conformance",
        "fresh": "not measured: each stay begins in the task's own state, but a model answers otherwise each time",
    }
    unproven = (
        "its workplaces are played by a model, so it takes runs to validate it: with {agent} plan every task that "
        "has a solution plan must pass, and with idle none"
    )

    def outcome_of(self, record: "SampleRecord") -> Outcome | None:
        """Outcome by the judge's votes; see `Suite`."""
        from worktrial.grading.logprob import verdict_of_statements

        if any(vote.probability is not None for vote in record.votes):
            return verdict_of_statements(record.votes).outcome
        votes = [vote.is_correct for vote in record.votes]
        # However many were planned: what decides is always more than half of those cast.
        decisive = [said for said in (True, False) if 2 * votes.count(said) > len(votes)]
        return None if not decisive else Outcome.PASS if decisive[0] else Outcome.FAIL

    @abstractmethod
    def load(self, data: Any) -> "TaskSet":
        """All tasks with their workplaces.

        Args:
            data: Options that have the fields of `self.data`.

        Raises:
            SettingError: an option is missing.
            DataError: the data cannot be read.
        """

    def tasks(self, data: Any) -> Sequence[TaskRow]:
        """All tasks; see `Suite.tasks`."""
        return [TaskRow(t.id, str(t.difficulty), t.category, t.scenario) for t in self.load(data).tasks]

    def models(self, options: Any, agent: "Candidate") -> Mapping[RoleName, RoleSettings]:
        """Models of the agent, if it needs one, the simulator and the judge; see `Suite.models`."""
        own = agent.spec if agent.needs_model else None
        return models_of(options, {Role.AGENT: own, Role.SIMULATOR: options.simulator, Role.JUDGE: options.judge})

    def trial(self, options: Any, agent: "Candidate", models: Mapping[RoleName, RoleSettings]) -> "Trial":
        """The suite made ready to run; see `Suite.trial`."""
        from worktrial.engine.spend import context_of
        from worktrial.suites.selection import select_by
        from worktrial.suites.simulated.trial import AUTO, SimulatedSettings, simulated_trial
        from worktrial.workplaces.simulator import FACTS_SHOWN

        data = self.load(options)
        tasks = select_by(options, data.tasks, known=data.categories, source=str(data.folder))
        judging = judging_of(options, models.get(Role.JUDGE))
        is_local = models[Role.SIMULATOR].is_local
        usual_facts = _LOCAL_FACTS if is_local else FACTS_SHOWN
        context = options.simulator_context
        if context is None and options.memory == AUTO:
            simulator = models[Role.SIMULATOR]
            context = context_of(simulator if simulator.is_local else simulator.resolved())
        settings = SimulatedSettings(
            **vars(judging),
            **work_fields(options, agent, models),
            memory=options.memory,
            expected_calls=options.expected_calls,
            simulator_context=context,
            simulator_prompt=options.simulator_prompt or ("compact" if is_local else "full"),
            simulator_facts=usual_facts if options.simulator_facts is None else options.simulator_facts,
            with_plan=options.with_plan,
        )
        # What was left to defaults that depend on something else is known by now.
        settled = {
            "judge_record": settings.judge_record,
            "simulator_prompt": settings.simulator_prompt,
            "simulator_facts": settings.simulator_facts,
            "simulator_context": settings.simulator_context,
        }
        measured = options.model_copy(update=settled).measured()
        return simulated_trial(self.name, data, tasks, agent, settings, options=measured)

    def data_report(self, data: Any) -> DataReport:
        """Every task and every workplace, loaded; see `Suite.data_report`."""
        from worktrial.suites.simulated.tasks import check_tasks

        return check_tasks(self.load(data))

    def lint(self, data: Any) -> Findings:
        """Findings on every workplace and every task; see `Suite.lint`."""
        tasks = self.load(data)
        found = lint_tasks(tasks)
        for name in checks.names:
            found = _with(found, checks.get(name)(tasks))
        return found

    def grader(self, run: "StoredRun", data: Any, judging: Mapping[str, Any], models: Iterable[RoleName]) -> Any:
        """Judging of stored work; see `Suite.grader`."""
        from worktrial.suites.regrade import ToolGrader, judging_as_stored
        from worktrial.suites.simulated.trial import SimulatedWork

        if Role.JUDGE not in set(models):
            raise SettingError(f"{self.title}: name the model that judges with {option('judge')} MODEL")
        tasks = self.load(data)
        work = SimulatedWork(tasks.workplaces, judging_as_stored(run.manifest, judging))
        return ToolGrader(tasks.data, tasks.tasks, work.load, work.grade)

    def workplaces(self, data: Any) -> "Callable[[str], tuple[Workplace, str]]":
        """Workplace and instruction of a task; see `Suite.workplaces`."""
        loaded = self.load(data)
        tasks = {task.id: task for task in loaded.tasks}
        return lambda sample: (loaded.workplaces[tasks[sample].workplace], tasks[sample].instruction)

    def fingerprint(self, data: Any) -> str:
        """Fingerprint of the data; see `Suite.fingerprint`."""
        return self.load(data).fingerprint


def lint_tasks(data: "TaskSet") -> Findings:
    """Look at every workplace and every task of `data`.

    Workplaces come first, by name, then tasks in their own order. Workplaces are looked at whether or not a task
    uses them.
    """
    from worktrial.suites.lint import MEANINGS, placed, task_findings, text_of, workplace_findings
    from worktrial.workplaces.lint import tool_verbs

    workplaces, unread = data.readable()
    findings = [
        placed(finding, name, workplace.source, data.fields.get(finding.field))
        for name, workplace in workplaces.items()
        for finding in workplace_findings(workplace)
    ]
    verbs = tool_verbs(tool.name for workplace in workplaces.values() for tool in workplace.tools)
    texts = {name: text_of(workplace) for name, workplace in workplaces.items()}
    tasks = [task for task in data.tasks if task.problem is None and task.workplace in workplaces]
    for task in tasks:
        home = workplaces[task.workplace]
        tools = {tool.name for tool in home.tools}
        held = f"{texts[task.workplace]}\n{task.instruction}"
        for finding in task_findings(
            task.instruction, task.rubric, home.initial_state, tools, verbs=verbs, held=held
        ):
            # A task's state is a field of its workplace's file.
            file = home.source if finding.field == "initial_state" else str(data.tasks_file)
            findings.append(placed(finding, task.id, file, data.fields.get(finding.field)))
    damaged = [task.problem for task in data.tasks if task.problem]
    looked_at = {"tasks": len(tasks), "workplaces": len(workplaces)}
    return Findings(list(MEANINGS), findings, looked_at, [*damaged, *unread, *data.lost], MEANINGS)


def _with(first: Findings, second: Findings) -> Findings:
    """Findings of both; a check that the second made, too, stands for that of the first."""
    only_first = [check for check in first.checks if check not in second.checks]
    return Findings(
        [*only_first, *second.checks],
        [*first.only(only_first).findings, *second.findings],
        first.looked_at,
        list(dict.fromkeys([*first.unread, *second.unread])),
        {**first.about, **second.about},
    )
