"""Faults, carried out in code.

An explicit one says so: the call fails, the workplace is not asked, its state stays as it was. An implicit one says
nothing: the call succeeds, with less or older data than it should have. Each implicit transform is a pure function
`(observation, rng, context) -> degraded | None`. None: it would change nothing here. None of them adds a sign of
failure, and none picks an identifier to be lost.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.content import Field, copied, differ, fields, owners
from worktrial.workplaces.faults.plan import FaultKind, below, shuffled
from worktrial.workplaces.signals import error_signals, is_critical, is_identifier

# What an API gateway in front of a service answers. Nothing in them tells a trial from real life.
_ERRORS: dict[FaultKind, JsonObject] = {
    FaultKind.HTTP_500: {"type": "internal_server_error", "status": 500, "message": "Internal Server Error"},
    FaultKind.TIMEOUT: {
        "type": "timeout",
        "status": 504,
        "message": "The service did not answer within 30 seconds. The request was dropped.",
    },
    FaultKind.CONNECTION_REFUSED: {
        "type": "connection_refused",
        "message": "Could not connect to the service: connection refused",
    },
    FaultKind.UNAVAILABLE: {
        "type": "service_unavailable",
        "status": 503,
        "message": "The service is temporarily unavailable",
    },
}
_TRANSIENT = frozenset(error["type"] for error in _ERRORS.values())


def failed(kind: FaultKind, tool: str) -> JsonObject:
    """Observation in place of an answer of `tool`."""
    return {"error": {**_ERRORS[kind], "tool": tool}}


def is_outage(observation: JsonValue) -> bool:
    """Whether an observation reports, as far as anybody can tell from it, a failure that may pass."""
    error = observation.get("error") if isinstance(observation, dict) else None
    return isinstance(error, dict) and error.get("type") in _TRANSIENT


_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class StateChange:
    """One field of the state that a write changed."""

    field: str
    now: JsonValue
    before: JsonValue
    whose: frozenset[str]
    """Names of the innermost thing with a name that holds the field, such as its id; empty when none has one."""


def changes(before: JsonObject, now: JsonObject) -> tuple[StateChange, ...]:
    """Differences between two states: changed values, and lists that grew or shrank."""
    return tuple(_changes(before, now, frozenset()))


def rolled_back(value: JsonValue, changed: Sequence[StateChange], arguments: JsonValue) -> JsonValue:
    """`value` with every field that shows a changed value of the same thing as it was before.

    Args:
        value: An observation.
        changed: What the last write did.
        arguments: Of the call; they too say which thing the observation is about.
    """
    about = frozenset(_plain_values(arguments))
    return _rolled_back(value, changed, "", about)


def _changes(before: JsonValue, now: JsonValue, whose: frozenset[str]) -> Iterator[StateChange]:
    if isinstance(before, dict) and isinstance(now, dict):
        whose = _names(now) or whose
        for key in now:
            if key not in before or before[key] == now[key]:
                continue
            was, is_ = before[key], now[key]
            if isinstance(was, list) and isinstance(is_, list) and len(was) != len(is_):
                yield StateChange(key, is_, was, whose)
            elif isinstance(was, dict | list) and type(was) is type(is_):
                yield from _changes(was, is_, frozenset({key}) if _DIGIT.search(key) else whose)
            else:
                yield StateChange(key, is_, was, whose)
    elif isinstance(before, list) and isinstance(now, list):
        for was, is_ in zip(before, now, strict=False):
            yield from _changes(was, is_, whose)


def _names(thing: JsonObject) -> frozenset[str]:
    return frozenset(str(v) for k, v in thing.items() if is_identifier(k) and isinstance(v, str | int))


def _rolled_back(value: JsonValue, changed: Sequence[StateChange], field: str, about: frozenset[str]) -> JsonValue:
    for change in changed:
        same_thing = not change.whose or change.whose & about
        if change.field == field and same_thing and not differ(change.now, value):
            return copied(change.before)
    if isinstance(value, dict):
        about = about | frozenset(_plain_values([v for v in value.values() if isinstance(v, str | int)]))
        return {key: _rolled_back(inner, changed, key, about | {key}) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rolled_back(item, changed, field, about) for item in value]
    return value


def _plain_values(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _plain_values(inner)
    elif isinstance(value, str | int):
        yield str(value)


@dataclass(frozen=True, slots=True)
class Context:
    """Knowledge that a transform has beside the observation."""

    earlier: Sequence[JsonObject] = ()
    """Earlier clean observations of the same read, oldest first; () for a call that writes."""
    states: tuple[JsonObject, JsonObject] | None = None
    """The state before the last write and as it is now; None without a write, or where no state can be seen."""
    arguments: JsonValue = None
    """Arguments of the call."""


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
