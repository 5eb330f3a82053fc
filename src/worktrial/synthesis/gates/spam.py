"""Gate of tasks by agents that do no work, or paste for a report: who passes one of them all the same."""

from collections.abc import Sequence
from dataclasses import replace

from worktrial.agents.assignment import Assignment
from worktrial.agents.plan import follow, json_of
from worktrial.agents.spam import SPAM
from worktrial.errors import InvalidSample
from worktrial.finding import Finding
from worktrial.grading.answer_checks import AnswerClaim
from worktrial.grading.state_checks import OF_HUMANS, run_checks
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.workplaces import Session, Trajectory


async def spam_findings(tasks: Sequence[ExecutableTask]) -> list[Finding]:
    """Findings on tasks that agents pass which know no solution, and either do no work or paste as their report."""
    found = []
    for task in tasks:
        if passing := [name for name in SPAM if await _passes(name, task)]:
            said = f"all pass with agents that do no work: {', '.join(passing)}"
            fix = (
                "Ask for an act or a value that depends on a record or a rule, and check that nothing else is done"
            )
            found.append(finding(GateName.SPAM, task.id, "checks", said, fix))
        if await _takes_a_paste(task):
            said = "all pass after the work with what tools returned as the report"
            fix = "Ask for a value that no tool returns, or for more than one tool returns"
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
    return _is_met(task, session, assignment.trajectory)


async def _takes_a_paste(task: ExecutableTask) -> bool:
    """Whether the work passes where the last answer, the last two or all that tools gave are the report."""
    session, done = task.open(), Trajectory()
    try:
        await follow(task.plan_alone, session, trajectory=done)
    except InvalidSample:  # likewise
        return False
    shown = [json_of(call.observation.content) for call in done.calls]
    pastes = ["\n".join(shown[-last:]) for last in (1, 2, len(shown))]
    reads = any(isinstance(check, AnswerClaim) for check in task.checks)
    return reads and any(_is_met(task, session, replace(done, answer=paste)) for paste in pastes)


def _is_met(task: ExecutableTask, session: Session, done: Trajectory) -> bool:
    checks = [check for check in task.checks if not isinstance(check, OF_HUMANS)]
    end = session.state or {}
    results = run_checks(checks, initial_state=task.initial_state, final_state=end, trajectory=done)
    return all(check.passed for check in results)
