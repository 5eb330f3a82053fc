"""Gate of tasks by agents that do no work: who passes one of them all the same."""

from collections.abc import Sequence
from dataclasses import replace

from worktrial.agents.assignment import Assignment
from worktrial.agents.spam import SPAM
from worktrial.errors import InvalidSample
from worktrial.finding import Finding
from worktrial.grading.state_checks import OF_HUMANS, run_checks
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.names import GateName, finding


async def spam_findings(tasks: Sequence[ExecutableTask]) -> list[Finding]:
    """Findings on tasks that agents pass which know no solution and do no work."""
    found = []
    for task in tasks:
        if passing := [name for name in SPAM if await _passes(name, task)]:
            said = f"all pass with agents that do no work: {', '.join(passing)}"
            fix = (
                "Ask for an act or a value that depends on a record or a rule, and check that nothing else is done"
            )
            found.append(finding(GateName.SPAM, task.id, "checks", said, fix))
    return found


async def _passes(name: str, task: ExecutableTask) -> bool:
    session = task.open()
    tools = list(task.home.artifact.tool_specs)
    assignment = Assignment(task.instruction, task.clock, tools, session)
    try:
        await replace(SPAM[name], reads=task.reads)(assignment)
    except InvalidSample:  # a tool that fails is a finding of other gates
        return False
    checks = [check for check in task.checks if not isinstance(check, OF_HUMANS)]
    states = {"initial_state": task.initial_state, "final_state": session.state}
    return all(check.passed for check in run_checks(checks, trajectory=assignment.trajectory, **states))
