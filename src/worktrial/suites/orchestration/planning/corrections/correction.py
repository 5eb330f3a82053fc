"""A correction: one change to one step, with its reason."""

from dataclasses import dataclass

from worktrial.suites.orchestration.planning.corrections.operations import Operation


@dataclass(frozen=True, slots=True)
class Correction:
    """One change to one step of a scenario."""

    scenario: str
    """`Scenario.id`."""
    step: int
    """`Step.id`."""
    reason: str
    operation: Operation
