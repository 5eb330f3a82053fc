"""Agent cards: what each domain agent can do, and how it is read from a data folder."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue, tool_spec
from worktrial.suites.orchestration.planning.files import CARDS, SourceFile, source_files
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.workplaces import Tool
from worktrial.workplaces.tools import schema_problem


@dataclass(frozen=True, slots=True)
class Skill:
    """One ability that a card advertises."""

    id: str
    name: str
    description: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentTool:
    """A tool of a domain agent; `parameters` is a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: JsonObject
    reads_only: bool | None = None
    """Whether it leaves nothing behind, by the card's `annotations.readOnlyHint`; null where that is missing."""

    @property
    def spec(self) -> JsonObject:
        """The tool in the form of a chat-completions request."""
        return tool_spec(self.name, self.description, self.parameters)


@dataclass(frozen=True)
class CardTool(Tool):
    """A tool of an agent's card, for checking calls. Where its schema is none it takes any object."""

    def problems(self, arguments: JsonValue) -> list[JsonObject]:
        """Breaches of the schema; see `Tool.problems`."""
        # Only for tools that are called: checking the schemas of a whole team takes most of a second.
        return super().problems(arguments) if _is_schema(json.dumps(self.parameters)) else []


@lru_cache(maxsize=1024)
def _is_schema(text: str) -> bool:
    return schema_problem(json.loads(text)) is None


@dataclass(frozen=True, slots=True)
class AgentCard:
    """A domain agent: its card and its tools, in the order of the file."""

    agent_id: str
    name: str
    description: str
    skills: tuple[Skill, ...] = ()
    tools: tuple[AgentTool, ...] = ()

    @property
    def tool_by_name(self) -> dict[str, AgentTool]:
        """The tools by their name."""
        return {tool.name: tool for tool in self.tools}


Team = Mapping[str, AgentCard]
"""The domain agents of one language by `agent_id`, sorted by it, so that prompts are the same everywhere."""


_RESERVED = ("main", "user")


class _Skill(msgspec.Struct):
    id: str
    name: str = ""
    description: str = ""
    examples: list[str] = []


class _Card(msgspec.Struct):
    agent_id: str
    name: str
    description: str
    skills: list[_Skill] = []


class _Schema(msgspec.Struct, rename="camel"):
    """The keywords that a prompt or a score relies on; others are let through. The metaschema costs 2 ms a tool."""

    type: str | list[str] = ""
    description: str = ""
    properties: "dict[str, _Schema | bool]" = {}
    required: list[str] = []
    additional_properties: "_Schema | bool" = True
    items: "_Schema | bool" = True
    any_of: "list[_Schema | bool]" = []
    one_of: "list[_Schema | bool]" = []
    all_of: "list[_Schema | bool]" = []
    enum: list[Any] = []
    pattern: str = ""


class _Annotations(msgspec.Struct, rename="camel"):
    """The annotation of the Model Context Protocol that a score relies on; others are let through."""

    read_only_hint: bool | None = None


class _Tool(msgspec.Struct):
    name: str
    description: str = ""
    parameters: _Schema | None = None
    annotations: _Annotations | None = None


class _File(msgspec.Struct):
    agent_card: _Card
    tools: list[_Tool] = []


def load_team(folder: Path, language: Language) -> Team:
    """The domain agents of `language`, sorted by their `agent_id`.

    Raises:
        DataError: a folder is missing, a card cannot be used, or two cards have one `agent_id`.
    """
    return team_of(source_files(folder, language, CARDS, ".json"), folder)


def team_of(files: list[SourceFile], folder: Path) -> Team:
    """The domain agents in `files`.

    Raises:
        DataError: as `load_team`.
    """
    team: dict[str, AgentCard] = {}
    homes: dict[str, str] = {}
    for file in files:
        card = _card(file, folder / file.name)
        if card.agent_id in team:
            raise DataError(
                folder / file.name,
                f"agent_card.agent_id: {card.agent_id!r} is that of {homes[card.agent_id]} too",
                "Every agent needs its own",
            )
        team[card.agent_id] = card
        homes[card.agent_id] = file.name
    return dict(sorted(team.items()))


def _card(file: SourceFile, where: Path) -> AgentCard:
    if file.problem:
        raise DataError(where, file.problem, "A card is a JSON file of one object")
    try:
        raw = msgspec.json.decode(file.text)
        read = msgspec.convert(raw, _File)
    except msgspec.ValidationError as e:
        raise DataError(where, str(e), "See the cards of the release for what a card has") from None
    except (msgspec.DecodeError, RecursionError) as e:
        raise DataError(where, f"is not JSON: {e}", "Mend it, or copy it again") from None
    card = read.agent_card
    if not card.agent_id.strip() or card.agent_id in _RESERVED:
        raise DataError(
            where,
            f"agent_card.agent_id: {card.agent_id!r} cannot be the id of a domain agent",
            f"Give it one; {' and '.join(_RESERVED)} are taken",
        )
    twice = [name for name, times in Counter(tool.name for tool in read.tools).items() if times > 1]
    if twice:
        raise DataError(where, f"tools: more than one is called {twice[0]!r}", "Rename or remove one")
    tools = tuple(
        _tool(tool, written, where, f"tools[{n}]")
        for n, (tool, written) in enumerate(zip(read.tools, raw.get("tools", []), strict=True))
    )
    skills = tuple(Skill(s.id, s.name or s.id, s.description, tuple(s.examples)) for s in card.skills)
    return AgentCard(card.agent_id, card.name, card.description, skills, tools)


def _tool(tool: _Tool, written: JsonObject, where: Path, field: str) -> AgentTool:
    if not tool.name.strip():
        raise DataError(where, f"{field}.name is blank", "Give the tool a name")
    reads_only = None if tool.annotations is None else tool.annotations.read_only_hint
    if tool.parameters is None:
        return AgentTool(tool.name, tool.description, {"type": "object", "properties": {}}, reads_only)
    if tool.parameters.type != "object":
        what = f"{field}.parameters.type of tool {tool.name!r} is {tool.parameters.type!r}"
        raise DataError(where, what, "Make it 'object', with an argument a property")
    return AgentTool(tool.name, tool.description, written["parameters"], reads_only)


_EFFECTS = Path(__file__).with_name("effects.yaml")


def only_reads(team: Team, agent: str, tool: str) -> bool:
    """Whether a call of the agent's tool leaves nothing behind; False for a tool that nobody has classed.

    What the card says goes before the shipped list (`effects.yaml`, which says how it was made).
    """
    known = team[agent].tool_by_name.get(tool) if agent in team else None
    if known is not None and known.reads_only is not None:
        return known.reads_only
    return tool in effect_classes()["reading"].get(agent, ())


@cache
def effect_classes() -> dict[str, Any]:
    """Tools of known agents, `changing` something or only `reading`, by agent."""
    import yaml

    classes: dict[str, Any] = yaml.safe_load(_EFFECTS.read_text(encoding="utf-8"))
    return classes
