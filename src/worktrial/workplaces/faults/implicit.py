"""Faults that say nothing: the call succeeds, with less or older data than it should have.

Each transform is a pure function `(observation, rng, context) -> degraded | None`. None: it would change nothing
here. None of them adds a sign of failure, and none picks an identifier to be lost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.mode import FaultKind
from worktrial.workplaces.faults.paths import Field, copied, differ, fields, owners
from worktrial.workplaces.faults.plan import below, shuffled
from worktrial.workplaces.faults.signals import error_signals, is_critical
from worktrial.workplaces.faults.stale import changes, rolled_back


@dataclass(frozen=True, slots=True)
class Context:
    """What a transform may know beside the observation."""

    earlier: Sequence[JsonObject] = ()
    """What the same read really showed before, oldest first; () for a call that writes."""
    states: tuple[JsonObject, JsonObject] | None = None
    """The state before the last write and as it is now; None without a write, or where no state can be seen."""
    arguments: JsonValue = None
    """Of the call."""


Transform = Callable[[JsonObject, Random, Context], JsonObject | None]


def drop_fields(observation: JsonObject, rng: Random, context: Context) -> JsonObject | None:
    """Leave out about a third of the fields, each in all rows alike; never the last one of the whole answer."""
    degraded = copied(observation)
    for field in _a_third(_telling(observation, context), rng):
        if len(field) == 1 and len(degraded) == 1:
            continue
        for owner in owners(degraded, field[:-1]):
            if isinstance(owner, dict):
                owner.pop(str(field[-1]), None)
    return _if_changed(observation, degraded)


def cut_lists(observation: JsonObject, rng: Random, context: Context) -> JsonObject | None:
    """Keep the first one or two items of every list that is not inside another list."""

    def cut(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: cut(inner) for key, inner in value.items()}
        if isinstance(value, list) and len(value) > 1:
            kept = 1 if len(value) == 2 else 1 + below(rng, 2)
            return copied(value[:kept])
        return copied(value)

    degraded = cut(observation)
    assert isinstance(degraded, dict), "an object stays an object"
    return _if_changed(observation, degraded)


def empty_values(observation: JsonObject, rng: Random, context: Context) -> JsonObject | None:
    """Make about a third of the values null or empty, each in all rows alike; every field keeps its key."""
    degraded = copied(observation)
    filled = ((f, v) for f, v in _telling(observation, context) if v is not None and v not in ("", [], {}))
    for field in _a_third(filled, rng):
        null = rng.random() < 0.5
        for owner in owners(degraded, field[:-1]):
            if isinstance(owner, dict) and field[-1] in owner:
                key = str(field[-1])
                owner[key] = None if null else emptied(owner[key])
    return _if_changed(observation, degraded)


def serve_stale(observation: JsonObject, rng: Random, context: Context) -> JsonObject | None:
    """An earlier answer to the same read; else the same answer with the values from before the last write."""
    if not context.earlier and context.states is None:
        return None
    known = set(error_signals(observation))
    for earlier in reversed(context.earlier):
        if known.issuperset(error_signals(earlier)) and differ(observation, earlier):
            older: JsonObject = copied(earlier)
            return older
    if context.states is None:
        return None
    degraded = rolled_back(observation, changes(*context.states), context.arguments)
    if not isinstance(degraded, dict) or not known.issuperset(error_signals(degraded)):
        return None
    return _if_changed(observation, degraded)


TRANSFORMS: Mapping[str, Transform] = {
    FaultKind.FIELDS_DROPPED: drop_fields,
    FaultKind.LIST_CUT: cut_lists,
    FaultKind.VALUES_EMPTIED: empty_values,
    FaultKind.STALE: serve_stale,
}


def _telling(observation: JsonObject, context: Context) -> Iterator[tuple[Field, JsonValue]]:
    """The fields of an observation, without those that only repeat an argument: to lose these is no loss."""
    given = context.arguments if isinstance(context.arguments, dict) else {}
    for field, value in fields(observation):
        name = field[0]
        if len(field) == 1 and name in given and given[name] == value:
            continue
        yield field, value


def _a_third(found: Iterable[tuple[Field, JsonValue]], rng: Random) -> list[Field]:
    candidates = [
        field
        for field in dict.fromkeys(field for field, _ in found)
        if not any(is_critical(s, n) for n, s in enumerate(field) if s is not None)
    ]
    wanted = -(-len(candidates) // 3)
    chosen: list[Field] = []
    for field in shuffled(candidates, rng):
        if len(chosen) == wanted:
            break
        if not any(field[: len(other)] == other or other[: len(field)] == field for other in chosen):
            chosen.append(field)
    return chosen


def emptied(value: JsonValue) -> JsonValue:
    """Nothing, of the same kind as `value`; null for what is neither text, list nor object."""
    if isinstance(value, str):
        return ""
    if isinstance(value, list):
        return []
    return {} if isinstance(value, dict) else None


def _if_changed(observation: JsonObject, degraded: JsonObject) -> JsonObject | None:
    return degraded if differ(observation, degraded) else None
