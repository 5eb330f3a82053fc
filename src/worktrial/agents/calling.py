"""Calls that are made without a model, recorded as a model's would be."""

import time

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults import is_outage
from worktrial.workplaces.session import Session
from worktrial.workplaces.trajectory import ToolCall, Trajectory

# A plan cannot wait or find a way around, so it calls again; an outage that lasts longer than this ends its work.
MOST_TRIES = 10


async def call_through(tool: str, arguments: JsonObject, session: Session, trajectory: Trajectory) -> JsonObject:
    """Make a call, again while it fails as if the service were out, `MOST_TRIES` times in all.

    Returns:
        The last answer's content. Every try is appended to the trajectory, in chat form too.
    """
    for _ in range(MOST_TRIES):
        content = await _call(tool, arguments, session, trajectory)
        if not is_outage(content):
            break
    return content


def json_of(value: JsonValue) -> str:
    """`value` as it stands in a message."""
    return msgspec.json.encode(value).decode()


async def _call(tool: str, arguments: JsonObject, session: Session, trajectory: Trajectory) -> JsonObject:
    trajectory.turns += 1
    call_id = f"plan_{len(trajectory.calls)}"
    function = {"name": tool, "arguments": json_of(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    trajectory.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    began = time.perf_counter()
    observation = await session.call(tool, arguments)
    seconds = time.perf_counter() - began
    trajectory.calls.append(
        ToolCall(len(trajectory.calls), trajectory.turns - 1, tool, arguments, observation, seconds)
    )
    trajectory.messages.append({"role": "tool", "tool_call_id": call_id, "content": json_of(observation.content)})
    return observation.content
