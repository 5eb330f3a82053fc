"""Observations as they were seen in an episode, and the checks of a single one that need no more than that."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.records import record_fields
from worktrial.workplaces.session import Origin
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.answers import GivenAnswer, same, strange_fields
from worktrial.workplaces.simulator.json_text import brief, question
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import below, is_keyed_by_id, leaves


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


class SeenEpisode:
    """A workplace, and what reads showed in it so far. Grows call by call."""

    def __init__(self, workplace: Workplace, task: str = "") -> None:
        self.workplace = workplace
        self.task = task
        """The agent's instruction."""
        self.writes = 0
        """Successful calls so far that may have changed the state."""
        self.seen: dict[str, tuple[int, int, JsonObject]] = {}
        """Call as text to (writes before it, index, observation)."""
        self.records: dict[tuple[str, str], tuple[int, int, JsonValue]] = {}
        """(id, field) to (writes before it, index, value)."""


_FIELD = re.compile(r"[a-z]\D*$")
_KINDS = {dict: "object", list: "list", str: "text", bool: "boolean", int: "number", float: "number"}


def check_format(call: SeenCall) -> ObservationCheck:
    """The observation is one JSON object."""
    if isinstance(call.content, dict):
        return ObservationCheck(ConformanceCheck.FORMAT, call.index)
    return ObservationCheck(
        ConformanceCheck.FORMAT, call.index, (f"(all): {kind(call.content)} in place of an object",)
    )


def check_shape(call: SeenCall, tool: Tool, episode: SeenEpisode) -> ObservationCheck | None:
    """The example's fields, each of its kind, and none that nobody names; nothing about errors or without example.

    In a list those fields are asked for that all items of the example have. Below the top, keys such as `TR` or
    `F1`, which stand for things and not for fields, may be absent. The names of the state's own fields, and those
    of which rules and descriptions speak, are at home too. Null fits everywhere.
    """
    example = tool.example_output
    if not example or is_error(call.content):
        return None
    if isinstance(example, list):
        example = {"result": example}
    strange = strange_fields(GivenAnswer(episode.workplace, tool, call.arguments, call.content))
    return ObservationCheck(ConformanceCheck.SHAPE, call.index, (*_misfits(call.content, example), *strange))


def kind(value: JsonValue) -> str:
    """The JSON kind of `value`, as a word."""
    return _KINDS.get(type(value), "null")


def _misfits(
    value: JsonValue, example: JsonValue, at: str = "", optional: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Values of another kind than the example's, and fields of it that are missing."""
    if value is None or example is None:
        return
    if kind(value) != kind(example):
        yield f"{at or '(all)'}: {kind(value)} in place of a {kind(example)}"
    elif isinstance(value, list):
        if example:
            typical, rare = _union(example), _not_in_all(example)
            for index, item in enumerate(value):
                yield from _misfits(item, typical, below(at, index), rare)
    elif isinstance(value, dict) and example:
        if is_keyed_by_id(example):
            records = list(example.values())
            typical, rare = _union(records), _not_in_all(records)
            for key, item in value.items():
                yield from _misfits(item, typical, below(at, key), rare)
            return
        for key in example:
            if key not in value and key not in optional and (not at or _FIELD.match(key)):
                yield f"{below(at, key)}: missing"
            elif key in value:
                yield from _misfits(value[key], example[key], below(at, key))


def _union(items: list[JsonValue]) -> JsonValue:
    """An item with the fields of all when all are objects; else the first when all are of one kind, else null."""
    if all(isinstance(item, dict) for item in items):
        return {key: value for item in reversed(items) for key, value in item.items()}
    return items[0] if len({kind(item) for item in items}) == 1 else None


def _not_in_all(items: list[JsonValue]) -> frozenset[str]:
    """Fields that some of the items have and others do not."""
    fields = [frozenset(item) for item in items if isinstance(item, dict)]
    return frozenset().union(*fields).difference(frozenset.intersection(*fields)) if fields else frozenset()


def check_consistent(call: SeenCall, episode: SeenEpisode) -> ObservationCheck | None:
    """The same read shows the same, and a record the same values, for as long as nothing was written.

    The initial state counts as seen before the first call.
    """
    before = episode.seen.get(question(call.tool, call.arguments))
    evidence: list[str] = []
    compared = False
    if before is not None and before[0] == episode.writes:
        compared = True
        evidence += _differences(before[2], call.content, before[1])
    elif not is_error(call.content):
        for key, at, value in record_fields(call.content, episode.workplace.start.records):
            writes, index, earlier = episode.records.get(key) or _at_first(key, episode)
            if writes == episode.writes:
                compared = True
                if not same(earlier, value):
                    where = "the state" if index < 0 else f"call {index}"
                    evidence.append(f"{at}: {brief(value)}, but {brief(earlier)} in {where}")
    return ObservationCheck(ConformanceCheck.CONSISTENT, call.index, tuple(evidence)) if compared else None


def remember(call: SeenCall, episode: SeenEpisode) -> None:
    """Keep what a read showed, for `check_consistent`."""
    episode.seen[question(call.tool, call.arguments)] = (episode.writes, call.index, call.content)
    if not is_error(call.content):
        for key, _, value in record_fields(call.content, episode.workplace.start.records):
            episode.records[key] = (episode.writes, call.index, value)


def _at_first(key: tuple[str, str], episode: SeenEpisode) -> tuple[int, int, JsonValue]:
    """Value of a record's field in the initial state, in the form of `records`; of no use where it stands twice."""
    record, name = key
    values = [part[name] for part in episode.workplace.start.records.get(record, []) if name in part]
    known = len(values) == 1 and not isinstance(values[0], dict | list)
    return (0, -1, values[0]) if known else (-1, -1, None)


def _differences(before: JsonObject, now: JsonValue, index: int) -> list[str]:
    earlier, later = dict(leaves(before)), dict(leaves(now))
    changed = [at for at in earlier | later if at not in earlier or at not in later]
    changed += [at for at in earlier.keys() & later.keys() if not same(earlier[at], later[at])]
    return [
        f"{at or '(all)'}: {brief(later.get(at))}, but {brief(earlier.get(at))} in call {index}"
        for at in sorted(changed)
    ]
