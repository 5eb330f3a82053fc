"""The path of one sample in an executable workplace, top to bottom, and the checks of its work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from worktrial.agents.assignment import Limits, Solution
from worktrial.agents.candidates import Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.engine.identity import CODE
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.grading import Outcome
from worktrial.grading.answer_checks import IN_SHORT, AnswerClaim, excess
from worktrial.grading.check import CheckResult
from worktrial.grading.state_checks import OF_HUMANS, run_checks
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
    refuse_prompted,
    settings_on_record,
)
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.judging import JudgeSettings, Work, judge, judge_case
from worktrial.suites.regrade import FinishedWork
from worktrial.workplaces import Origin, Session, Trajectory
from worktrial.workplaces.duties.human import REQUEST_HUMAN, HumanSession
from worktrial.workplaces.faults import Conditions, FaultMode, FaultSettings, Needed, Position


@dataclass(frozen=True, kw_only=True)
class ExecutableSettings(JudgeSettings):
    """Settings of the suite's own that can change a result."""

    repeats: int = 1
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)
    agent_prompt: str | None = None
    """Template of the user's own that the agent is told; None for the standard one."""
    context: ContextKeeping = field(default_factory=ContextKeeping)
    duties: Duties = field(default_factory=Duties)


class ExecutableTrial:
    """A suite made ready to run. The state checks decide; a judge's votes are kept beside them.

    Raises:
        SettingError: faults that no trial can hold, or that would need a simulator.
    """

    def __init__(
        self,
        suite: str,
        data: JsonObject,
        tasks: Sequence[ExecutableTask],
        candidate: Candidate,
        settings: ExecutableSettings,
        *,
        with_judge: bool,
        options: JsonObject | None = None,
    ) -> None:
        """Set up a trial.

        Args:
            suite: The suite's name.
            data: For the manifest: `folder` and `fingerprint` of the tasks.
            tasks: Those to run.
            candidate: Who works.
            settings: What can change a result.
            with_judge: Whether the role `judge` has a model.
            options: Options that can change a result, for comparisons; None where the trial was not made from any.
        """
        refuse_prompted(settings.faults)
        check_conditions(settings.faults, candidate, settings.limits)
        settings.duties.check_tools({tool.name for task in tasks for tool in task.home.artifact.tools})
        self.suite = suite
        self._conditions = settings.faults.by_name
        self._tasks = {task.id: task for task in tasks}
        self._candidate = candidate
        self._settings = settings
        self._with_judge = with_judge
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data = data
        self.settings: JsonObject = {
            **settings_on_record(candidate, tasks, settings, options),
            "decided_by": CODE,
        }

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Set up, work, check; see `worktrial.engine.trial.Trial`."""
        task = self._tasks[job.sample]
        workplace = task.home.artifact
        faults = self._conditions[job.condition]
        trajectory = Trajectory()
        session = opened(task, faults, position_in(trajectory))
        duties, offered = self._settings.duties, session
        if duties.human:
            offered = HumanSession(session, task.human)
        assignment = assignment_in(
            offered,
            trajectory,
            self._settings,
            context,
            instruction=f"{task.instruction}{_bounds(task)}",
            clock=task.clock,
            tools=[*workplace.tool_specs, *([REQUEST_HUMAN.spec] if duties.human else [])],
            fault_of=partial(excess, task.checks, trajectory),
        )
        solution = Solution(
            task.plan if duties.human else task.plan_alone,
            task.reads,
        )

        async def graded() -> SampleResult:
            model = context.model(Role.JUDGE) if self._with_judge else None
            work = finished(session, trajectory, task.clock)
            return await grade(task, work, self._settings, judge_model=model, human=duties.human)

        return await episode(
            self._candidate.agent(context, solution),
            assignment,
            graded,
            lambda: self._settings.duties.budget_checks(trajectory, context.meter),
        )


def _bounds(task: ExecutableTask) -> str:
    """Words for how long an answer may be, where checks read one."""
    reads = any(isinstance(check, AnswerClaim) for check in task.checks)
    return f"\n\n{IN_SHORT.get(task.language, IN_SHORT['en'])}" if reads else ""


def opened(task: ExecutableTask, faults: FaultSettings, position: Callable[[], Position]) -> Session:
    """The task's workplace as it begins, under a condition.

    Args:
        task: The task.
        faults: The condition.
        position: Function that tells where the next call stands.
    """
    if faults.mode is FaultMode.E0:
        return task.open()
    return faulty(task.open(), task.home.artifact, faults, task.id, position, needed=_needed(task))


async def grade(
    task: ExecutableTask,
    work: Work,
    judging: JudgeSettings,
    *,
    judge_model: Complete | None = None,
    rubric: str | None = None,
    human: bool = False,
) -> SampleResult:
    """Check `work`, whose final state is known.

    Args:
        task: What was to be done.
        work: What was done.
        judging: How the judge decides.
        judge_model: The judge's model; None asks no judge.
        rubric: Replaces the task's own for the judge; the checks stay the task's.
        human: Whether a human could be asked; checks of that count only then.
    """
    checks = run_checks(
        [check for check in task.checks if human or not isinstance(check, OF_HUMANS)],
        initial_state=task.initial_state,
        final_state=work.final_state or {},
        trajectory=work.trajectory,
    )
    outcome, reason = _decision(checks)
    result = SampleResult(outcome=outcome, reason=reason, checks=checks)
    if human:
        asked = [call for call in work.trajectory.calls if call.observation.origin == Origin.HUMAN]
        result.measures["human_requests"] = len(asked)
    if judge_model is not None:
        result.votes = (await judge(judge_case(task, task.artifact, work, rubric), judge_model, judging)).votes
    return result


class ExecutableGrader:
    """Grader of stored work: checks stored calls and final states again, and keeps a judge's votes beside them."""

    def __init__(
        self,
        data: JsonObject,
        tasks: Sequence[ExecutableTask],
        judging: JudgeSettings,
        *,
        with_judge: bool,
        human: bool = False,
    ) -> None:
        self.data = data
        self._judging = judging
        self._with_judge = with_judge
        self._human = human
        self._tasks = {task.id: task for task in tasks}

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """Check `work`; see `worktrial.suites.regrade.Grader`."""
        task = self._tasks.get(work.record.sample)
        if task is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the suite has no such task")
        if work.work.final_state is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to check")
        model = context.model(Role.JUDGE) if self._with_judge else None
        return await grade(task, work.work, self._judging, judge_model=model, rubric=rubric, human=self._human)


def _needed(task: ExecutableTask) -> Needed:
    """Needs of the task: what its rubric, plan and checks name."""
    checks = (check.model_dump_json(exclude={"clauses"}) for check in task.checks)
    return Needed(task.rubric, task.plan.model_dump_json(), *checks)


def _decision(checks: Sequence[CheckResult]) -> tuple[Outcome, str]:
    failed = [check for check in checks if check.passed is False]
    open = [check for check in checks if check.passed is None]
    if failed:
        first = f"{failed[0].check} ({failed[0].why})"
        return Outcome.FAIL, f"{len(failed)} of {len(checks)} checks failed; first: {first}"
    if open:
        return Outcome.INVALID, f"{InvalidReason.UNDECIDED.value}: {open[0].check} ({open[0].why})"
    return Outcome.PASS, f"all {len(checks)} checks passed"
