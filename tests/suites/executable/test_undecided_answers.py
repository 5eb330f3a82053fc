"""An answer that a check cannot tell brings neither a pass nor a fail."""

import asyncio

import pytest

from worktrial.agents.plan import follow
from worktrial.engine.trial import Job, SampleContext
from worktrial.grading import Outcome
from worktrial.grading.answer_checks import AnswerDate
from worktrial.suites.executable.trial import ExecutableWork
from worktrial.suites.starter import load_tasks
from worktrial.trial.judging import JudgeSettings, Work


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("The rent roll is due on 05/01/2025.", Outcome.INVALID),
        ("The rent roll is due on 1 May 2025.", Outcome.PASS),
        ("The rent roll is due on 05/02/2025.", Outcome.FAIL),
        ("It is due on 05/01/2025.", Outcome.FAIL),  # no rent roll is named, whatever the date is
    ],
)
def test_a_date_that_can_be_read_two_ways(answer: str, outcome: Outcome) -> None:
    task = next(one for one in load_tasks() if one.id == "covenant-04")
    checks = [one.model_copy(update={"order": None}) if isinstance(one, AnswerDate) else one for one in task.checks]
    session = task.open()
    trajectory = asyncio.run(follow(task.plan, session))
    trajectory.answer = answer
    changed = task.model_copy(update={"checks": tuple(checks)})
    works = ExecutableWork(JudgeSettings(), with_judge=False)
    context = SampleContext(Job(task.id, 0), {})
    result = asyncio.run(works.grade(changed, Work(trajectory, task.clock, session.state), context, None))
    assert result.outcome is outcome
    assert result.reason.startswith("undecided: ") is (outcome is Outcome.INVALID)
