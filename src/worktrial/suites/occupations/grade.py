"""Grading work on an OccuBench task: a judge model applies the task's rubric."""

from worktrial.engine.record import SampleResult
from worktrial.grading import JudgeCase
from worktrial.language import Complete
from worktrial.suites.judging import JudgeSettings, Work, judge
from worktrial.suites.occupations.load import Task
from worktrial.workplaces import Workplace


async def grade(
    task: Task,
    workplace: Workplace,
    work: Work,
    judging: JudgeSettings,
    judge_line: Complete,
    *,
    rubric: str | None = None,
) -> SampleResult:
    """Have `work` judged, by `rubric` where there is one in place of the task's own."""
    case = JudgeCase(
        scenario=task.scenario,
        workplace=workplace.name,
        initial_state=workplace.initial_state,
        state_description=workplace.state_description,
        instruction=task.instruction,
        rubric=rubric or task.rubric,
        trajectory=work.trajectory,
        clock=work.clock,
        fault_ledger=work.faults_for_judge,
        final_state=work.final_state,
    )
    return await judge(case, judge_line, judging)
