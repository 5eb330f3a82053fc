"""The workplace artifact: configuration that three kinds of session can run."""

import re
from dataclasses import dataclass, field
from functools import cached_property

from worktrial.language import JsonObject
from worktrial.workplaces.records import KnownState
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import names, scalars

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Workplace:
    """A professional environment: rules, tools, and the state in which an agent finds it."""

    name: str
    system_prompt: str
    """Rules of behaviour, error handling and output, for a model that plays the workplace."""
    tools: tuple[Tool, ...]
    initial_state: JsonObject
    state_description: JsonObject = field(default_factory=dict)
    """Meaning of the state's fields, with causal hints."""
    source: str = ""
    """The file it came from, for messages."""

    @cached_property
    def start(self) -> KnownState:
        """The state in which an agent finds it, with what answers are held against."""
        return KnownState(self.initial_state)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Words of rules, descriptions and tools, and keys of the state, in lower case."""
        described = self.state_description
        texts = [self.system_prompt, *names(described), *map(str, scalars(described))]
        texts += [*(tool.description for tool in self.tools), *names(self.initial_state)]
        return frozenset(_WORD.findall("\n".join(texts).lower()))

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    def tool(self, name: str) -> Tool | None:
        """The tool called `name`, or None."""
        return self._by_name.get(name)

    @cached_property
    def tool_specs(self) -> list[JsonObject]:
        """All tools in the chat-completions form, in order."""
        return [tool.spec for tool in self.tools]
