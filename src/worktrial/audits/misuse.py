"""Calls that a workplace's rules forbid, made from a plan: a simulator has to know them, too."""

from collections.abc import Iterable, Iterator

from worktrial.language import JsonObject
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces import ToolCall
from worktrial.workplaces.fidelity import with_unknown_ids
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text

# Errors are alike; more of them would drown the rest of an audit.
_MOST = 6


async def misuses(task: ExecutableTask, calls: Iterable[ToolCall]) -> list[JsonObject]:
    """Calls, as rows with `tool` and `arguments`, that end in an error in the task's initial state.

    Tried are the plan's writes without what has to come before them, and every call with an id that nobody
    has. None of them changes the state, so they can be made one after the other.
    """
    workplace = task.home
    found: dict[str, JsonObject] = {}
    for row in _candidates(list(calls)):
        observation = await workplace.open(task.initial_state).call(row["tool"], row["arguments"])
        tool = workplace.artifact.tool(row["tool"])
        if tool is not None and not tool.problems(row["arguments"]) and is_error(observation.content):
            found.setdefault(canonical_text(row), row)
    return list(found.values())[:_MOST]


def _candidates(calls: list[ToolCall]) -> Iterator[JsonObject]:
    for call in reversed(calls):
        yield {"tool": call.tool, "arguments": call.arguments}
    tools: set[str] = set()
    for call in calls:
        if call.tool in tools:
            continue
        tools.add(call.tool)
        yield from ({"tool": call.tool, "arguments": arguments} for arguments in with_unknown_ids(call.arguments))
