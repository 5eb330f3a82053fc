"""Calls of a recording."""

from collections.abc import Iterator
from typing import NamedTuple

from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema, argument_schema


class GoldPlace(NamedTuple):
    """Place of a call in the recording."""

    step: int
    """`ScenarioStep.id`."""
    place: int
    """0-based among the step's calls."""


def gold_calls(scenario: Scenario) -> Iterator[tuple[CallStep, GoldPlace]]:
    """Every call of the recording, in order, with its step."""
    for step in scenario.steps:
        if isinstance(step, CallStep):
            for place in range(len(step.calls)):
                yield step, GoldPlace(step.id, place)


def schema_of(team: Team, tool: str) -> ArgumentSchema:
    """The schema of a tool's arguments, of the first agent that has it; one that allows all for unknown tools."""
    found = (card.tool_by_name[tool] for card in team.values() if tool in card.tool_by_name)
    first = next(found, None)
    return argument_schema(None if first is None else first.parameters)
