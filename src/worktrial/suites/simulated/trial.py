"""The path of one sample in a simulated workplace, top to bottom, and the judging of its work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from worktrial.agents.assignment import Limits, Solution
from worktrial.agents.candidates import PLAN, Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError, option
from worktrial.language import Complete, JsonObject
from worktrial.suites.duties import Duties
from worktrial.suites.episode import (
    assignment_in,
    check_conditions,
    episode,
    faulty,
    finished,
    jobs_under,
    position_in,
    settings_on_record,
)
from worktrial.suites.judging import JudgeSettings, Work, doubts_of, judge, judge_case
from worktrial.suites.regrade import FinishedWork
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.workplaces import LanguageSimulator, Memory, Session, Trajectory, Workplace
from worktrial.workplaces.clock import DEFAULT_CLOCK, trial_clock
from worktrial.workplaces.faults import Conditions, FaultMode, Needed, PromptedFaults
from worktrial.workplaces.simulator import FACTS_SHOWN, SIMULATOR_VERSION, HistorySession, LedgerSession
from worktrial.workplaces.simulator.memory_choice import memory_cost
from worktrial.workplaces.watch import WatchedSession

AUTO = "auto"
"""Memory that is chosen task by task, by its cost."""


@dataclass(frozen=True, kw_only=True)
class SimulatedSettings(JudgeSettings):
    """Settings of the suite's own that can change a result."""

    repeats: int = 1
    memory: str = "history"
    """Memory of the simulator: `history` or `ledger`, see `worktrial.workplaces.simulator.Memory`; or `auto`, the
    one that costs less."""
    expected_calls: int = 20
    """Calls that a task without a plan is expected to take, where the memory is chosen by them."""
    simulator_context: int | None = None
    """Tokens that the simulator's model can hold, where the memory is chosen; None where nobody knows."""
    simulator_prompt: str = "full"
    """Prompt of the simulator: `full` or `compact`, see `worktrial.workplaces.simulator.PromptStyle`."""
    simulator_facts: int = FACTS_SHOWN
    """Characters of recorded facts that a ledger prompt shows beside what the call names."""
    simulator_version: int = SIMULATOR_VERSION
    """Number of the prompts that simulators are given."""
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)
    agent_prompt: str | None = None
    """Template of the user's own that the agent is told; None for the standard one."""
    context: ContextKeeping = field(default_factory=ContextKeeping)
    duties: Duties = field(default_factory=Duties)
    clock: str = DEFAULT_CLOCK
    """Date and time of tasks that name none, ISO 8601."""
    with_plan: bool = False
    """Whether the agent is shown the task's solution plan."""


class SimulatedTrial:
    """A suite made ready to run. A simulator plays the workplaces, and a judge decides.

    Raises:
        SettingError: the settings need solution plans, and the data has none; or faults that no trial can hold.
    """

    def __init__(
        self,
        suite: str,
        data: TaskSet,
        tasks: Sequence[Task],
        candidate: Candidate,
        settings: SimulatedSettings,
        *,
        options: JsonObject | None = None,
    ) -> None:
        """Set up a trial.

        Args:
            suite: The suite's name.
            data: Where the tasks are from.
            tasks: Those to run.
            candidate: Who works.
            settings: What can change a result.
            options: Options that can change a result, for comparisons; None where the trial was not made from any.
        """
        if settings.with_plan:
            _need_plans(tasks, option("with_plan"))
        if candidate.kind == "reference" and candidate.spec == PLAN:
            _need_plans(tasks, f"{option('agent')} {PLAN}")
        check_conditions(settings.faults, candidate, settings.limits)
        if settings.duties.policy is not None:
            homes, _ = data.readable()
            used = {task.workplace for task in tasks} & homes.keys()
            settings.duties.check_tools({tool.name for name in used for tool in homes[name].tools})
        self.suite = suite
        self._workplaces = data.workplaces
        self._conditions = settings.faults.by_name
        self._tasks = {task.id: task for task in tasks}
        self._candidate = candidate
        self._settings = settings
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data: JsonObject = data.data
        self.settings: JsonObject = settings_on_record(candidate, tasks, settings, options)
        if settings.memory != "auto":
            # Only that choice depends on them.
            del self.settings["expected_calls"], self.settings["simulator_context"]

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Load, work, judge; see `worktrial.engine.trial.Trial`."""
        task, settings = self._tasks[job.sample], self._settings
        workplace = workplace_of(task, self._workplaces)
        clock = trial_clock(task.instruction, workplace.initial_state, settings.clock)
        faults, prompted = self._conditions[job.condition], settings.faults.prompted
        model = context.model(Role.SIMULATOR)
        simulator = LanguageSimulator(
            workplace,
            PromptedFaults(model, faults) if prompted else model,
            memory=memory_of(task, workplace, settings, clock),
            prompt=settings.simulator_prompt,
            clock=clock,
            facts_shown=settings.simulator_facts,
            # The compact prompt checks identifiers in code; those that the task names exist, too.
            task=task.instruction if settings.simulator_prompt == "compact" else None,
            checked=not prompted or faults.mode is FaultMode.E0,
        )
        trajectory = Trajectory()
        simulated = _open(simulator, lambda: len(trajectory.calls))
        watched = WatchedSession(simulated, workplace, task.instruction, position=lambda: len(trajectory.calls))
        session: Session = watched
        if faults.mode is not FaultMode.E0 and not prompted:
            session = faulty(session, workplace, faults, task.id, position_in(trajectory), needed=_needed(task))
        assignment = assignment_in(
            session,
            trajectory,
            settings,
            context,
            instruction=_instruction(task, settings),
            clock=clock,
            tools=workplace.tool_specs,
        )

        # A simulator that was asked to degrade its answers is not to blame for them.
        blamed = not prompted or faults.mode is FaultMode.E0

        async def graded() -> SampleResult:
            doubts = doubts_of(msgspec.to_builtins(watched.findings)) if blamed else []
            work = replace(finished(session, trajectory, clock), facts=simulated.facts, doubts=doubts)
            return await grade(task, workplace, work, settings, context.model(Role.JUDGE))

        result = await episode(
            self._candidate.agent(context, Solution(task.plan)),
            assignment,
            graded,
            lambda: settings.duties.budget_checks(trajectory, context.meter),
        )
        result.simulation = watched.health if blamed else None
        if result.trajectory is not None:
            told = {
                "memory": str(simulator.memory),
                "final_facts": simulated.facts,
                "simulation": watched.findings if blamed else [],
            }
            result.trajectory |= told
        return result


async def grade(
    task: Task,
    workplace: Workplace,
    work: Work,
    judging: JudgeSettings,
    judge_model: Complete,
    *,
    rubric: str | None = None,
) -> SampleResult:
    """Ask the judge about `work`, by `rubric` where there is one in place of the task's own."""
    return await judge(judge_case(task, workplace, work, rubric), judge_model, judging)


class SimulatedGrader:
    """Grader of stored work. The data has a task's state and rubric; everything else lies in the stored run."""

    def __init__(self, data: TaskSet, judging: JudgeSettings) -> None:
        self._workplaces = data.workplaces
        self._judging = judging
        self._tasks = {task.id: task for task in data.tasks}
        self.data: JsonObject = data.data

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """Judge `work` again; see `worktrial.suites.regrade.Grader`."""
        task = self._tasks.get(work.record.sample)
        if task is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the data has no such task")
        workplace = workplace_of(task, self._workplaces)
        return await grade(task, workplace, work.work, self._judging, context.model(Role.JUDGE), rubric=rubric)


def workplace_of(task: Task, workplaces: Mapping[str, Workplace]) -> Workplace:
    """Workplace of `task`.

    Raises:
        InvalidSample: the task or its workplace cannot be set up.
    """
    if task.problem is not None:
        raise InvalidSample(InvalidReason.TASK_DATA, task.problem)
    try:
        return workplaces[task.workplace]
    except DataError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


def _needed(task: Task) -> Needed:
    """Needs of the task: what its rubric and plan name."""
    plan = "" if task.plan is None else msgspec.json.encode(task.plan).decode()
    return Needed(task.rubric, plan)


def memory_of(task: Task, workplace: Workplace, settings: SimulatedSettings, clock: str) -> Memory:
    """Memory of the simulator in `task`: as set, else the cheaper one for as many calls as its plan has steps.

    A history that might outgrow the simulator's context is never chosen.
    """
    if settings.memory != AUTO:
        return Memory(settings.memory)
    calls = len(task.plan) if isinstance(task.plan, list) and task.plan else settings.expected_calls
    cost = memory_cost(workplace, calls, prompt=settings.simulator_prompt, clock=clock)
    return cost.choice(settings.simulator_context)


def _open(simulator: LanguageSimulator, position: Callable[[], int]) -> HistorySession | LedgerSession:
    try:
        return simulator.open(position=position)
    except DataError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


def _need_plans(tasks: Sequence[Task], what: str) -> None:
    # A damaged task becomes an invalid sample whatever the agent does.
    without = [task.id for task in tasks if not task.plan and task.problem is None]
    if without:
        raise SettingError(
            f"{what}: {len(without)} of {len(tasks)} tasks have no solution_plan (task {without[0]}, for one); "
            f"the public release has none at all. Run without it, or on data with plans"
        )


def _instruction(task: Task, settings: SimulatedSettings) -> str:
    if not settings.with_plan:
        return task.instruction
    plan = task.plan if isinstance(task.plan, str) else msgspec.json.encode(task.plan).decode()
    return f"{task.instruction}\n\nA plan that leads there:\n{plan}"
