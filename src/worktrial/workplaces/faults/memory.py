"""Memory of a session under faults: what was really answered, and the state before the last write."""

import json
from collections.abc import Mapping, Sequence

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.effects import ToolEffect, only_looks
from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.stale import Facts, facts_of
from worktrial.workplaces.faults.transforms import Context
from worktrial.workplaces.faults.wrong import Values, plain_values
from worktrial.workplaces.session import Observation, Session
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.simulator.json_text import question as question_of
from worktrial.workplaces.tools import Tool

_Text = bytes | str
"""An observation as JSON."""


def _kept(content: JsonValue) -> _Text:
    try:
        return msgspec.json.encode(content)
    except UnicodeEncodeError:
        # A lone surrogate is legal in a JSON string and has no UTF-8 of its own.
        return json_text(content)


def _written(name: str) -> bytes | None:
    """A name as it stands in an observation; None where JSON may write it in another way."""
    if not name.isprintable() or '"' in name or "\\" in name or name in _LITERALS:
        return None
    return name.encode()


_LITERALS = frozenset({"True", "False"})


def may_write(tool: Tool | None) -> bool:
    """Whether a tool may change the state, as far as that is known."""
    return tool is not None and tool.effect in (ToolEffect.WRITE, ToolEffect.UNKNOWN)


class CleanAnswer(msgspec.Struct, frozen=True):
    """A call's real answer, and what is known about it."""

    observation: Observation
    before: JsonObject | None
    """State before the call; None where it cannot be seen, or the tool only reads."""
    after: JsonObject | None
    """State after it; likewise."""
    failed: bool
    """Whether it tells that the call failed."""
    facts: object
    """Effects after it that a ledger keeps beside the state."""
    wrote: bool
    """Whether the call changed something: as the state shows, else as far as the tool is one that writes."""
    earlier: Sequence[_Text]
    """Earlier answers to the same read, oldest first, as JSON."""
    question: str
    """The tool and its arguments: equal calls have equal questions."""
    text: _Text
    """The observation as JSON."""


class CleanMemory:
    """Remembers clean observations, and the state before the last write.

    Observations are kept as text: an agent may do what it likes with the objects that it is handed.
    """

    def __init__(self, session: Session, initial_state: JsonObject, tools: Sequence[Tool]) -> None:
        self._session = session
        self._initial_state = initial_state
        self._initial_text: _Text = b""
        self._tools = tools
        self._reads: dict[str, list[_Text]] = {}
        self._seen: dict[_Text, None] = {}
        self._read: dict[_Text, JsonObject] = {}
        self._known: dict[_Text, Mapping[str, Facts]] = {}
        self._values: dict[_Text, Values] = {}
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
            is_write = tool is not None and tool.effect is ToolEffect.WRITE
            wrote = is_write and not failed and not only_looks(arguments)
        text, question = _kept(observation.content), question_of(name, arguments)
        shown: list[_Text] = []
        if wrote:
            self._before_write = before
        elif not may_write(tool):
            shown = self._reads.setdefault(question, [])
        answer = CleanAnswer(observation, before, after, failed, self._facts, wrote, tuple(shown), question, text)
        if not wrote and (not shown or shown[-1] != text):
            shown.append(text)
        if not failed:
            # The same answer again says nothing older, only later.
            self._seen.pop(text, None)
            self._seen[text] = None
        return answer

    def context(
        self, answer: CleanAnswer, tool: Tool | None, arguments: JsonValue, needed: Needed | None, *, silent: bool
    ) -> Context:
        """Knowledge for a transform that degrades `answer`; see `Context` for `needed` and `silent`."""
        # The same text is the same answer, and nothing older.
        seen = [text for text in self._seen if text != answer.text]
        return Context(
            earlier=[self._parsed(text) for text in answer.earlier if text != answer.text],
            states=None if answer.wrote else self._states(),
            arguments=arguments,
            writes=answer.wrote or may_write(tool),
            documents=lambda: [self._initial_state, *map(self._parsed, seen)],
            facts=lambda name: self._facts_about(name, seen),
            values=lambda field: self._values_with(field, seen),
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

    def _mentioning(self, words: bytes | None, seen: Sequence[_Text]) -> list[_Text]:
        """The initial state and those of the texts that may hold some words; all of them for None."""
        if not self._initial_text:
            self._initial_text = _kept(self._initial_state)
            self._read[self._initial_text] = self._initial_state
        texts = (self._initial_text, *seen)
        return [text for text in texts if words is None or isinstance(text, str) or words in text]

    def _facts_about(self, name: str, seen: Sequence[_Text]) -> list[Facts]:
        """Facts about a thing in the initial state and in observations; each of them is read once."""
        found = []
        for text in self._mentioning(_written(name), seen):
            if text not in self._known:
                self._known[text] = facts_of(self._parsed(text))
            if facts := self._known[text].get(name):
                found.append(facts)
        return found

    def _values_with(self, field: str, seen: Sequence[_Text]) -> list[Values]:
        """Plain values of the initial state and of observations, of those that may have a field; all for ""."""
        written = _written(field) if field else None
        found = []
        for text in self._mentioning(None if written is None else b'"%b"' % written, seen):
            if text not in self._values:
                self._values[text] = plain_values(self._parsed(text))
            found.append(self._values[text])
        return found

    def _states(self) -> tuple[JsonObject, JsonObject] | None:
        now = self._session.state if self._before_write is not None else None
        return None if self._before_write is None or now is None else (self._before_write, now)
