"""No verdict hangs on how a right answer is spelled, and none on luck: every task, every value in its answer."""

import asyncio

import pytest
from tests.support.spellings import STYLES, places, respelled

from worktrial.agents.plan import follow
from worktrial.grading.state_checks import CheckResult, run_checks
from worktrial.language import JsonObject
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_tasks
from worktrial.workplaces import Trajectory

TASKS = {task.id: task for task in load_tasks()}


class Done:
    """A task carried out by its plan, to be reported in other words."""

    def __init__(self, task: ExecutableTask) -> None:
        session = task.open()
        self.task = task
        self.trajectory: Trajectory = asyncio.run(follow(task.plan, session))
        self.state: JsonObject = session.state
        self.answer = self.trajectory.answer

    def failed(self, answer: str) -> list[CheckResult]:
        self.trajectory.answer = answer
        results = run_checks(
            self.task.checks,
            initial_state=self.task.initial_state,
            final_state=self.state,
            trajectory=self.trajectory,
        )
        return [result for result in results if not result.passed]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_spellings_change_no_verdict(task: ExecutableTask) -> None:
    done = Done(task)
    found = places(task, done.answer)
    wrong = []
    for style in STYLES:
        answer = respelled(done.answer, found, style)
        wrong += [(style, answer, result.check, result.why) for result in done.failed(answer)]
    assert not wrong, wrong[0]


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS.keys())
def test_near_misses_fail(task: ExecutableTask) -> None:
    done = Done(task)
    for place in places(task, done.answer):
        for miss in place.wrong():
            answer = place.pattern.sub(miss, done.answer)
            assert answer != done.answer
            assert done.failed(answer), (place.check, miss, answer)
