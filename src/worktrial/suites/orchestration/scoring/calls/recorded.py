"""Calls of a recording: which they are, and whether a call that was made is one of them."""

from collections.abc import Iterator
from typing import NamedTuple

from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.matching import pair
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema, argument_schema
from worktrial.suites.orchestration.scoring.calls.values import ValueOutcome

RESTATED = "refinedQuery"
"""The argument in which every tool of the released data repeats the request in the agent's own words. Its wording
does not change what a tool does, so calls that differ in nothing else are the same call."""


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


def is_same_call(gold: Call, made: Call, schema: ArgumentSchema) -> bool:
    """Whether `made` is `gold` without anybody having to judge: the tool and every argument but `RESTATED`.

    Arguments are compared typed, as in our score.
    """
    if gold.tool != made.tool or made.arguments is None:
        return False
    arguments = pair(gold, made, schema, "").arguments
    return all(a.outcome is ValueOutcome.EQUAL or a.key == RESTATED for a in arguments)
