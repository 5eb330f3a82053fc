"""Checking stored work on starter tasks again."""

from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject
from worktrial.suites.finished_work import FinishedWork
from worktrial.suites.judging import JudgeSettings
from worktrial.suites.starter.grade import grade
from worktrial.suites.starter.load import fingerprint, load_tasks


class StarterGrader:
    """Runs the state checks on the stored calls and final state; a judge's votes are kept beside them."""

    def __init__(self, judging: JudgeSettings, *, with_judge: bool) -> None:
        self._judging = judging
        self._with_judge = with_judge
        self._tasks = {task.id: task for task in load_tasks()}
        self.data: JsonObject = {"folder": "built in", "fingerprint": fingerprint()}

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """See `worktrial.suites.regrade.Grader`. `rubric` is for the judge; the checks are the task's own."""
        task = self._tasks.get(work.record.sample)
        if task is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the suite has no such task")
        if work.work.final_state is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to check")
        judge = context.model(Role.JUDGE) if self._with_judge else None
        return await grade(task, work.work, self._judging, judge_line=judge, rubric=rubric)
