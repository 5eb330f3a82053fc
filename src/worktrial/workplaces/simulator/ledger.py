"""Explicit state of an episode, the facts recorded beyond it, and how both came to be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.errors import InvalidReason
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.patches import BadPatch, patched
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect, only_looks
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.ask import UnusableReply
from worktrial.workplaces.simulator.json_text import json_text, question
from worktrial.workplaces.tools import Tool

# The state is in every prompt: no model holds a twentieth of it.
_MOST_STATE = 16_000_000


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Effect of one call that reached the model."""

    call: int
    """0-based index among all calls of the agent, refused, repeated and faulty ones included."""
    tool: str
    patch: tuple[JsonObject, ...]
    """JSON Patch operations on the state, in order; () when the call left it as it was."""
    facts: JsonObject
    """Facts that the call recorded, by their keys; {} for none."""


class Proposal(NamedTuple):
    """A patch that applies and facts that fit, and what they lead to; nothing has changed yet."""

    patch: tuple[JsonObject, ...]
    state: JsonObject
    text: str
    """The new state as JSON."""
    facts: JsonObject
    """Facts to record."""


class _Operation(msgspec.Struct, rename={"from_": "from"}):
    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str
    from_: str | msgspec.UnsetType = msgspec.UNSET
    value: Any = msgspec.UNSET


class Ledger:
    """State, recorded facts, the effects that led here, and the reads that still hold."""

    def __init__(self, workplace: Workplace) -> None:
        self._text = json_text(workplace.initial_state)
        # Decoding the text again is the deep copy: the ledger never shares a value with the artifact.
        self._state: JsonObject = msgspec.json.decode(self._text)
        self._facts: JsonObject = {}
        self._revision = 0
        self._reads: dict[str, tuple[int, bytes]] = {}
        self.entries: list[LedgerEntry] = []

    @property
    def state(self) -> JsonObject:
        """The state as it is now, without the recorded facts. Read only."""
        return self._state

    @property
    def facts(self) -> JsonObject:
        """Effects without a field in the state, and what was made up; the latest last. Read only."""
        return self._facts

    @property
    def state_text(self) -> str:
        """`state` as JSON."""
        return self._text

    def propose(self, patch: JsonValue, facts: JsonValue) -> Proposal:
        """Apply `patch` to a copy of the state, and check `facts`.

        Raises:
            UnusableReply: the patch is no JSON Patch, does not fit the state, or leaves something that is no state;
                or the facts are no object.
        """
        try:
            operations = msgspec.convert(patch, list[_Operation])
        except msgspec.ValidationError as e:
            raise UnusableReply(f"`patch` is not a JSON Patch: {e}") from None
        if not isinstance(facts, dict):
            raise UnusableReply('`facts` must be an object of plain keys, such as {"A-1 carrier": "Red Mail"}')
        if any(operation.path == "" and operation.op != "test" for operation in operations):
            raise UnusableReply("`patch` replaces the whole state by something else", InvalidReason.SIMULATOR_PATCH)
        state = self._applied(patch) if patch else self._state
        try:
            text = msgspec.json.encode(state).decode() if patch else self._text
            # The ledger's own copy: whoever holds the reply may do what they like with it.
            recorded: JsonObject = msgspec.json.decode(msgspec.json.encode(facts))
        except UnicodeEncodeError:
            raise UnusableReply("`patch` or `facts` hold escapes that are not Unicode characters") from None
        if len(text) > _MOST_STATE:
            problem = f"`patch` makes a state of more than {_MOST_STATE:,} characters"
            raise UnusableReply(problem, InvalidReason.SIMULATOR_PATCH)
        return Proposal(tuple(patch), state, text, recorded)

    def _applied(self, patch: list[JsonObject]) -> JsonObject:
        try:
            state: JsonObject = patched(self._state, patch)
        except BadPatch as e:
            problem = f"`patch` does not apply to the state: {e}"
            raise UnusableReply(problem, InvalidReason.SIMULATOR_PATCH) from None
        return state

    def commit(self, call: int, tool: Tool, arguments: JsonValue, observation: JsonObject, made: Proposal) -> None:
        """Make a proposal the state, and keep what a read showed.

        Whatever is committed, state or facts, ends the validity of all earlier reads. A call that succeeded and
        told no effect, though its tool writes or may write, is itself recorded as a fact, call and answer: what
        was written must be there for whoever reads it.
        """
        facts, changed = made.facts, made.text != self._text
        silent = not changed and not facts and not is_error(observation)
        if silent and tool.effect in (ToolEffect.WRITE, ToolEffect.UNKNOWN) and not only_looks(arguments):
            trace = {"arguments": arguments, "answer": observation}
            facts = {f"call {call}: {tool.name}": msgspec.json.decode(msgspec.json.encode(trace))}
        replaced = any(key in self._facts and self._facts[key] != value for key, value in facts.items())
        if changed or replaced or facts.keys() - self._facts.keys():
            self._revision += 1
        self._state, self._text = made.state, made.text
        if facts:
            # What was told anew stands last, as the newest.
            self._facts = {key: value for key, value in self._facts.items() if key not in facts} | facts
        self.entries.append(LedgerEntry(call, tool.name, made.patch, facts))
        # A read that moved something would show something else the next time.
        if tool.effect is ToolEffect.READ and not changed and not replaced:
            self._reads[question(tool.name, arguments)] = (self._revision, msgspec.json.encode(observation))

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`, with the facts as they are; no earlier read holds any more."""
        self._text = json_text(state)
        self._state = msgspec.json.decode(self._text)
        self._revision += 1

    def mark(self) -> Callable[[], None]:
        """A way back to everything as it is now."""
        kept = self._state, self._text, self._facts, self._revision
        reads, entries = dict(self._reads), len(self.entries)

        def back() -> None:
            self._state, self._text, self._facts, self._revision = kept
            self._reads = reads
            del self.entries[entries:]

        return back

    def recall(self, tool: Tool, arguments: JsonValue) -> JsonObject | None:
        """Earlier observation of the same read, while nothing has been committed since; else None.

        Only a tool that is known to read is answered so.
        """
        if tool.effect is not ToolEffect.READ:
            return None
        revision, encoded = self._reads.get(question(tool.name, arguments), (-1, b""))
        if revision != self._revision:
            return None
        observation: JsonObject = msgspec.json.decode(encoded)
        return observation
