"""An answer that a check cannot tell brings neither a pass nor a fail."""

import asyncio

import pytest

from worktrial.agents.plan import follow
from worktrial.grading import Outcome
from worktrial.grading.answer_checks import AnswerDate
from worktrial.suites.executable.trial import grade
from worktrial.suites.judging import JudgeSettings, Work
from worktrial.suites.starter import load_tasks


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
    work = Work(trajectory, task.clock, session.state)
    result = asyncio.run(grade(task.model_copy(update={"checks": tuple(checks)}), work, JudgeSettings()))
    assert result.outcome is outcome
    assert result.reason.startswith("undecided: ") is (outcome is Outcome.INVALID)
