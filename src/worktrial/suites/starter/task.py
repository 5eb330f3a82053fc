"""The path of one starter sample, top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import SettingError
from worktrial.language import JsonObject
from worktrial.suites.episode import episode
from worktrial.suites.faults import check_conditions, faulty, finished, in_manifest, jobs_under
from worktrial.suites.judging import JudgeSettings
from worktrial.suites.starter.grade import grade
from worktrial.suites.starter.load import StarterTask, fingerprint, load_workplace
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.faults import Conditions, FaultMode

SUITE = "starter"


@dataclass(frozen=True, kw_only=True)
class Settings(JudgeSettings):
    """What of the suite's own can change a result."""

    repeats: int = 1
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)


class StarterTrial:
    """The suite made ready to run. The state checks decide; a judge's votes are kept beside them.

    Raises:
        SettingError: faults that no trial can hold, or that would need a simulator.
    """

    suite = SUITE

    def __init__(
        self, tasks: Sequence[StarterTask], candidate: Candidate, settings: Settings, *, with_judge: bool
    ) -> None:
        if settings.faults.prompted:
            raise SettingError(
                "--faults prompted: asks the model that plays the workplace, and here none does. Use --faults E1, "
                "E2, E3 or all"
            )
        check_conditions(settings.faults, candidate, settings.limits)
        self._conditions = settings.faults.by_name
        self._tasks = {task.id: task for task in tasks}
        self._candidate = candidate
        self._settings = settings
        self._with_judge = with_judge
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data: JsonObject = {"folder": "built in", "fingerprint": fingerprint()}
        self.settings: JsonObject = {
            "agent": candidate.spec,
            "tasks": [task.id for task in tasks],
            **in_manifest(settings),
        }

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Set up, work, check; see `worktrial.engine.trial.Trial`."""
        task = self._tasks[job.sample]
        workplace = load_workplace(task.workplace)
        faults = self._conditions[job.condition]
        trajectory = Trajectory()
        session: Session = workplace.open(task.initial_state)
        if faults.mode is not FaultMode.E0:
            session = faulty(session, workplace.artifact, faults, task.id, trajectory)
        assignment = Assignment(
            instruction=task.instruction,
            clock=task.clock,
            tools=workplace.artifact.tool_specs,
            session=session,
            limits=self._settings.limits,
            tokens=lambda: context.meter.tokens(Role.AGENT),
            cost=lambda: context.meter.known_cost,
            plan=task.plan,
            trajectory=trajectory,
        )

        async def graded() -> SampleResult:
            judge = context.model(Role.JUDGE) if self._with_judge else None
            return await grade(task, finished(session, trajectory, task.clock), self._settings, judge_line=judge)

        return await episode(self._candidate.agent(context), assignment, graded)
