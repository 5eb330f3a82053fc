"""Judging stored work on OccuBench tasks again."""

from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Desk
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.grading import JudgeCase, RubricJudge
from worktrial.language import JsonObject
from worktrial.suites.finished_work import FinishedWork
from worktrial.suites.occupations.load import Release
from worktrial.suites.regrade import JudgeSettings
from worktrial.suites.stay import judged


class OccupationsGrader:
    """The release has the task's state and rubric; everything else lies in the stored run."""

    def __init__(self, release: Release, judging: JudgeSettings) -> None:
        self._release = release
        self._judging = judging
        self._tasks = {task.id: task for task in release.tasks}
        self.data: JsonObject = {"folder": str(release.folder), "fingerprint": release.fingerprint}

    async def grade(self, work: FinishedWork, rubric: str | None, desk: Desk) -> SampleResult:
        """See `worktrial.suites.regrade.Grader`."""
        task = self._tasks.get(work.record.sample)
        if task is None or task.problem is not None:
            problem = "the data has no such task" if task is None else task.problem
            raise InvalidSample(InvalidReason.TASK_DATA, str(problem))
        try:
            workplace = self._release.workplaces[task.workplace]
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e
        judge = RubricJudge(
            desk.line(Role.JUDGE),
            votes=self._judging.votes,
            parallel=self._judging.parallel_votes,
            method=self._judging.judge_method,
            max_record=self._judging.judge_record,
        )
        case = JudgeCase(
            scenario=task.scenario,
            workplace=workplace.name,
            initial_state=workplace.initial_state,
            state_description=workplace.state_description,
            instruction=task.instruction,
            rubric=rubric or task.rubric,
            trajectory=work.trajectory,
            clock=work.record.clock or "",
            fault_ledger=work.faults_for_judge,
            final_state=work.final_state,
        )
        return judged(await judge.judge(case))
