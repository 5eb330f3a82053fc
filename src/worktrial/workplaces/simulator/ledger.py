"""Explicit state of an episode, and how it came to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.errors import DataError, InvalidReason
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.simulator.ask import UnusableReply
from worktrial.workplaces.simulator.json_text import json_text

FACTS = "_facts"
"""The reserved top-level key for what the simulator made up and must not contradict."""

# Facts may accumulate without end; a prompt shows only so many characters of them.
_FACTS_SHOWN = 2000


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """Effect on the state of one call that reached the model."""

    call: int
    """0-based index among all calls of the session, refused and repeated ones included."""
    tool: str
    patch: tuple[JsonObject, ...]
    """JSON Patch operations, in order; () when the call changed nothing."""


class Proposal(NamedTuple):
    """A patch that applies, and the state it leads to; nothing has changed yet."""

    patch: tuple[JsonObject, ...]
    document: JsonObject
    text: str
    """The new state without facts, as JSON."""


class ShownFacts(NamedTuple):
    """The recorded facts that a prompt shows."""

    text: str
    """A JSON object, or "" when there are none."""
    left_out: bool


class _Operation(msgspec.Struct, rename={"from_": "from"}):
    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str
    from_: str | msgspec.UnsetType = msgspec.UNSET
    value: Any = msgspec.UNSET


class Ledger:
    """State, recorded facts, the patches that led here, and the reads that still hold."""

    def __init__(self, workplace: Workplace) -> None:
        if FACTS in workplace.initial_state:
            raise DataError(
                workplace.source or workplace.name, f"the state has a field {FACTS}, a reserved name", "Rename it"
            )
        self._text = json_text(workplace.initial_state)
        # Decoding the text again is the deep copy: the ledger never shares a value with the artifact.
        self._document: JsonObject = {**msgspec.json.decode(self._text), FACTS: {}}
        self._revision = 0
        self._reads: dict[str, tuple[int, bytes]] = {}
        self.entries: list[LedgerEntry] = []

    @property
    def state(self) -> JsonObject:
        """The state as it is now, without the recorded facts. Read only."""
        return {key: value for key, value in self._document.items() if key != FACTS}

    @property
    def facts(self) -> JsonObject:
        """Facts that the simulator made up so far. Read only."""
        facts: JsonObject = self._document[FACTS]
        return facts

    @property
    def state_text(self) -> str:
        """`state` as JSON."""
        return self._text

    def shown_facts(self, arguments: JsonValue) -> ShownFacts:
        """The facts for a prompt: all while they are few, else those that the arguments touch and the newest."""
        if not self.facts:
            return ShownFacts("", False)
        whole = json_text(self.facts)
        if len(whole) <= _FACTS_SHOWN:
            return ShownFacts(whole, False)
        values = [v.lower() for v in _strings(arguments) if len(v) > 1]
        texts = {key: json_text({key: value}) for key, value in self.facts.items()}
        newest_first = list(reversed(texts))
        ranked = sorted(newest_first, key=lambda key: not any(v in texts[key].lower() for v in values))
        room = _FACTS_SHOWN
        chosen = set()
        for key in ranked:
            if len(texts[key]) <= room:
                room -= len(texts[key])
                chosen.add(key)
        return ShownFacts(json_text({k: v for k, v in self.facts.items() if k in chosen}), True)

    def propose(self, patch: JsonValue) -> Proposal:
        """Apply `patch` to a copy of the state.

        Raises:
            UnusableReply: it is no JSON Patch, does not fit the state, or leaves something that is no state.
        """
        try:
            operations = msgspec.convert(patch, list[_Operation])
        except msgspec.ValidationError as e:
            raise UnusableReply(f"`patch` is not a JSON Patch: {e}") from None
        if not operations:
            return Proposal((), self._document, self._text)
        document = self._applied(patch)
        if not isinstance(document, dict):
            raise UnusableReply("`patch` replaces the whole state by something else", InvalidReason.SIMULATOR_PATCH)
        if not isinstance(document.get(FACTS), dict):
            raise UnusableReply(f"`patch` must leave `{FACTS}` an object", InvalidReason.SIMULATOR_PATCH)
        try:
            text = msgspec.json.encode({k: v for k, v in document.items() if k != FACTS}).decode()
            msgspec.json.encode(document[FACTS])
        except UnicodeEncodeError:
            raise UnusableReply("`patch` holds escapes that are not Unicode characters") from None
        return Proposal(tuple(patch), document, text)

    def _applied(self, patch: list[JsonObject]) -> JsonValue:
        from jsonpatch import JsonPatchException, apply_patch
        from jsonpointer import JsonPointerException

        try:
            return apply_patch(self._document, patch)
        # The library lets TypeError and its kin escape when a path leads into a number, a text or null.
        except (JsonPatchException, JsonPointerException, TypeError, KeyError, IndexError, AttributeError) as e:
            problem = f"`patch` does not apply to the state: {str(e) or type(e).__name__}"
            raise UnusableReply(problem, InvalidReason.SIMULATOR_PATCH) from None

    def commit(self, call: int, tool: str, proposal: Proposal) -> None:
        """Make a proposal the state."""
        self._document, self._text = proposal.document, proposal.text
        if _touches_state(proposal.patch):
            self._revision += 1
        self.entries.append(LedgerEntry(call, tool, proposal.patch))

    def remember(self, key: str, observation: JsonObject, patch: Sequence[JsonObject]) -> None:
        """Keep what a call showed if it was a read: it changed nothing but facts."""
        if not _touches_state(patch):
            self._reads[key] = (self._revision, msgspec.json.encode(observation))

    def recall(self, key: str) -> JsonObject | None:
        """Earlier observation of the same read, while nothing but facts has changed since."""
        revision, encoded = self._reads.get(key, (-1, b""))
        if revision != self._revision:
            return None
        observation: JsonObject = msgspec.json.decode(encoded)
        return observation


def _touches_state(patch: Sequence[JsonObject]) -> bool:
    for operation in patch:
        changed = [operation["path"]] if operation["op"] != "test" else []
        if operation["op"] == "move":
            changed.append(operation["from"])
        if any(path != f"/{FACTS}" and not path.startswith(f"/{FACTS}/") for path in changed):
            return True
    return False


def _strings(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return []
