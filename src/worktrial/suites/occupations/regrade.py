"""Judging stored work on OccuBench tasks again."""

from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject
from worktrial.suites.finished_work import FinishedWork
from worktrial.suites.judging import JudgeSettings
from worktrial.suites.occupations.grade import grade
from worktrial.suites.occupations.load import Release


class OccupationsGrader:
    """The release has the task's state and rubric; everything else lies in the stored run."""

    def __init__(self, release: Release, judging: JudgeSettings) -> None:
        self._release = release
        self._judging = judging
        self._tasks = {task.id: task for task in release.tasks}
        self.data: JsonObject = release.data

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """See `worktrial.suites.regrade.Grader`."""
        task = self._tasks.get(work.record.sample)
        if task is None or task.problem is not None:
            problem = "the data has no such task" if task is None else task.problem
            raise InvalidSample(InvalidReason.TASK_DATA, str(problem))
        try:
            workplace = self._release.workplaces[task.workplace]
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e
        return await grade(task, workplace, work.work, self._judging, context.model(Role.JUDGE), rubric=rubric)
