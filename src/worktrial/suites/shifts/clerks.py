"""Reference agents of shifts: clerks written in code, who show the floor and the ceiling."""

from worktrial.agents.assignment import Assignment
from worktrial.agents.plan import call_through
from worktrial.suites.shifts.cases import Work
from worktrial.workplaces import StopReason


class Clerk:
    """Agent that does a clerk's work, call by call. A call that fails as if the service were out is made again."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`."""
        trajectory, session = assignment.trajectory, assignment.session
        trajectory.messages.append({"role": "user", "content": assignment.instruction})
        try:
            call = next(self._work)
            while True:
                seen = await call_through(call.tool, dict(call.arguments), session, trajectory)
                call = self._work.send(seen)
        except StopIteration as e:
            trajectory.answer = e.value or "Done."
        trajectory.messages.append({"role": "assistant", "content": trajectory.answer})
        trajectory.turns += 1
        trajectory.stop_reason = StopReason.ANSWERED
