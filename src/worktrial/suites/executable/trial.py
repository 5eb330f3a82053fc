"""Executable workplaces in a trial: how one is opened for a task, and the checks of the work in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from worktrial.agents.assignment import Solution
from worktrial.agents.candidates import Candidate
from worktrial.engine.identity import CODE
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.grading import Outcome
from worktrial.grading.answer_checks import IN_SHORT, AnswerClaim, excess
from worktrial.grading.check import CheckResult
from worktrial.grading.state_checks import OF_HUMANS, run_checks
from worktrial.language import JsonObject
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.trial.judging import JudgedWorkSettings, JudgeSettings, Work, judge, judge_case
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial
from worktrial.workplaces import Origin, Trajectory
from worktrial.workplaces.faults import Needed


@dataclass(frozen=True, kw_only=True)
class ExecutableSettings(JudgedWorkSettings):
    """Settings of the suite's own that can change a result."""

    def on_record(self, candidate: Candidate) -> JsonObject:
        """Settings for the manifest; see `WorkSettings`."""
        return {**super().on_record(candidate), "decided_by": CODE}


class ExecutableWork:
    """Work in executable workplaces. The state checks decide; a judge's votes are kept beside them."""

    def __init__(self, judging: JudgeSettings, *, with_judge: bool, human: bool = False) -> None:
        """Settle how it is graded.

        Args:
            judging: How the judge decides.
            with_judge: Whether the role `judge` has a model.
            human: Whether a human can be asked; checks of that count only then.
        """
        self._judging = judging
        self._with_judge = with_judge
        self._human = human

    def load(self, task: ExecutableTask) -> ExecutableTask:
        """The task, which is ready; see `worktrial.trial.trial.Load`."""
        return task

    async def open(self, task: ExecutableTask, sample: Sample) -> OpenWorkplace:
        """Open the task's workplace for an agent."""
        return opened(task, sample.trajectory, human=self._human)

    async def grade(
        self, task: ExecutableTask, work: Work, context: SampleContext, rubric: str | None
    ) -> SampleResult:
        """Check `work`; see `worktrial.trial.trial.Grade`."""
        if work.final_state is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to check")
        checks = run_checks(
            [check for check in task.checks if self._human or not isinstance(check, OF_HUMANS)],
            initial_state=task.initial_state,
            final_state=work.final_state,
            trajectory=work.trajectory,
        )
        outcome, reason = _decision(checks)
        result = SampleResult(outcome=outcome, reason=reason, checks=checks)
        if self._human:
            asked = [call for call in work.trajectory.calls if call.observation.origin == Origin.HUMAN]
            result.measures["human_requests"] = len(asked)
        if self._with_judge:
            case = judge_case(task, task.artifact, work, rubric)
            result.votes = (await judge(case, context.model(Role.JUDGE), self._judging)).votes
        return result


def executable_trial(
    suite: str,
    data: JsonObject,
    tasks: Sequence[ExecutableTask],
    candidate: Candidate,
    settings: ExecutableSettings,
    *,
    with_judge: bool = False,
    options: JsonObject | None = None,
) -> ToolTrial[ExecutableTask]:
    """Tasks made ready to run; for the arguments see `ToolTrial` and `ExecutableWork`."""
    work = ExecutableWork(settings, with_judge=with_judge, human=settings.duties.human)
    return ToolTrial(
        work.load,
        work.open,
        work.grade,
        suite=suite,
        data=data,
        tasks=tasks,
        candidate=candidate,
        settings=settings,
        tools={tool.name for task in tasks for tool in task.home.artifact.tools},
        options=options,
    )


def opened(task: ExecutableTask, trajectory: Trajectory, *, human: bool = False) -> OpenWorkplace:
    """The task's workplace as it begins.

    Args:
        task: The task.
        trajectory: Record of the work, as it grows.
        human: Whether a human can be asked.
    """
    reads = any(isinstance(check, AnswerClaim) for check in task.checks)
    bounds = f"\n\n{IN_SHORT.get(task.language, IN_SHORT['en'])}" if reads else ""
    return OpenWorkplace(
        session=task.open(),
        workplace=task.home.artifact,
        instruction=f"{task.instruction}{bounds}",
        clock=task.clock,
        solution=Solution(task.plan if human else task.plan_alone, task.reads),
        human=task.human,
        fault_of=partial(excess, task.checks, trajectory),
        needed=lambda: _needs_of(task),
    )


def _needs_of(task: ExecutableTask) -> Needed:
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
