"""The world behind a team's tools: a workplace made of the cards and of what the recording says."""

import dataclasses
import json
import re
from dataclasses import dataclass
from functools import lru_cache

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.orchestration.free.prompting import world_rules
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.workplaces import Tool, Workplace, trial_clock
from worktrial.workplaces.tools import schema_problem

_ANYTHING: JsonObject = {"type": "object"}
_KOREAN_DATE = re.compile(r"(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일")


@dataclass(frozen=True)
class CardTool(Tool):
    """A tool of an agent's card. Where its schema is none it takes any object."""

    def problems(self, arguments: JsonValue) -> list[JsonObject]:
        """See `Tool.problems`."""
        # Only for tools that are called: checking the schemas of a whole team takes most of a second.
        return super().problems(arguments) if _is_schema(json.dumps(self.parameters)) else []


def world_of(scenario: Scenario, team: Team) -> Workplace:
    """All tools of the team, over the facts that the recording's note and results hold."""
    records = [
        {"tool": call.tool, "arguments": call.arguments, "result": call.result}
        for step in scenario.steps
        if isinstance(step, CallStep)
        for call in step.calls
        if call.result is not None
    ]
    state = {"information": scenario.note, "records": records}
    rules = world_rules()
    return Workplace(
        name=scenario.key,
        system_prompt=rules["rules"],
        tools=tuple(CardTool(t.name, t.description, t.parameters) for card in team.values() for t in card.tools),
        initial_state=json.loads(json.dumps(state, default=str)),
        state_description=rules["state"],
        source=f"{scenario.language}/{scenario.id}",
    )


def without_schemas(world: Workplace) -> Workplace:
    """`world` with tools that take any object.

    A recorded call is answered even where its arguments do not satisfy the card's schema, so a fault must be able
    to strike it too.
    """
    return dataclasses.replace(
        world, tools=tuple(dataclasses.replace(tool, parameters=_ANYTHING) for tool in world.tools)
    )


def clock_of(scenario: Scenario, default: str) -> str:
    """The date and time of the scenario, ISO 8601, from its note."""
    note = _KOREAN_DATE.sub(lambda m: f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}", scenario.note)
    return trial_clock(note, {}, default)


@lru_cache(maxsize=1024)
def _is_schema(text: str) -> bool:
    return schema_problem(json.loads(text)) is None
