"""The parts of a plan as the published evaluation program finds them, its defects included."""

from collections.abc import Iterable, Mapping
from typing import Any

from worktrial.language import JsonValue

Pair = tuple[JsonValue, JsonValue]
"""An agent and a status."""


def workflows_of(plan: JsonValue) -> dict[str, JsonValue]:
    """The workflows by key: all that have `workflow` in their key."""
    return {key: workflow for key, workflow in plan.items() if "workflow" in key}


def pairs_of(workflow: Mapping[str, JsonValue]) -> Iterable[Pair]:
    """(agent, status) of each step that names an agent, one by one, so that a bad step is met in its turn."""
    for step in workflow.get("steps") or ():
        agent = step.get("agent_id") or step.get("name")
        if agent:
            yield agent, step.get("status", "UNK")


def dependencies_of(workflow: Mapping[str, JsonValue]) -> Iterable[Any]:
    """A single id is one dependency in the spelling `depend_on`; the other is walked whatever it is."""
    several = workflow.get("depends_on")
    if several:
        return several  # type: ignore[no-any-return]
    other = workflow.get("depend_on") or ()
    return [other] if isinstance(other, str) else other
