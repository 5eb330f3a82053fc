"""Hazards in workplaces and their tasks: what runs, and yet misleads a simulator, an agent or a judge."""

from worktrial.workplaces.lint.assignments import dates_without_a_clock, tool_verbs, tools_missing_from_rubric
from worktrial.workplaces.lint.calls import unknown_calls
from worktrial.workplaces.lint.descriptions import undescribed_state
from worktrial.workplaces.lint.examples import clashing_examples
from worktrial.workplaces.lint.hazard import Finding, HazardName

__all__ = [
    "Finding",
    "HazardName",
    "clashing_examples",
    "dates_without_a_clock",
    "tool_verbs",
    "tools_missing_from_rubric",
    "undescribed_state",
    "unknown_calls",
]
