"""What the checks know of a stay when they come to a call."""

import re
from functools import cached_property
from itertools import pairwise

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.conformance.seen import SeenCall
from worktrial.workplaces.conformance.values import id_name, is_telling, names, objects, scalars
from worktrial.workplaces.simulator.json_text import canonical_text, json_text
from worktrial.workplaces.tools import Tool

_READS = re.compile(
    r"(?:get|fetch|list|read|view|show|retrieve|query|lookup|look_up|check|inspect|find|search)(?:_|$)"
)
_HIDDEN = re.compile(r"\b(?:hidden|invisible|not visible|never shown|secret)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;!])\s+|\n+")
# A shorter sentence may well stand in an answer by right.
_LEAST_QUOTE = 60
_FAILED = frozenset({"error", "failed", "failure"})


class Stay:
    """A workplace, and what was said and seen in it so far. Grows call by call."""

    def __init__(self, workplace: Workplace, task: str = "") -> None:
        self.workplace = workplace
        self._said = [json_text(workplace.initial_state), task]
        self._scalars = {str(value).lower() for value in scalars(workplace.initial_state)}
        self.writes = 0
        """Successful calls so far that may have changed the state."""
        self.seen: dict[str, tuple[int, int, JsonObject]] = {}
        """Call as text to (writes before it, index, observation)."""
        self.records: dict[tuple[str, str], tuple[int, int, JsonValue]] = {}
        """(id, field) to (writes before it, index, value)."""
        self._text: str | None = None
        self._revealed: dict[str, frozenset[str]] = {}

    @cached_property
    def field_names(self) -> set[str]:
        """All keys of the initial state."""
        return names(self.workplace.initial_state)

    @cached_property
    def state_records(self) -> dict[str, list[JsonObject]]:
        """Id to what the initial state keeps under it: mostly one record, sometimes parts in several places."""
        keyed: dict[str, list[JsonObject]] = {}
        listed: dict[str, list[JsonObject]] = {}
        for _, holder in objects(self.workplace.initial_state):
            for key, value in holder.items():
                if isinstance(value, dict):
                    keyed.setdefault(key, []).append(value)
            own = [value for key, value in holder.items() if id_name(key)]
            if len(own) == 1:
                listed.setdefault(str(own[0]), []).append(holder)
        # An id that several rows name is one they refer to, not their own.
        return {key: rows for key, rows in listed.items() if len(rows) == 1} | keyed

    @cached_property
    def rules(self) -> str:
        """Everything the workplace lays down, in lower case, with underscores as spaces."""
        told = [self.workplace.system_prompt, json_text(self.workplace.state_description)]
        told += [f"{tool.name} {tool.description} {json_text(tool.parameters)}" for tool in self.workplace.tools]
        return " ".join(told).lower().replace("_", " ")

    @cached_property
    def instructions(self) -> list[str]:
        """The long sentences of the simulator's instructions, word for word."""
        sentences = _SENTENCE.split(self.workplace.system_prompt)
        return [s for sentence in sentences if len(s := sentence.strip(" -*#")) >= _LEAST_QUOTE]

    @cached_property
    def hidden(self) -> dict[str, frozenset[JsonValue]]:
        """Fields of the state that their description calls hidden, with the telling values only they hold."""
        state, described = self.workplace.initial_state, self.workplace.state_description
        fields = [f for f in state if f.startswith("_") or _HIDDEN.search(json_text(described.get(f, "")))]
        held = {key: {v for v in scalars(value) if is_telling(v)} for key, value in state.items()}
        return {f: frozenset(held[f].difference(*(held[o] for o in held if o != f))) for f in fields}

    def revealed_by(self, field: str) -> frozenset[str]:
        """The tools of which the rules speak in the same sentence as of a hidden field, or in the next."""
        if field not in self._revealed:
            described = self.workplace.state_description.items()
            # A description rarely repeats the name of what it describes.
            texts = [self.workplace.system_prompt, *(f"{key}: {json_text(text)}" for key, text in described)]
            near = "\n".join(
                f"{one} {other}"
                for text in texts
                for one, other in pairwise([*_SENTENCE.split(text), ""])
                if field in one
            )
            self._revealed[field] = frozenset(t.name for t in self.workplace.tools if t.name in near)
        return self._revealed[field]

    def knows(self, value: str) -> bool:
        """Whether `value` stands in the state, the task, or anything called or seen so far; case is ignored."""
        wanted = value.lower()
        if wanted in self._scalars:
            return True
        if self._text is None:
            self._text = "\n".join(self._said).lower()
        return json_text(wanted)[1:-1] in self._text

    def hear(self, value: JsonValue) -> None:
        """Remember what was called or seen."""
        self._said.append(json_text(value))
        self._text = None


def is_read(tool: Tool) -> bool:
    """Whether a call of `tool` only looks: as declared, else by its name."""
    return not tool.writes if tool.writes is not None else _READS.match(tool.name) is not None


def is_error(content: JsonValue) -> bool:
    """Whether an observation tells of a failure."""
    if not isinstance(content, dict):
        return False
    return bool(content.get("error")) or content.get("success") is False or content.get("status") in _FAILED


def call_key(call: SeenCall) -> str:
    """Equal for equal calls."""
    return canonical_text([call.tool, call.arguments])
