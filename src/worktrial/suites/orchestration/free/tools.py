"""How a domain agent's calls reach the tools, one after the other, and get on record."""

import asyncio
import time

import msgspec

from worktrial.suites.orchestration.free.log import AgentRun, Log, MadeCall
from worktrial.suites.orchestration.free.recorded import RecordedTools
from worktrial.suites.orchestration.planning.cards import AgentCard
from worktrial.suites.orchestration.toolcalls.calls import Call
from worktrial.workplaces import Observation, Origin, Session, ToolCall

MOST_CALLS = 50
"""Calls for one request of the plan. One answer may hold any number, and each may cost a request to a simulator."""


class TeamTools:
    """All agents' way to their tools. Workflows run in parallel, but share one world, so their calls take turns."""

    def __init__(self, recorded: RecordedTools, session: Session, log: Log) -> None:
        """Set up the way.

        Args:
            recorded: Tells which recorded call a call was.
            session: `recorded` itself, or what degrades its answers.
            log: Where every call is put on record.
        """
        self._recorded = recorded
        self._session = session
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
                observation = await self._session.call(call.tool, call.arguments)
            index, seconds = len(self._log.calls), round(time.monotonic() - started, 4)
            # Refused arguments may be what no record can hold; as they came they are text.
            arguments = raw if observation.origin is Origin.REFUSAL else call.arguments
            made = ToolCall(index, self._log.requests - 1, call.tool, arguments, observation, seconds)
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
