"""A tiny data folder in OrchestrationBench's layout, all ours, with one scenario to change at will."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

Row = dict[str, Any]


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


def scenario(*steps: Row) -> Row:
    numbered = [{"step_id": n} | one for n, one in enumerate(steps, 1)]
    return {"metadata": {"total_steps": len(steps), "note": ""}, "steps": numbered}


CALL = "tool: dig\narguments:\n  where: bed 3\ntool_call_result:\n  depth: 30"


def usual(*more: Row) -> Row:
    """A note, a request, a plan for the gardener, the call, a reply; then `more`."""
    return scenario(
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
        cards, scenarios = folder / language / "multiagent_cards", folder / language / "scenario_data"
        cards.mkdir(parents=True, exist_ok=True)
        scenarios.mkdir(parents=True, exist_ok=True)
        for one in self.cards:
            (cards / f"{one['agent_card']['agent_id']}.json").write_text(json.dumps(one))
        for stem, content in self.scenarios.items():
            if isinstance(content, dict):
                content = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
            raw = content if isinstance(content, bytes) else content.encode()
            (scenarios / f"{stem}.yaml").write_bytes(raw)
        return folder
