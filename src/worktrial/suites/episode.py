"""One agent's stay in a workplace, from the assignment to the stored result. Shared by the suites."""

from collections.abc import Awaitable, Callable

from worktrial.agents.assignment import Agent, Assignment
from worktrial.engine.record import SampleResult
from worktrial.errors import InvalidSample
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.suites.faults import note_faults

Grade = Callable[[], Awaitable[SampleResult]]


async def episode(agent: Agent, assignment: Assignment, grade: Grade) -> SampleResult:
    """Let `agent` work, then grade it.

    The trajectory is kept whichever way it ends: a sample without a verdict has to be explained too.
    """
    finished = False
    try:
        await agent(assignment)
        finished = True
        result = await grade()
    except InvalidSample as e:
        result = SampleResult(outcome=Outcome.INVALID, reason=str(e))
    done = assignment.trajectory
    result.calls, result.turns = len(done.calls), done.turns
    result.stop_reason = done.stop_reason.value if finished else None
    result.clock = assignment.clock
    note_faults(result, assignment.session)
    result.trajectory = _trajectory_line(assignment, result)
    return result


def _trajectory_line(assignment: Assignment, result: SampleResult) -> JsonObject:
    done = assignment.trajectory
    return {
        "outcome": result.outcome,
        "reason": result.reason,
        "instruction": assignment.instruction,
        "clock": assignment.clock,
        "answer": done.answer,
        "stop_reason": result.stop_reason,
        "messages": done.messages,
        "calls": done.calls,
        "final_state": assignment.session.state,
    }
