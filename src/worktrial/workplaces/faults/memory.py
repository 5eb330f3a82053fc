"""Memory of a session under faults: what was really answered, and the state before the last write."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.faults.transforms import Context
from worktrial.workplaces.session import Observation, Session
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool


def may_write(tool: Tool | None) -> bool:
    """Whether a tool may change the state, as far as that is known."""
    return tool is not None and tool.effect in (ToolEffect.WRITE, ToolEffect.UNKNOWN)


@dataclass(frozen=True, slots=True)
class CleanAnswer:
    """A call's real answer, and what is known about it."""

    observation: Observation
    before: JsonObject | None
    """State before the call; None where it cannot be seen, or the tool only reads."""
    after: JsonObject | None
    """State after it; likewise."""
    facts: object
    """Effects after it that a ledger keeps beside the state."""
    wrote: bool
    """Whether the call changed something: as the state shows, else as far as the tool is one that writes."""
    earlier: Sequence[str]
    """Earlier answers to the same read, oldest first, as JSON."""


class CleanMemory:
    """Remembers clean observations, and the state before the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session, initial_state: JsonObject, tools: Sequence[Tool]) -> None:
        self._session = session
        self._initial_state = initial_state
        self._tools = tools
        self._reads: dict[str, list[str]] = {}
        self._seen: list[str] = []
        self._before_write: JsonObject | None = None

    async def call(self, tool: Tool | None, name: str, arguments: JsonValue) -> CleanAnswer:
        """Make a call in the workplace and remember its answer."""
        before, facts = (self._session.state, self._facts) if may_write(tool) else (None, None)
        observation = await self._session.call(name, arguments)
        failed = is_error(observation.content)
        after = None if before is None else self._session.state
        if before is not None and after is not None:
            wrote = before != after or facts is not self._facts
        else:
            wrote = tool is not None and tool.effect is ToolEffect.WRITE and not failed
        text = json_text(observation.content)
        shown: list[str] = []
        if wrote:
            self._before_write = before
        elif not may_write(tool):
            shown = self._reads.setdefault(canonical_text([name, arguments]), [])
        answer = CleanAnswer(observation, before, after, self._facts, wrote, tuple(shown))
        if not wrote and (not shown or shown[-1] != text):
            shown.append(text)
        if not failed and (not self._seen or self._seen[-1] != text):
            self._seen.append(text)
        return answer

    def context(self, answer: CleanAnswer, tool: Tool | None, arguments: JsonValue) -> Context:
        """Knowledge for a transform that degrades `answer`."""
        # The last of what was seen is the answer itself.
        seen = self._seen[:-1] if answer.observation.content and self._seen else list(self._seen)
        return Context(
            earlier=[json.loads(text) for text in answer.earlier],
            states=None if answer.wrote else self._states(),
            arguments=arguments,
            writes=answer.wrote or may_write(tool),
            documents=lambda: [self._initial_state, *(json.loads(text) for text in seen)],
            tools=self._tools,
        )

    def moved_on(self, answer: CleanAnswer) -> bool:
        """Whether the workplace is no longer as `answer` left it, as far as that can be seen."""
        return answer.after is None or self._session.state != answer.after or answer.facts is not self._facts

    @property
    def _facts(self) -> object:
        """Effects that a ledger keeps beside the state; another object after each change."""
        return getattr(self._session, "facts", None)

    def _states(self) -> tuple[JsonObject, JsonObject] | None:
        now = self._session.state if self._before_write is not None else None
        return None if self._before_write is None or now is None else (self._before_write, now)
