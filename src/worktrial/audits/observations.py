"""Conformance: checks of what whoever plays a workplace answered, without the truth at hand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from worktrial.language import JsonValue
from worktrial.workplaces import Workplace
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.records import KnownState
from worktrial.workplaces.seen import (
    ConformanceCheck,
    ObservationCheck,
    SeenCall,
    SeenEpisode,
    check_consistent,
    check_format,
    check_shape,
    remember,
)
from worktrial.workplaces.session import Origin
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.answers import misfits, state_pairs
from worktrial.workplaces.simulator.json_text import excerpt, json_text
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import below, ids, is_telling, leaves, names, objects, scalars


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


class KnownEpisode(SeenEpisode):
    """An episode with all that its workplace lays down, and that was said in it."""

    def __init__(self, workplace: Workplace, task: str = "") -> None:
        super().__init__(workplace, task)
        self._said = [task]
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


def check_known_ids(call: SeenCall, episode: KnownEpisode) -> ObservationCheck | None:
    """A read invents nobody. Writes may: a new record has a new id."""
    if is_error(call.content):
        return None
    found = list(ids(call.content))
    if not found:
        return None
    strange = (f"{at}: {value!r} occurs nowhere before" for at, value in found if not episode.knows(value))
    return ObservationCheck(ConformanceCheck.KNOWN_IDS, call.index, tuple(strange))


def check_whole_lists(call: SeenCall, tool: Tool, episode: KnownEpisode) -> ObservationCheck | None:
    """A read without arguments lists all records that the state holds under the same name.

    With arguments a list may be filtered, and with defaults such as a page it may be a part. After a write the
    state must be known as it was at this call.
    """
    if any(argument.get("default") for argument in tool.parameters.get("properties", {}).values()):
        return None
    state = call.state if call.state is not None else episode.workplace.initial_state
    if call.arguments or is_error(call.content) or (call.state is None and episode.writes):
        return None
    pairs = [
        (name, value, state[name])
        for name, value in call.content.items()
        if isinstance(value, list | dict) and _is_collection(state.get(name))
    ]
    if not pairs:
        return None
    short = (
        f"{below('', name)}: {len(value)} of {len(known)} records{_absent(value, known)}"
        for name, value, known in pairs
        if len(value) < len(known)
    )
    return ObservationCheck(ConformanceCheck.WHOLE_LISTS, call.index, tuple(short))


def check_state(call: SeenCall) -> ObservationCheck | None:
    """The state holds what is shown of a record, or under the name of a field that the state has only once.

    Asked of calls whose state after them is known; see `state_pairs`.
    """
    if call.after is None or is_error(call.content):
        return None
    pairs = state_pairs(call.content, KnownState(call.after))
    return ObservationCheck(ConformanceCheck.STATE, call.index, tuple(misfits(pairs))) if pairs else None


def _is_collection(value: JsonValue) -> bool:
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) for item in items)


def _absent(value: JsonValue, known: JsonValue) -> str:
    if not isinstance(known, dict):
        return ""
    text = json_text(value)
    missing = [key for key in known if json_text(key) not in text]
    return f"; without {', '.join(missing[:5])}" if missing else ""


_WORD = re.compile(r"[^\W\d_]{4,}")
_OWN_MATTER = frozenset({"initial_state", "state_description", "state_descriptions", "system_prompt"})
# Words of any error message, which say nothing about the rule behind it.
_PLAIN = frozenset({"error", "invalid", "failed", "cannot", "with", "that", "this", "does", "have", "been", "from"})
_LEAST_SHARE = 0.5


def check_licensed_errors(call: SeenCall, tool: Tool, episode: KnownEpisode) -> ObservationCheck | None:
    """An error names a code of the rules, or concerns an id nobody knows, or speaks in the rules' own words.

    The last is a matter of degree: at least half of the words of four letters and more, without those of any
    error message, stand in the rules or in the tools' descriptions.
    """
    if not is_error(call.content):
        return None
    error = call.content.get("error")
    codes = [
        error[name] for name in ("type", "code") if isinstance(error, dict) and isinstance(error.get(name), str)
    ]
    if any(code and code.lower().replace("_", " ") in episode.rules for code in codes):
        return ObservationCheck(ConformanceCheck.LICENSED_ERRORS, call.index)
    if any(not episode.knows(value) for _, value in ids(call.arguments)):
        return ObservationCheck(ConformanceCheck.LICENSED_ERRORS, call.index)
    given = {str(value).lower() for value in scalars(call.arguments)}
    message = json_text(error if error is not None else call.content).lower().replace("_", " ")
    words = {word for word in _WORD.findall(message) if word not in _PLAIN and word not in given}
    words -= {"type", "code", "message", "success", "false", "status"}
    known = {word for word in words if word in episode.rules}
    if words and len(known) >= _LEAST_SHARE * len(words):
        return ObservationCheck(ConformanceCheck.LICENSED_ERRORS, call.index)
    said = excerpt(json_text(error if error is not None else call.content), 160)
    return ObservationCheck(ConformanceCheck.LICENSED_ERRORS, call.index, (f"/error: no rule accounts for {said}",))


def check_no_leak(call: SeenCall, tool: Tool, episode: KnownEpisode) -> ObservationCheck:
    """Nothing hidden shows: no hidden field, no value that only a hidden field holds, no word of the prompt."""
    declared = names(tool.example_output)
    evidence = [
        f"{below(at, key)}: the simulator's own matter"
        for at, found in objects(call.content)
        for key in found
        if key in _OWN_MATTER and key not in declared
    ]
    for field, secrets in episode.hidden.items():
        if tool.name not in episode.revealed_by(field):
            evidence += _leaks(field, secrets, call.content, declared, episode)
    quotes = episode.instructions
    for at, value in leaves(call.content):
        if isinstance(value, str) and any(quote in value for quote in quotes):
            evidence.append(f"{at}: quotes the simulator's instructions")
    return ObservationCheck(ConformanceCheck.NO_LEAK, call.index, tuple(evidence))


def _leaks(
    field: str, secrets: frozenset[JsonValue], content: JsonValue, declared: set[str], episode: KnownEpisode
) -> Iterator[str]:
    for at, found in objects(content):
        if field in found and field not in declared:
            yield f"{below(at, field)}: a hidden field"
    for at, value in leaves(content):
        # What was once shown by right is no secret any more.
        if is_telling(value) and value in secrets and not _was_seen(value, episode):
            yield f"{at}: a value of the hidden field {field!r}"


def _was_seen(value: JsonValue, episode: KnownEpisode) -> bool:
    return any(value == inner for _, _, content in episode.seen.values() for inner in scalars(content))


def examine(workplace: Workplace, calls: Iterable[SeenCall], *, task: str = "") -> list[ObservationCheck]:
    """Check every observation of one episode that its simulator (or executable) produced.

    What the workplace never saw (unknown tools, invalid arguments) and reads repeated from the ledger are not
    the simulator's work and are passed over.

    Args:
        workplace: As the agent found it, with the initial state of the episode.
        calls: In order.
        task: The agent's instruction, whose ids count as known.
    """
    episode = KnownEpisode(workplace, task)
    findings: list[ObservationCheck] = []
    for call in calls:
        if call.origin in (Origin.SIMULATOR, Origin.EXECUTABLE):
            findings += _examine(call, episode)
        episode.hear(call.content)
    return findings


def failures(findings: Iterable[ObservationCheck]) -> set[SimulatorFailure]:
    """The kinds of failure that show in `findings`."""
    return {FAILURE_OF[f.check] for f in findings if not f.passed}


def _examine(call: SeenCall, episode: KnownEpisode) -> list[ObservationCheck]:
    """The findings on one observation; that on its format is the first."""
    findings: list[ObservationCheck | None] = [check_format(call)]
    tool = episode.workplace.tool(call.tool)
    if tool is None or not isinstance(call.content, dict):
        return [f for f in findings if f is not None]
    findings += [check_shape(call, tool, episode), check_licensed_errors(call, tool, episode)]
    # After the errors, for which an id that only this call names is unknown.
    episode.hear(call.arguments)
    findings += [check_no_leak(call, tool, episode), check_state(call)]
    if not tool.seems_to_write:
        findings += [check_known_ids(call, episode), check_whole_lists(call, tool, episode)]
        if tool.effect is not ToolEffect.VOLATILE:
            findings.append(check_consistent(call, episode))
            remember(call, episode)
    elif not is_error(call.content):
        episode.writes += 1
        remember(call, episode)
    return [f for f in findings if f is not None]
