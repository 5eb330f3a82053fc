"""The tools of a whole team, answered from the recording where a call is one of its calls."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.suites.orchestration.toolcalls.calls import Call
from worktrial.suites.orchestration.toolcalls.pairs import pair
from worktrial.suites.orchestration.toolcalls.schema import ArgumentSchema, argument_schema
from worktrial.suites.orchestration.toolcalls.values import Outcome
from worktrial.workplaces import Observation, Origin, Session, Workplace, refusal

RESTATED = "refinedQuery"
"""The argument in which every tool of the released data repeats the request in the agent's own words. Its wording
does not change what a tool does, so calls that differ in nothing else are the same call."""


class GoldPlace(NamedTuple):
    """Which call of the recording."""

    step: int
    """`Step.id`."""
    place: int
    """0-based among the step's calls."""


@dataclass(frozen=True, slots=True)
class _Recorded:
    at: GoldPlace
    call: Call
    result: JsonValue


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

    Arguments are compared typed, as in the sound score.
    """
    if gold.tool != made.tool or made.arguments is None:
        return False
    arguments = pair(gold, made, schema, "").arguments
    return all(a.outcome is Outcome.EQUAL or a.key == RESTATED for a in arguments)


class RecordedTools:
    """Answers a call with the recorded result where the recording has that call, else lets `inner` answer.

    Each recorded call is used once, in the order of the recording; made again, the call gets the same result again.
    """

    def __init__(self, scenario: Scenario, team: Team, workplace: Workplace, inner: Session | None) -> None:
        """Set up the tools.

        Args:
            scenario: The recording.
            team: For the tools' schemas.
            workplace: The tools, for calls that cannot be made.
            inner: Who answers what the recording does not hold; None for nobody, which is then what is said.
        """
        self._team = team
        self._workplace = workplace
        self._inner = inner
        self._used: set[GoldPlace] = set()
        self._by_tool: dict[str, list[_Recorded]] = defaultdict(list)
        for step, at in gold_calls(scenario):
            gold = step.calls[at.place]
            self._by_tool[gold.tool].append(_Recorded(at, Call(gold.tool, gold.arguments), gold.result))
        self.found: GoldPlace | None = None
        """Which recorded call the latest call was."""

    @property
    def state(self) -> JsonObject | None:
        """The state of whoever answers what the recording does not hold."""
        return None if self._inner is None else self._inner.state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`."""
        recorded = self._recorded(tool, arguments)
        self.found = None if recorded is None else recorded.at
        if recorded is not None and recorded.result is not None:
            return Observation(_as_object(recorded.result), Origin.RECORDED)
        refused = refusal(self._workplace, tool, arguments)
        if refused is not None:
            return refused
        if self._inner is not None:
            return await self._inner.call(tool, arguments)
        message = f"Nothing is known here that {tool} could return for these arguments."
        return Observation({"error": {"type": "nothing_known", "message": message}}, Origin.RECORDED)

    def _recorded(self, tool: str, arguments: JsonValue) -> _Recorded | None:
        if not isinstance(arguments, dict):
            return None
        if tool not in self._by_tool:
            return None
        schema, made = schema_of(self._team, tool), Call(tool, arguments)
        same = [r for r in self._by_tool[tool] if is_same_call(r.call, made, schema)]
        unused = [r for r in same if r.at not in self._used]
        if not same:
            return None
        chosen = unused[0] if unused else same[-1]
        self._used.add(chosen.at)
        return chosen


def _as_object(result: JsonValue) -> JsonObject:
    # YAML knows dates, JSON does not.
    plain = json.loads(json.dumps(result, default=str, ensure_ascii=False))
    return plain if isinstance(plain, dict) else {"result": plain}
