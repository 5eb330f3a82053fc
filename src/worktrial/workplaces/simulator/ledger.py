"""Explicit state of an episode, the facts recorded beyond it, and how both came to be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.errors import DataError, InvalidReason
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.patches import BadPatch, patched
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect, only_looks
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.ask import UnusableReply
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool

FACTS = "_facts"
"""The reserved top-level key under which a patch of the old form records facts."""

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
        if FACTS in workplace.initial_state:
            raise DataError(
                workplace.source or workplace.name, f"the state has a field {FACTS}, a reserved name", "Rename it"
            )
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

        Operations on `/_facts`, the form of earlier versions, are taken as facts.

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
        recorded: JsonObject = {}
        own: list[JsonObject] = []
        for given, operation in zip(patch, operations, strict=True):
            if _names_facts(operation):
                recorded |= _old_facts(operation)
            else:
                own.append(given)
        recorded |= facts
        if any(operation["path"] == "" and operation["op"] != "test" for operation in own):
            raise UnusableReply("`patch` replaces the whole state by something else", InvalidReason.SIMULATOR_PATCH)
        state = self._applied(own) if own else self._state
        try:
            text = msgspec.json.encode(state).decode() if own else self._text
            # The ledger's own copy: whoever holds the reply may do what they like with it.
            recorded = msgspec.json.decode(msgspec.json.encode(recorded))
        except UnicodeEncodeError:
            raise UnusableReply("`patch` or `facts` hold escapes that are not Unicode characters") from None
        if len(text) > _MOST_STATE:
            problem = f"`patch` makes a state of more than {_MOST_STATE:,} characters"
            raise UnusableReply(problem, InvalidReason.SIMULATOR_PATCH)
        return Proposal(tuple(own), state, text, recorded)

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
            self._reads[call_key(tool.name, arguments)] = (self._revision, msgspec.json.encode(observation))

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
        revision, encoded = self._reads.get(call_key(tool.name, arguments), (-1, b""))
        if revision != self._revision:
            return None
        observation: JsonObject = msgspec.json.decode(encoded)
        return observation


def call_key(tool: str, arguments: JsonValue) -> str:
    """Equal for equal calls."""
    return canonical_text([tool, arguments])


def _names_facts(operation: _Operation) -> bool:
    return any(
        isinstance(path, str) and (path == f"/{FACTS}" or path.startswith(f"/{FACTS}/"))
        for path in (operation.path, operation.from_)
    )


def _old_facts(operation: _Operation) -> JsonObject:
    """Facts of an operation of the old form, `{"op": "add", "path": "/_facts/<key>", "value": …}`.

    All behind `/_facts/` is the key, slashes included: a file name needs no escapes.

    Raises:
        UnusableReply: it does something else with them than setting one.
    """
    if operation.op == "test":
        return {}
    key = operation.path.removeprefix(f"/{FACTS}").removeprefix("/").replace("~1", "/").replace("~0", "~")
    if operation.op == "remove" and key:
        return {key: None}
    if operation.op not in ("add", "replace") or operation.value is msgspec.UNSET:
        raise UnusableReply('record facts in `facts`, as {"plain key": value}, not in `patch`')
    if key:
        return {key: operation.value}
    if isinstance(operation.value, dict):
        return operation.value
    raise UnusableReply('`facts` must be an object of plain keys, such as {"A-1 carrier": "Red Mail"}')
