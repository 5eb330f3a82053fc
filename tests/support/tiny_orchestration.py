"""A tiny data folder in OrchestrationBench's layout, all ours, with one scenario to change at will."""

from dataclasses import dataclass, field
from pathlib import Path

import yaml
from tests.support.orchestration import Row, whole, write_language


def tool(name: str, *required: str, **properties: Row) -> Row:
    """A tool whose arguments are texts unless said otherwise."""
    given = {key: {"type": "string"} for key in required} | properties
    parameters = {"type": "object", "properties": given, "required": list(required), "additionalProperties": False}
    return {"name": name, "description": f"Does {name}.", "parameters": parameters}


def card(agent_id: str, *tools: Row) -> Row:
    skills = [{"id": one["name"], "name": one["name"], "description": "", "examples": []} for one in tools]
    head = {"name": agent_id.title(), "agent_id": agent_id, "description": f"The {agent_id}.", "skills": skills}
    return {"agent_card": head, "tools": list(tools)}


def plan(*workflows: str, status: str = "pending", **depend_on: str) -> str:
    """A plan in YAML from `id:agent` words; `workflow_2="workflow_1"` lets one depend on another."""
    written = {}
    for word in workflows:
        name, agent = word.split(":")
        steps = [{"status": status, "name": agent, "refined_query": f"Do the work of {agent}"}]
        kind = "dependent" if name in depend_on else "independent"
        written[name] = {"status": status, "type": kind, "steps": steps}
        if name in depend_on:
            written[name]["depend_on"] = depend_on[name]
    return yaml.safe_dump(written, sort_keys=False)


def step(agent: str, content: object, *, workflow: str | None = None) -> Row:
    kind = agent if agent in ("main", "user") else "agent"
    return {"workflow_id": workflow, "agent": agent, "agent_type": kind, "data": {"content": content}}


CALL = "tool: dig\narguments:\n  where: bed 3\ntool_call_result:\n  depth: 30"


def usual(*more: Row) -> Row:
    """A note, a request, a plan for the gardener, the call, a reply; then `more`."""
    return whole(
        step("main", "Date: 2026-03-02", workflow="system"),
        step("user", "Please dig bed 3."),
        step("main", plan("workflow_1:gardener")),
        step("gardener", CALL, workflow="workflow_1"),
        step("main", "Bed 3 is dug."),
        *more,
    )


@dataclass
class TinyOrchestration:
    """Cards and scenarios of one language."""

    scenarios: dict[str, Row | str | bytes] = field(default_factory=lambda: {"1": usual()})
    """By the file's stem; a text or bytes are written as they are."""
    cards: list[Row] = field(
        default_factory=lambda: [card("gardener", tool("dig", "where")), card("carter", tool("haul", "load"))]
    )

    def write(self, folder: Path, language: str = "EN") -> Path:
        """Write it; returns the data folder."""
        write_language(folder / language, self.cards, self.scenarios)
        return folder
