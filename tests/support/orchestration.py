"""A tiny release in OrchestrationBench's layout, all ours, so that most tests need no real data."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language, Scenario

Row = dict[str, Any]
"""A step of a scenario file without its number."""


def _row(agent: str, kind: str, text: str, hint: str | None = None) -> Row:
    return {"workflow_id": hint, "step_id": 0, "agent": agent, "agent_type": kind, "data": {"content": text}}


def _id(name: str) -> str:
    head, word, number = name.rpartition("workflow_")
    return head + word + number.replace("_", "-")


def note(text: str = "Today is Monday, 2 March 2026.") -> Row:
    return _row("main", "main", text, "system")


def user(text: str) -> Row:
    return _row("user", "user", text)


def reply(text: str) -> Row:
    return _row("main", "main", text)


def plan(**workflows: Row) -> Row:
    """A plan; `_` in an id after the number stands for `-`: `workflow_1_1`."""
    named = {_id(name): workflow for name, workflow in workflows.items()}
    return _row("main", "main", yaml.safe_dump(named, sort_keys=False, allow_unicode=True))


def workflow(*steps: tuple[str, str], status: str = "pending", after: str | Sequence[str] = ()) -> Row:
    """A workflow of `(agent, query)` steps, after one other workflow or several."""
    listed = [{"status": status, "name": agent, "refined_query": query} for agent, query in steps]
    if not after:
        return {"status": status, "type": "independent", "steps": listed}
    return {"status": status, "type": "dependent", "depend_on": after, "steps": listed}


def call(agent: str, tool: str, hint: str | None = None, result: Any = None, **arguments: Any) -> Row:
    content = {"tool": tool, "arguments": arguments, "tool_call_result": result or {"status": "success"}}
    return _row(agent, "agent", yaml.safe_dump(content, sort_keys=False, allow_unicode=True), hint)


def waits(agent: str, info: str, hint: str | None = None) -> Row:
    return _row(agent, "agent", f"status: AWAITING_USER_INPUT\nrequired_info: {info}", hint)


def violates(agent: str, message: str, hint: str | None = None) -> Row:
    return _row(agent, "agent", f"status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: {message}", hint)


def raw(agent: str, text: str, hint: str | None = None) -> Row:
    """A domain agent's step with any content."""
    return _row(agent, "agent", text, hint)


def card(agent_id: str, description: str, **tools: Row) -> Row:
    """A card with a skill for each tool; a tool is `{argument: JSON Schema}`, all of them required."""
    listed = [
        {
            "name": name,
            "description": f"Does {name}.",
            "parameters": {"type": "object", "properties": properties, "required": list(properties)},
        }
        for name, properties in tools.items()
    ]
    skills = [{"id": name, "name": name, "description": f"You can {name}.", "examples": []} for name in tools]
    about = {"name": agent_id.removesuffix("_agent").title(), "agent_id": agent_id, "description": description}
    return {"agent_card": {**about, "capabilities": {}, "skills": skills}, "tools": listed}


_TEXT = {"type": "string"}
_CARDS = (
    card("weather_agent", "Knows the weather.", forecast={"place": _TEXT, "day": {"type": "string"}}),
    card(
        "harbour_agent", "Knows the berths.", findBerths={"day": _TEXT}, bookBerth={"berth": _TEXT, "ship": _TEXT}
    ),
    card("post_agent", "Sends messages.", send={"to": _TEXT, "text": _TEXT}),
)

FIND = "Find free berths for tomorrow"
BOOK = "Book a berth for tomorrow"
BERTH: tuple[Row, ...] = (
    note(),
    user("How is the weather in Skagen tomorrow? And find me a berth for tomorrow and book it."),
    plan(
        workflow_1=workflow(("weather_agent", "Forecast for Skagen tomorrow")),
        workflow_2=workflow(("harbour_agent", FIND)),
        workflow_3=workflow(("harbour_agent", BOOK), after="workflow_2"),
    ),
    call("weather_agent", "forecast", result={"wind": "calm"}, place="Skagen", day="2026-03-03"),
    call("harbour_agent", "findBerths", result={"free": ["B1", "B2"]}, day="2026-03-03"),
    waits("harbour_agent", "The berth that the user prefers, and the ship's name"),
    reply("Calm weather. B1 and B2 are free: which one, and for which ship?"),
    user("B2, for the Gannet."),
    call("harbour_agent", "bookBerth", berth="B2", ship="Gannet"),
    reply("B2 is booked."),
    user("Tell Ida that we moor at B2."),
    plan(
        workflow_1=workflow(("weather_agent", "Forecast for Skagen tomorrow"), status="completed"),
        workflow_2=workflow(("harbour_agent", FIND), status="completed"),
        workflow_3=workflow(
            ("harbour_agent", "LATER: book B2 for the Gannet"), status="completed", after="workflow_2"
        ),
        workflow_4=workflow(("post_agent", "Tell Ida that we moor at B2")),
    ),
    call("post_agent", "send", to="Ida", text="We moor at B2."),
    reply("Ida knows."),
)
"""Steps 1 to 14: weather and berths in parallel, a booking that depends on the search, and a new wish."""

SHORT: tuple[Row, ...] = (
    note(),
    user("Tell Ida hello."),
    plan(workflow_1=workflow(("post_agent", "Tell Ida hello"))),
    call("post_agent", "send", to="Ida", text="Hello"),
    reply("Done."),
)


def whole(*rows: Row) -> Row:
    """A scenario file of these steps."""
    steps = [{**row, "step_id": n} for n, row in enumerate(rows, 1)]
    return {"metadata": {"total_steps": len(steps), "note": ""}, "steps": steps}


def write_language(folder: Path, cards: Iterable[Row], scenarios: Mapping[str, Row | str | bytes]) -> None:
    """Write cards, and scenarios by the file's stem; a text or bytes are written as they are."""
    for place in ("multiagent_cards", "scenario_data"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    for made in cards:
        (folder / "multiagent_cards" / f"{made['agent_card']['agent_id']}.json").write_text(json.dumps(made))
    for stem, content in scenarios.items():
        if isinstance(content, dict):
            content = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / "scenario_data" / f"{stem}.yaml").write_bytes(raw)


@dataclass
class TinyTeam:
    """Two English scenarios and a Korean one. Change what a test is about, then `write` it."""

    scenarios: dict[str, Sequence[Row]] = field(
        default_factory=lambda: {"EN/1": BERTH, "EN/2": SHORT, "KO/1": SHORT}
    )
    """Steps by language and number."""
    cards: Sequence[Row] = _CARDS

    def write(self, folder: Path) -> Path:
        """Write the release into `folder`."""
        for key, rows in self.scenarios.items():
            language, _, number = key.partition("/")
            write_language(folder / language, self.cards, {number: whole(*rows)})
        return folder


def scenario_of(folder: Path, *rows: Row) -> Scenario:
    """A scenario of these steps, written into `folder` and read again."""
    TinyTeam({"EN/1": rows}).write(folder)
    return load_release(folder, [Language.EN]).scenarios[0]
