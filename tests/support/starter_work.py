"""A starter task carried out by its plan, or by a plan with a mistake in it."""

import asyncio
from collections.abc import Callable
from typing import Any

from worktrial.agents.plan import Plan, Step, follow
from worktrial.grading.state_checks import CheckResult, run_checks
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_workplace
from worktrial.workplaces import Trajectory

Mistake = Callable[[Plan], Plan]


def work(task: ExecutableTask, plan: Plan, answer: str | None = None) -> tuple[list[CheckResult], Trajectory]:
    session = load_workplace(task.workplace).open(task.initial_state)
    before = session.state
    done = asyncio.run(follow(plan, session))
    if answer is not None:
        done.answer = answer
    results = run_checks(task.checks, initial_state=before, final_state=session.state, trajectory=done)
    return results, done


def passes(task: ExecutableTask, plan: Plan, answer: str | None = None) -> bool:
    return all(result.passed for result in work(task, plan, answer)[0])


def change(tool: str, nth: int = 0, **arguments: Any) -> Mistake:
    """The plan with other arguments in the nth call of a tool."""

    def changed(plan: Plan) -> Plan:
        at = [i for i, step in enumerate(plan.steps) if step.call == tool][nth]
        step = plan.steps[at]
        other = step.model_copy(update={"arguments": {**step.arguments, **arguments}})
        return plan.model_copy(update={"steps": (*plan.steps[:at], other, *plan.steps[at + 1 :])})

    return changed


def leave_out(tool: str, nth: int = 0) -> Mistake:
    def changed(plan: Plan) -> Plan:
        at = [i for i, step in enumerate(plan.steps) if step.call == tool][nth]
        return plan.model_copy(update={"steps": (*plan.steps[:at], *plan.steps[at + 1 :])})

    return changed


def add(tool: str, **arguments: Any) -> Mistake:
    return lambda plan: plan.model_copy(update={"steps": (*plan.steps, Step(call=tool, arguments=arguments))})
