"""Checks of conformance, what they say of an observation, and what they know of an episode when they come to it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.session import Origin
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.values import is_telling, scalars


class ConformanceCheck(StrEnum):
    """Check that is made of an observation."""

    FORMAT = "format"  # one JSON object
    SHAPE = "shape"  # fields within the shape of the tool's example output
    KNOWN_IDS = "known_ids"  # a read names only ids that state, task or earlier calls know
    WHOLE_LISTS = "whole_lists"  # a read without arguments lists no fewer records than the state holds
    CONSISTENT = "consistent"  # no contradiction with an earlier observation, unless something was written
    STATE = "state"  # no contradiction with the state that is kept outside of the model
    LICENSED_ERRORS = "licensed_errors"  # an error that the rules, or an unknown id, account for
    NO_LEAK = "no_leak"  # nothing of the hidden state, nothing of the simulator's own instructions


class SimulatorFailure(StrEnum):
    """The ways in which a simulator fails its workplace."""

    STATE_FABRICATION = "state_fabrication"
    ENTITY_OMISSION = "entity_omission"
    RULE_INVENTION = "rule_invention"
    FORMAT_BREAK = "format_break"
    STATE_LEAK = "state_leak"


FAILURE_OF: Mapping[ConformanceCheck, SimulatorFailure] = {
    ConformanceCheck.FORMAT: SimulatorFailure.FORMAT_BREAK,
    ConformanceCheck.SHAPE: SimulatorFailure.FORMAT_BREAK,
    ConformanceCheck.KNOWN_IDS: SimulatorFailure.STATE_FABRICATION,
    ConformanceCheck.WHOLE_LISTS: SimulatorFailure.ENTITY_OMISSION,
    ConformanceCheck.CONSISTENT: SimulatorFailure.STATE_FABRICATION,
    ConformanceCheck.STATE: SimulatorFailure.STATE_FABRICATION,
    ConformanceCheck.LICENSED_ERRORS: SimulatorFailure.RULE_INVENTION,
    ConformanceCheck.NO_LEAK: SimulatorFailure.STATE_LEAK,
}
"""Failure of the simulator that each failed check is a sign of."""


@dataclass(frozen=True, slots=True)
class ObservationCheck:
    """One check of one observation. A check that has nothing to look at gives no finding."""

    check: ConformanceCheck
    call: int
    """The call's index in its trajectory."""
    evidence: tuple[str, ...] = ()
    """Trouble that was found, each with the JSON Pointer where it stands; () when the check passed."""

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.evidence


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One call and what whoever plays the workplace answered, which need not even be an object."""

    index: int
    tool: str
    arguments: JsonValue
    content: JsonValue
    origin: Origin = Origin.SIMULATOR
    state: JsonObject | None = None
    """The state when the call was made, where it is kept outside a model's conversation."""
    after: JsonObject | None = None
    """The state after the call, likewise."""


def stored_calls(line: Mapping[str, JsonValue]) -> list[SeenCall]:
    """The calls of one sample's stored work.

    Where a fault degraded an observation, this is what the workplace had answered before; an explicit fault,
    of which the workplace never knew, is left out.
    """
    calls = []
    for number, call in enumerate(line.get("calls") or []):
        observation = call.get("observation")
        told = observation if isinstance(observation, dict) else {"content": observation}
        content = told.get("content")
        if told.get("fault") is not None:
            content = told.get("clean")
            if content is None:
                continue
        calls.append(
            SeenCall(
                index=call.get("index", number),
                tool=str(call.get("tool")),
                arguments=call.get("arguments"),
                content=content,
                origin=Origin(told.get("origin", Origin.SIMULATOR)),
            )
        )
    return calls


_HIDDEN = re.compile(r"\b(?:hidden|invisible|not visible|never shown|secret)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.;!])\s+|\n+")
# A shorter sentence may well stand in an answer by right.
_LEAST_QUOTE = 60


class SeenEpisode:
    """A workplace, and what was said and seen in it so far. Grows call by call."""

    def __init__(self, workplace: Workplace, task: str = "") -> None:
        self.workplace = workplace
        self._said = [task]
        self.writes = 0
        """Successful calls so far that may have changed the state."""
        self.seen: dict[str, tuple[int, int, JsonObject]] = {}
        """Call as text to (writes before it, index, observation)."""
        self.records: dict[tuple[str, str], tuple[int, int, JsonValue]] = {}
        """(id, field) to (writes before it, index, value)."""
        self._text: str | None = None
        self._revealed: dict[str, frozenset[str]] = {}

    @cached_property
    def _state_text(self) -> str:
        return json_text(self.workplace.initial_state)

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
        if wanted in self.workplace.start.texts:
            return True
        if self._text is None:
            self._text = "\n".join([self._state_text, *self._said]).lower()
        return json_text(wanted)[1:-1] in self._text

    def hear(self, value: JsonValue) -> None:
        """Remember what was called or seen."""
        self._said.append(json_text(value))
        self._text = None
