"""Tools of free-running teams: recorded answers where a call is in the recording, a simulated world elsewhere."""

import asyncio
import dataclasses
import json
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from worktrial.agents.assignment import Assignment
from worktrial.language import Complete, JsonObject, JsonValue
from worktrial.suites.orchestration.planning.cards import AgentCard, CardTool, Team, only_reads
from worktrial.suites.orchestration.planning.scenario import CallStep, Scenario
from worktrial.suites.orchestration.run.free.log import AgentRun, Log, MadeCall
from worktrial.suites.orchestration.run.prompts import world_rules
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.decisive import is_same_call
from worktrial.suites.orchestration.scoring.calls.recorded import GoldPlace, gold_calls, schema_of
from worktrial.workplaces import (
    LanguageSimulator,
    Observation,
    Origin,
    Session,
    ToolCall,
    Workplace,
    refusal,
    trial_clock,
)
from worktrial.workplaces.simulator import PromptStyle

_ANYTHING: JsonObject = {"type": "object"}
_KOREAN_DATE = re.compile(r"(\d{4})\s*년\s*(\d{1,2})\s*월\s*(\d{1,2})\s*일")


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
        tools=tuple(
            CardTool(t.name, t.description, t.parameters, writes=False if only_reads(team, agent, t.name) else None)
            for agent, card in team.items()
            for t in card.tools
        ),
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


_MOST_RECORDS = 3_000
_MOST_EARLIER = 3_000
"""Bytes of records, and of earlier calls, that the model that plays the tools is shown."""


class OneToolWorld:
    """The simulated world, of which the model that plays it sees the called tool alone.

    Beside the tool it is shown the records, and the calls that it answered before. Where those are too many, the
    records of the same tool go before others that share a value with the call, and new calls before old ones, so
    that a prompt stays as short as one tool needs.
    """

    def __init__(self, world: Workplace, complete: Complete, *, clock: str, prompt: PromptStyle | str) -> None:
        """Set up the world.

        Args:
            world: All tools of the team; see `world_of`.
            complete: The model that plays them.
            clock: The date and time of the scenario, ISO 8601.
            prompt: How much the model is told.
        """
        self._world = world
        self._complete = complete
        self._clock = clock
        self._prompt = prompt
        self._made: list[JsonObject] = []

    @property
    def state(self) -> JsonObject | None:
        """Always None: only the calls so far tell."""
        return None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`.

        Raises:
            InvalidSample: the model cannot produce an observation.
        """
        simulator = LanguageSimulator(
            self._seen_from(tool, arguments), self._complete, prompt=self._prompt, clock=self._clock
        )
        observation = await simulator.open().call(tool, arguments)
        if observation.origin is Origin.SIMULATOR:
            self._made.append({"tool": tool, "arguments": arguments, "result": observation.content})
        return observation

    def _seen_from(self, tool: str, arguments: JsonValue) -> Workplace:
        state, named = self._world.initial_state, _values(arguments)
        records = sorted(state["records"], key=lambda record: (record["tool"] != tool, not named & _values(record)))
        seen = state | {
            "records": _first(records, _MOST_RECORDS),
            "earlier": _first(self._made[::-1], _MOST_EARLIER)[::-1],
        }
        tools = tuple(known for known in self._world.tools if known.name == tool)
        return dataclasses.replace(self._world, tools=tools or self._world.tools, initial_state=seen)


def _values(value: JsonValue) -> set[str]:
    """Every text and number in `value`, as text."""
    if isinstance(value, dict):
        return set().union(*map(_values, value.values()))
    if isinstance(value, list):
        return set().union(*map(_values, value))
    return set() if value is None or isinstance(value, bool) else {str(value)}


def _first(rows: Sequence[JsonObject], most: int) -> list[JsonObject]:
    """The first of `rows` that have up to `most` bytes together; always one, where there is any."""
    kept: list[JsonObject] = []
    for row in rows:
        most -= len(json.dumps(row, ensure_ascii=False).encode(errors="replace"))
        if most < 0 and kept:
            break
        kept.append(row)
    return kept


@dataclass(frozen=True, slots=True)
class _Recorded:
    at: GoldPlace
    call: Call
    result: JsonValue


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
        """Recorded call that the latest call was."""

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
        owners = [agent for agent, card in self._team.items() if tool in card.tool_by_name]
        reads = bool(owners) and all(only_reads(self._team, agent, tool) for agent in owners)
        same = [r for r in self._by_tool[tool] if is_same_call(r.call, made, schema, reads=reads)]
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


MOST_CALLS = 50
"""Calls for one request of the plan. One answer may hold any number, and each may cost a request to a simulator."""


class TeamTools:
    """All agents' way to their tools. Workflows run in parallel, but share one world, so their calls take turns."""

    def __init__(self, recorded: RecordedTools, assignment: Assignment, log: Log) -> None:
        """Set up the way.

        Args:
            recorded: Tells which recorded call a call was.
            assignment: Its session is `recorded` itself, or what degrades its answers.
            log: Where every call is put on record.
        """
        self._recorded = recorded
        self._assignment = assignment
        self._log = log
        self._one_at_a_time = asyncio.Lock()

    async def call(self, card: AgentCard, run: AgentRun, call: Call, raw: object) -> Observation:
        """Make one call for the agent of `card`.

        A tool that the agent does not have, and arguments that are no JSON object, are answered with an error.

        Raises:
            InvalidSample: whoever plays the world cannot produce an observation.
        """
        async with self._one_at_a_time:
            started = time.monotonic()
            self._recorded.found = None
            observation = _refused(card, call, len(run.calls))
            if observation is None:
                observation = await self._assignment.session.call(call.tool, call.arguments)
            index, seconds = len(self._log.calls), round(time.monotonic() - started, 4)
            # Refused arguments may be what no record can hold; as they came they are text.
            arguments = raw if observation.origin is Origin.REFUSAL else call.arguments
            made = ToolCall(index, self._log.requests - 1, call.tool, arguments, observation, seconds)
            self._log.trajectory.calls.append(made)
            self._log.calls.append(
                MadeCall(made, run.agent, run.workflow, run.user_turn, run.query, self._recorded.found)
            )
            run.calls.append(index)
            return observation


def _refused(card: AgentCard, call: Call, made: int) -> Observation | None:
    if made >= MOST_CALLS:
        message = f"No more than {MOST_CALLS} calls are made for one request."
        return Observation({"error": {"type": "too_many_calls", "message": message}}, Origin.REFUSAL)
    if call.tool not in card.tool_by_name:
        names = ", ".join(tool.name for tool in card.tools)
        message = f"{card.agent_id} has no tool {call.tool!r}. Available: {names}."
        return Observation({"error": {"type": "unknown_tool", "message": message}}, Origin.REFUSAL)
    if call.arguments is None:
        message = f"{call.tool}: {call.problem}"
        return Observation({"error": {"type": "invalid_arguments", "message": message}}, Origin.REFUSAL)
    try:
        msgspec.json.encode(call.arguments)
    except (ValueError, OverflowError) as e:
        message = f"{call.tool}: the arguments cannot be sent ({e})"
        return Observation({"error": {"type": "invalid_arguments", "message": message}}, Origin.REFUSAL)
    return None
