"""Agents without a model that any suite may ship: three that follow a task's plan, two that do no work."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from worktrial.grading import Outcome
from worktrial.suite import Baseline, ReferenceAgent
from worktrial.workplaces import StopReason

if TYPE_CHECKING:
    from worktrial.agents.assignment import Assignment, Solution


def plan_agent(*, must: Outcome | None = None) -> ReferenceAgent:
    """Agent that follows each task's solution plan.

    Args:
        must: Outcome that it must have on every task; None if any will do.
    """
    return ReferenceAgent("follows each task's solution plan", must, _plan_follower, Baseline.ORACLE)


def greedy_agent() -> ReferenceAgent:
    """Agent that follows each task's plan, believes every answer and looks only where it must."""
    return ReferenceAgent(
        "follows the plan, believes everything, makes no call twice", None, _greedy_follower, Baseline.ORACLE
    )


def careful_agent() -> ReferenceAgent:
    """Agent that follows each task's plan, and reads everything again before it acts."""
    return ReferenceAgent(
        "follows the plan, reads everything again before it acts", None, _careful_follower, Baseline.ORACLE
    )


def idle_agent(about: str = "answers at once", *, must: Outcome | None = None) -> ReferenceAgent:
    """Agent that answers at once, without a single call; `must` as for `plan_agent`."""
    return ReferenceAgent(about, must, lambda _: Idle(), Baseline.IDLE)


def spam_agent(*, must: Outcome | None = None) -> ReferenceAgent:
    """Agent that does no work: it makes the call that the instruction fills, reads all it can, and says all of it.

    Args:
        must: Outcome that it must have on every task; None if any will do.
    """
    return ReferenceAgent(
        "makes the first literal call, and says all that it can read", must, _spam, Baseline.RANDOM
    )


# Imported here because most runs follow no plan.
def _plan_follower(solution: "Solution") -> Any:
    from worktrial.agents.plan import PlanFollower

    return PlanFollower(solution)


def _greedy_follower(solution: "Solution") -> Any:
    from worktrial.agents.plan_readers import GreedyFollower

    return GreedyFollower(solution)


def _careful_follower(solution: "Solution") -> Any:
    from worktrial.agents.plan_readers import CarefulFollower

    return CarefulFollower(solution)


def _spam(solution: "Solution") -> Any:
    from worktrial.agents.spam import SPAM

    return replace(SPAM["spam"], reads=solution.reads)


_ANSWER = "Done."


class Idle:
    """Claims at once that the work is done, without a single call."""

    async def __call__(self, assignment: "Assignment") -> None:
        """Answer `assignment`."""
        trajectory = assignment.trajectory
        trajectory.messages += [
            {"role": "user", "content": assignment.instruction},
            {"role": "assistant", "content": _ANSWER},
        ]
        trajectory.turns = 1
        trajectory.answer = _ANSWER
        trajectory.stop_reason = StopReason.ANSWERED
