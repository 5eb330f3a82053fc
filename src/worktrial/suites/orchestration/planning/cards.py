"""Agent cards: what a domain agent says it can do, and the tools it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from worktrial.language import JsonObject, tool_spec


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

    @property
    def spec(self) -> JsonObject:
        """The tool in the form of a chat-completions request."""
        return tool_spec(self.name, self.description, self.parameters)


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
