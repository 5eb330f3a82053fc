"""What a judge is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from worktrial.language import JsonObject

if TYPE_CHECKING:  # reading stored verdicts must not load the workplaces
    from worktrial.workplaces import Trajectory


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """One agent's finished work on one task, with the standard it is held to."""

    scenario: str
    workplace: str
    """Name of the workplace."""
    initial_state: JsonObject
    state_description: JsonObject
    instruction: str
    """The task as the agent was given it."""
    rubric: str
    trajectory: Trajectory
    clock: str = ""
    """The trial's date and time as the agent was told it; "" when the sample has none."""
    fault_ledger: Sequence[JsonObject] = ()
    """One row for each observation that was degraded on purpose."""
    final_state: JsonObject | None = None
    """The workplace's state at the end, where it is kept outside a model's conversation."""
