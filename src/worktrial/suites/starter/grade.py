"""Grading work on a starter task: the state checks decide, a judge's votes are kept beside them."""

from collections.abc import Sequence

from worktrial.engine.record import SampleResult
from worktrial.grading import JudgeCase, Outcome
from worktrial.grading.state_checks import CheckResult, run_checks
from worktrial.language import Complete
from worktrial.suites.judging import JudgeSettings, Work, judge
from worktrial.suites.starter.load import StarterTask, load_workplace


async def grade(
    task: StarterTask,
    work: Work,
    judging: JudgeSettings,
    *,
    judge_line: Complete | None = None,
    rubric: str | None = None,
) -> SampleResult:
    """Check `work`, whose final state is known.

    Args:
        task: What was to be done.
        work: What was done.
        judging: How the judge decides.
        judge_line: The judge's model; None asks no judge.
        rubric: In place of the task's own; for the judge, the checks stay the task's.
    """
    checks = run_checks(
        task.checks,
        initial_state=task.initial_state,
        final_state=work.final_state or {},
        trajectory=work.trajectory,
    )
    result = SampleResult(
        outcome=Outcome.PASS if all(check.passed for check in checks) else Outcome.FAIL,
        reason=_summary(checks),
        checks=checks,
    )
    if judge_line is not None:
        result.votes = (await judge(judge_case(task, work, rubric), judge_line, judging)).votes
    return result


def judge_case(task: StarterTask, work: Work, rubric: str | None = None) -> JudgeCase:
    """What a judge is shown of `work`."""
    artifact = load_workplace(task.workplace).artifact
    return JudgeCase(
        scenario=task.scenario,
        workplace=artifact.name,
        initial_state=task.initial_state,
        state_description=artifact.state_description,
        instruction=task.instruction,
        rubric=rubric or task.rubric,
        trajectory=work.trajectory,
        clock=work.clock,
        fault_ledger=work.faults_for_judge,
        final_state=work.final_state,
    )


def _summary(checks: Sequence[CheckResult]) -> str:
    failed = [check for check in checks if not check.passed]
    if not failed:
        return f"all {len(checks)} checks passed"
    return f"{len(failed)} of {len(checks)} checks failed; first: {failed[0].check} ({failed[0].why})"
