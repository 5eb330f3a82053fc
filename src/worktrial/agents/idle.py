"""The agent that does nothing: whatever it passes is no test."""

from worktrial.agents.assignment import Assignment
from worktrial.workplaces import StopReason

ANSWER = "Done."


class Idle:
    """Claims at once that the work is done, without a single call."""

    async def __call__(self, assignment: Assignment) -> None:
        """Answer `assignment`."""
        trajectory = assignment.trajectory
        trajectory.messages += [
            {"role": "user", "content": assignment.instruction},
            {"role": "assistant", "content": ANSWER},
        ]
        trajectory.turns = 1
        trajectory.answer = ANSWER
        trajectory.stop_reason = StopReason.ANSWERED
