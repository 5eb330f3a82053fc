"""Agents without a model that any suite may ship: one follows a task's plan, one does nothing."""

from typing import Any

from worktrial.grading import Outcome
from worktrial.suite import ReferenceAgent


def plan_agent(*, must: Outcome | None = None) -> ReferenceAgent:
    """Agent that follows each task's solution plan.

    Args:
        must: Outcome that it must have on every task; None if any will do.
    """
    return ReferenceAgent("follows each task's solution plan", must, _plan_follower)


def idle_agent(*, must: Outcome | None = None) -> ReferenceAgent:
    """Agent that answers at once, without a single call; `must` as for `plan_agent`."""
    return ReferenceAgent("answers at once", must, _idle)


# Imported here because most runs follow no plan.
def _plan_follower() -> Any:
    from worktrial.agents.plan import PlanFollower

    return PlanFollower()


def _idle() -> Any:
    from worktrial.agents.idle import Idle

    return Idle()
