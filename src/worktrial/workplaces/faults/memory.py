"""Memory of a session under faults: what was really answered, and the state before the last write."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.stale import Facts, facts_of
from worktrial.workplaces.faults.transforms import Context
from worktrial.workplaces.faults.wrong import plain_values
from worktrial.workplaces.session import Observation, Session
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool

_Text = bytes | str
"""An observation as JSON."""


def _kept(content: JsonValue) -> _Text:
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        # A lone surrogate is legal in a JSON string and has no UTF-8 of its own.
        return json_text(content)


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
    earlier: Sequence[_Text]
    """Earlier answers to the same read, oldest first, as JSON."""


class CleanMemory:
    """Remembers clean observations, and the state before the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session, initial_state: JsonObject, tools: Sequence[Tool]) -> None:
        self._session = session
        self._initial_state = initial_state
        self._tools = tools
        self._reads: dict[str, list[_Text]] = {}
        self._seen: list[_Text] = []
        self._read: dict[_Text, JsonObject] = {}
        self._known: dict[_Text, Facts] = {}
        self._values: dict[_Text, list[tuple[str, JsonValue]]] = {}
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
        text = _kept(observation.content)
        shown: list[_Text] = []
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

    def context(
        self, answer: CleanAnswer, tool: Tool | None, arguments: JsonValue, needed: Needed | None, *, silent: bool
    ) -> Context:
        """Knowledge for a transform that degrades `answer`; see `Context` for `needed` and `silent`."""
        # The last of what was seen is the answer itself.
        seen = self._seen[:-1] if answer.observation.content and self._seen else list(self._seen)
        return Context(
            # The same text is the same answer, and nothing older.
            earlier=[self._parsed(text) for text in answer.earlier if not self._seen or text != self._seen[-1]],
            states=None if answer.wrote else self._states(),
            arguments=arguments,
            writes=answer.wrote or may_write(tool),
            documents=lambda: [self._initial_state, *map(self._parsed, seen)],
            facts=lambda: [self._facts_in(text) for text in ("", *seen)],
            values=lambda: [self._values_in(text) for text in ("", *seen)],
            tools=self._tools,
            needed=needed,
            silent=silent,
        )

    def moved_on(self, answer: CleanAnswer) -> bool:
        """Whether the workplace is no longer as `answer` left it, as far as that can be seen."""
        return answer.after is None or self._session.state != answer.after or answer.facts is not self._facts

    @property
    def _facts(self) -> object:
        """Effects that a ledger keeps beside the state; another object after each change."""
        return getattr(self._session, "facts", None)

    def _parsed(self, text: _Text) -> JsonObject:
        """An observation; transforms change none, so each text is read once."""
        if text not in self._read:
            self._read[text] = msgspec.json.decode(text) if isinstance(text, bytes) else json.loads(text)
        return self._read[text]

    def _facts_in(self, text: _Text) -> Facts:
        """Facts of an observation, or of the initial state under "", read once."""
        if text not in self._known:
            self._known[text] = facts_of(self._parsed(text) if text else self._initial_state)
        return self._known[text]

    def _values_in(self, text: _Text) -> list[tuple[str, JsonValue]]:
        """Plain values of an observation, or of the initial state under "", read once."""
        if text not in self._values:
            self._values[text] = plain_values(self._parsed(text) if text else self._initial_state)
        return self._values[text]

    def _states(self) -> tuple[JsonObject, JsonObject] | None:
        now = self._session.state if self._before_write is not None else None
        return None if self._before_write is None or now is None else (self._before_write, now)
