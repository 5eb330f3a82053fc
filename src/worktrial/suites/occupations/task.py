"""The path of one OccuBench sample, top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError
from worktrial.language import JsonObject
from worktrial.suites.episode import episode
from worktrial.suites.faults import check_conditions, faulty, finished, in_manifest, jobs_under
from worktrial.suites.judging import JudgeSettings
from worktrial.suites.occupations.grade import grade
from worktrial.suites.occupations.load import Release, Task
from worktrial.workplaces import LanguageSimulator, Session, Trajectory, Workplace
from worktrial.workplaces.clock import DEFAULT_CLOCK, trial_clock
from worktrial.workplaces.faults import Conditions, FaultMode, PromptedFaults

SUITE = "occupations"


@dataclass(frozen=True, kw_only=True)
class Settings(JudgeSettings):
    """What of the suite's own can change a result."""

    repeats: int = 1
    memory: str = "history"
    """See `worktrial.workplaces.simulator.Memory`."""
    simulator_prompt: str = "full"
    """See `worktrial.workplaces.simulator.PromptStyle`."""
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)
    clock: str = DEFAULT_CLOCK
    """The date and time of tasks that name none, ISO 8601."""
    with_plan: bool = False
    """Whether the agent is shown the task's solution plan."""


class OccupationsTrial:
    """The suite made ready to run.

    Raises:
        SettingError: the settings need solution plans, and the data has none; or faults that no trial can hold.
    """

    suite = SUITE

    def __init__(self, release: Release, tasks: Sequence[Task], candidate: Candidate, settings: Settings) -> None:
        if settings.with_plan or candidate.kind == "plan":
            _need_plans(tasks, "--with-plan" if settings.with_plan else "--agent plan")
        self._release = release
        check_conditions(settings.faults, candidate, settings.limits)
        self._conditions = settings.faults.by_name
        self._tasks = {task.id: task for task in tasks}
        self._candidate = candidate
        self._settings = settings
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data: JsonObject = release.data
        self.settings: JsonObject = {
            "agent": candidate.spec,
            "tasks": [task.id for task in tasks],
            **in_manifest(settings),
        }

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Load, work, judge; see `worktrial.engine.trial.Trial`."""
        task, settings = self._tasks[job.sample], self._settings
        workplace = self._workplace(task)
        clock = trial_clock(task.instruction, workplace.initial_state, settings.clock)
        faults, prompted = self._conditions[job.condition], settings.faults.prompted
        line = context.model(Role.SIMULATOR)
        simulator = LanguageSimulator(
            workplace,
            PromptedFaults(line, faults) if prompted else line,
            memory=settings.memory,
            prompt=settings.simulator_prompt,
            clock=clock,
            # The compact prompt checks identifiers in code; those that the task names exist, too.
            task=task.instruction if settings.simulator_prompt == "compact" else None,
        )
        session, trajectory = _open(simulator), Trajectory()
        if faults.mode is not FaultMode.E0 and not prompted:
            session = faulty(session, workplace, faults, task.id, trajectory)
        assignment = Assignment(
            instruction=_instruction(task, settings),
            clock=clock,
            tools=workplace.tool_specs,
            session=session,
            limits=settings.limits,
            tokens=lambda: context.meter.tokens(Role.AGENT),
            cost=lambda: context.meter.known_cost,
            plan=task.plan,
            trajectory=trajectory,
        )

        async def graded() -> SampleResult:
            work = finished(session, trajectory, clock)
            return await grade(task, workplace, work, settings, context.model(Role.JUDGE))

        return await episode(self._candidate.agent(context), assignment, graded)

    def _workplace(self, task: Task) -> Workplace:
        if task.problem is not None:
            raise InvalidSample(InvalidReason.TASK_DATA, task.problem)
        try:
            return self._release.workplaces[task.workplace]
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


def _open(simulator: LanguageSimulator) -> Session:
    try:
        return simulator.open()
    except DataError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


def _need_plans(tasks: Sequence[Task], option: str) -> None:
    # A damaged task becomes an invalid sample whatever the agent does.
    without = [task.id for task in tasks if not task.plan and task.problem is None]
    if without:
        raise SettingError(
            f"{option}: {len(without)} of {len(tasks)} tasks have no solution_plan (task {without[0]}, for one); "
            f"the public release has none at all. Run without it, or on data with plans"
        )


def _instruction(task: Task, settings: Settings) -> str:
    if not settings.with_plan:
        return task.instruction
    plan = task.plan if isinstance(task.plan, str) else msgspec.json.encode(task.plan).decode()
    return f"{task.instruction}\n\nA plan that leads there:\n{plan}"
