"""Proof of a composed task by playing it: its plan passes, and idleness does not."""

from collections.abc import Mapping

import msgspec
from pydantic import TypeAdapter, ValidationError

from worktrial.agents.plan import Plan, follow
from worktrial.errors import InvalidSample
from worktrial.grading.check import CheckResult
from worktrial.grading.state_checks import Check, run_checks
from worktrial.synthesis.compose.atoms import Workshop
from worktrial.synthesis.compose.composer import ComposedTask, plan_of, state_of
from worktrial.synthesis.compose.languages import language_of
from worktrial.workplaces import Trajectory

CHECKS: TypeAdapter[list[Check]] = TypeAdapter(list[Check])
IDLE = "Done."


async def faults_of(task: ComposedTask, workshop: Workshop) -> list[str]:
    """Reasons why the task is none, each in a sentence; [] where it holds.

    In every language its plan has to pass all checks, doing nothing must not, and the text has to be in that
    language.
    """
    try:
        checks = CHECKS.validate_python(task.checks)
    except ValidationError as e:
        return [f"its checks: {error['loc']}: {error['msg']}" for error in e.errors()]
    state = await state_of(task, workshop)
    faults: list[str] = []
    for language, instruction in task.instructions.items():
        found = language_of(instruction, task.instructions)
        if found != language:
            faults.append(f"its instruction in {language} reads as {found}")
        try:
            plan = Plan.model_validate(plan_of(task, language))
            session = workshop.open(state)
            done = await follow(plan, session)
        except (ValidationError, InvalidSample) as e:
            faults.append(f"its plan cannot be followed: {e}")
            continue
        refused = [call for call in done.calls if "error" in call.observation.content]
        faults += [
            f"its plan's call of {call.tool} is refused: {_said(call.observation.content)}" for call in refused
        ]
        results = run_checks(checks, initial_state=state, final_state=session.state or {}, trajectory=done)
        faults += [
            f"its own plan fails a check in {language}: {_failed(result)}"
            for result in results
            if not result.passed
        ]
    idle = Trajectory(answer=IDLE)
    passed = run_checks(checks, initial_state=state, final_state=state, trajectory=idle)
    if all(result.passed for result in passed):
        faults.append("it is passed by doing nothing")
    return faults


def _failed(result: CheckResult) -> str:
    return f"{result.check} ({result.why})"


def _said(content: Mapping[str, object]) -> str:
    return msgspec.json.encode(content).decode()
