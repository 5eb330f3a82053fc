"""Checking stored work on starter tasks again."""

import msgspec

from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Desk
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.grading import JudgeCase, Outcome, RubricJudge
from worktrial.grading.state_checks import run_checks
from worktrial.language import JsonObject
from worktrial.suites.finished_work import FinishedWork
from worktrial.suites.regrade import JudgeSettings
from worktrial.suites.starter.load import StarterTask, fingerprint, load_tasks, load_workplace
from worktrial.suites.starter.task import _summary
from worktrial.suites.stay import judged


class StarterGrader:
    """Runs the state checks on the stored calls and final state; a judge's votes are kept beside them."""

    def __init__(self, judging: JudgeSettings, *, with_judge: bool) -> None:
        self._judging = judging
        self._with_judge = with_judge
        self._tasks = {task.id: task for task in load_tasks()}
        self.data: JsonObject = {"folder": "built in", "fingerprint": fingerprint()}

    async def grade(self, work: FinishedWork, rubric: str | None, desk: Desk) -> SampleResult:
        """See `worktrial.suites.regrade.Grader`. `rubric` is for the judge; the checks are the task's own."""
        task = self._tasks.get(work.record.sample)
        if task is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the suite has no such task")
        if work.final_state is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to check")
        checks = run_checks(
            task.checks,
            initial_state=task.initial_state,
            final_state=work.final_state,
            trajectory=work.trajectory,
        )
        result = SampleResult(
            outcome=Outcome.PASS if all(check.passed for check in checks) else Outcome.FAIL,
            reason=_summary(checks),
            checks=[msgspec.to_builtins(check) for check in checks],
        )
        if self._with_judge:
            result.votes = (await self._judge(task, rubric, work, desk)).votes
        return result

    async def _judge(self, task: StarterTask, rubric: str | None, work: FinishedWork, desk: Desk) -> SampleResult:
        artifact = load_workplace(task.workplace).artifact
        judge = RubricJudge(
            desk.line(Role.JUDGE),
            votes=self._judging.votes,
            parallel=self._judging.parallel_votes,
            method=self._judging.judge_method,
            max_record=self._judging.judge_record,
        )
        case = JudgeCase(
            scenario=task.scenario,
            workplace=artifact.name,
            initial_state=task.initial_state,
            state_description=artifact.state_description,
            instruction=task.instruction,
            rubric=rubric or task.rubric,
            trajectory=work.trajectory,
            clock=work.record.clock or "",
            fault_ledger=work.faults_for_judge,
            final_state=work.final_state,
        )
        return judged(await judge.judge(case))
