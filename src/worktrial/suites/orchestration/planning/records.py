"""Steps as a scenario's file has them, before they are typed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One entry of `steps`."""

    id: int
    """`step_id`."""
    workflow: str | None
    """`workflow_id`."""
    agent: str
    agent_type: str
    text: str | None
    """`data.content`; null where it is no text."""
    left_out: str = ""
    """Why a correction takes the step out of the trial; "" for a step that stays."""
