"""Faults, carried out in code.

An explicit one says so: the call fails. An implicit one says nothing: the call succeeds, with less, older or other
data than it should have. Each implicit transform is a pure function `(observation, rng, context) -> degraded`; None
says that it would change nothing here. None of them adds a sign of failure, and none picks an identifier to be
lost.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

import msgspec

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.content import Field, copied, differ, owners
from worktrial.workplaces.faults.counts import recounted
from worktrial.workplaces.faults.draws import Chance, below, shuffled
from worktrial.workplaces.faults.plan import FaultKind
from worktrial.workplaces.faults.stale import Facts, changes, facts_of, outdated, rolled_back, without_newest
from worktrial.workplaces.faults.wrong import Values, in_place, neighbour, places, plain_values, replaced
from worktrial.workplaces.signals import error_signals, is_critical, is_identifier, says_if_failed
from worktrial.workplaces.tools import Tool

# What an API gateway in front of a service answers. Nothing in them tells a trial from real life.
_ERRORS: dict[FaultKind, JsonObject] = {
    FaultKind.HTTP_500: {"type": "internal_server_error", "status": 500, "message": "Internal Server Error"},
    FaultKind.TIMEOUT: {
        "type": "timeout",
        "status": 504,
        "message": "The service did not answer within 30 seconds.",
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
# What was lost is the answer: from where the agent stands, a time-out like any other.
_ERRORS[FaultKind.LOST_ACKNOWLEDGEMENT] = _ERRORS[FaultKind.TIMEOUT]
_TRANSIENT = frozenset(error["type"] for error in _ERRORS.values())


def failed(kind: FaultKind, tool: str) -> JsonObject:
    """Observation in place of an answer of `tool`."""
    return {"error": {**_ERRORS[kind], "tool": tool}}


def is_outage(observation: JsonValue) -> bool:
    """Whether an observation reports, as far as anybody can tell from it, a failure that may pass."""
    error = observation.get("error") if isinstance(observation, dict) else None
    return isinstance(error, dict) and error.get("type") in _TRANSIENT


class Context(msgspec.Struct, frozen=True):
    """Knowledge that a transform has beside the observation."""

    earlier: Sequence[JsonObject] = ()
    """Earlier clean observations of the same read, oldest first; () for a call that writes."""
    states: tuple[JsonObject, JsonObject] | None = None
    """The state before the last write and as it is now; None without a write, or where no state can be seen."""
    arguments: JsonValue = None
    """Arguments of the call."""
    writes: bool = False
    """Whether the call changes something, as far as that is known."""
    documents: Callable[[], Sequence[JsonObject]] = tuple
    """Function that gives the initial state and the clean observations so far, oldest first."""
    facts: Callable[[str], Sequence[Facts]] | None = None
    """Function that gives what these say about a thing of some name; None to read it off all of them."""
    values: Callable[[str], Sequence[Values]] | None = None
    """Function that gives the plain values in those that may have a field of some name, or in all for ""; None to
    read them off."""
    tools: Sequence[Tool] = ()
    """The workplace's tools, for the values that their schemas name."""
    needed: Needed | None = None
    """Aim of the damage; None for no aim."""
    silent: bool = False
    """Whether a list that is cut takes the count beside it along."""

    def plain(self) -> Callable[[str], Sequence[Values]]:
        """Function that gives the plain values of documents that may have a field, oldest document first."""
        if self.values is not None:
            return self.values
        values = [plain_values(document) for document in self.documents()]
        return lambda field: values

    def known(self) -> Callable[[str], Sequence[Facts]]:
        """Function that gives the facts about a thing, oldest document first."""
        if self.facts is not None:
            return self.facts
        facts = [facts_of(document) for document in self.documents()]
        return lambda name: [document[name] for document in facts if name in document]


T = TypeVar("T")

Transform = Callable[[JsonObject, Chance, Context], JsonObject | None]


def drop_fields(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Leave out about a third of the fields, each in all rows alike; never the last one of the whole answer."""
    degraded = copied(observation)
    for field in _a_third(_telling(observation, context), rng, context.needed):
        if len(field) == 1 and len(degraded) == 1:
            continue
        for owner in owners(degraded, field[:-1]):
            if isinstance(owner, dict):
                owner.pop(str(field[-1]), None)
    return _if_changed(observation, degraded)


def cut_lists(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Keep the first one or two items of every list that is not inside another list.

    Where damage is aimed, one item is kept if something needed is in the second. Counts beside a list stay true, so
    that who looks can see the cut, unless the damage is to be silent.
    """

    def cut(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: cut(inner) for key, inner in value.items()}
        if isinstance(value, list) and len(value) > 1:
            kept = 1 if len(value) == 2 else 1 + below(rng, 2)
            if context.needed is not None and context.needed.any_of("", value[1]):
                kept = 1
            return copied(value[:kept])
        return copied(value)

    degraded = cut(observation)
    assert isinstance(degraded, dict), "an object stays an object"
    if context.silent:
        recounted(observation, degraded)
    return _if_changed(observation, degraded)


def empty_values(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Make about a third of the values null or empty, each in all rows alike; every field keeps its key."""
    degraded = copied(observation)
    for field in _a_third(_telling(observation, context, filled=True), rng, context.needed):
        null = rng.random() < 0.5
        for owner in owners(degraded, field[:-1]):
            if isinstance(owner, dict) and field[-1] in owner:
                key = str(field[-1])
                owner[key] = None if null else emptied(owner[key])
    return _if_changed(observation, degraded)


def serve_stale(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """An earlier answer to the same read; else the same answer with values from before.

    These are those from before the last write, where the state can be seen; else what the initial state or an
    earlier answer showed of the same things; else the answer without the newest entries of its lists.
    """
    if context.writes:
        return None
    for earlier in reversed(context.earlier):
        if differ(observation, earlier) and _no_worse(observation, earlier):
            older: JsonObject = copied(earlier)
            return older
    before = () if context.states is None else changes(*context.states)
    degraded = rolled_back(observation, before, context.arguments) if before else observation
    if degraded is observation or not differ(observation, degraded):
        degraded = outdated(observation, context.known(), context.arguments)
    if degraded is observation:
        degraded = without_newest(observation)
    if degraded is observation or not isinstance(degraded, dict) or not differ(observation, degraded):
        return None
    # What did not change is still the observation's own.
    stale: JsonObject = copied(degraded)
    return stale if _no_worse(observation, stale) else None


# One value is wrong. Most answers have one that can be: the first few tell.
_TRIES = 6


def mistake_value(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Give one value wrongly: a neighbour of it from the same workplace stands in its place.

    Another identifier stands wherever the answer shows the identifier; any other value is wrong in one place.
    """
    given = set(_plain_texts(context.arguments))
    candidates = [
        (path, value)
        for path, value in places(observation)
        if value is not None and value != "" and not _is_sign(str(path[-1])) and str(value) not in given
    ]
    needed = context.needed
    chosen: Iterable[tuple[tuple[str | int, ...], JsonValue]] = shuffled(candidates, rng)
    if needed is not None:
        chosen = _first(chosen, lambda one: needed.field(str(one[0][-1])) or needed.value(one[1]))
    shown, earlier = plain_values(observation), context.plain()

    def known(name: str) -> list[Values]:
        return [shown, *reversed(earlier(name))]

    for path, value in islice(chosen, _TRIES):
        field = str(path[-1])
        # A second row of the same name would give it away.
        own = {str(v) for p, v in candidates if p[-1] == field} if is_identifier(field) else set()
        wrong = neighbour(field, value, known, context.tools, rng, given | own)
        if wrong is None:
            continue
        if is_identifier(field):
            degraded = replaced(observation, field, value, wrong)
        else:
            degraded = copied(observation)
            in_place(degraded, path, wrong)
        # Only what such a field says can be a sign of failure that was not there.
        if not says_if_failed(field) or _no_worse(observation, degraded):
            mistaken: JsonObject = degraded
            return mistaken
    return None


def _first(items: Iterable[T], wanted: Callable[[T], bool]) -> Iterator[T]:
    """The wanted items, then the others; none is looked at before it is asked for."""
    others = []
    for item in items:
        if wanted(item):
            yield item
        else:
            others.append(item)
    yield from others


def _no_worse(observation: JsonObject, degraded: JsonValue) -> bool:
    """Whether `degraded` has no sign of failure that the observation has not."""
    return set(error_signals(observation)).issuperset(error_signals(degraded))


def _is_sign(field: str) -> bool:
    """Whether a field says if the call succeeded."""
    return is_critical(field, 1) and not is_identifier(field)


def _plain_texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _plain_texts(inner)
    elif value is not None:
        yield str(value)


TRANSFORMS: Mapping[str, Transform] = {
    FaultKind.FIELDS_DROPPED: drop_fields,
    FaultKind.LIST_CUT: cut_lists,
    FaultKind.VALUES_EMPTIED: empty_values,
    FaultKind.WRONG_VALUE: mistake_value,
    FaultKind.STALE: serve_stale,
}


def _telling(observation: JsonObject, context: Context, *, filled: bool = False) -> dict[Field, list[JsonValue]]:
    """Fields of an observation that may be lost, each with what it holds in all rows.

    These are all but those that only repeat an argument, to lose which is no loss, and the critical ones with
    whatever is in them.

    Args:
        observation: A clean one.
        context: For the arguments.
        filled: Whether what is null or empty is left out.
    """
    given = context.arguments if isinstance(context.arguments, dict) else {}
    found: dict[Field, list[JsonValue]] = {}

    def add(value: JsonValue, steps: Field) -> None:
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict | list):
                    add(item, (*steps, None))
            return
        for key, inner in value.items():
            if is_critical(key, len(steps)):
                continue
            field = (*steps, key)
            repeats = not steps and key in given and given[key] == inner
            if not repeats and not (filled and (inner is None or inner in ("", [], {}))):
                found.setdefault(field, []).append(inner)
            if isinstance(inner, dict | list):
                add(inner, field)

    add(observation, ())
    return found


def _a_third(values: Mapping[Field, list[JsonValue]], rng: Chance, needed: Needed | None) -> list[Field]:
    """A third of the fields; among them one that is needed, where there is one and damage is aimed."""
    candidates = shuffled(list(values), rng)
    if needed is not None:
        aim = (f for f in candidates if needed.field(str(f[-1])) or any(map(needed.value, values[f])))
        if (first := next(aim, None)) is not None:
            candidates = [first, *(f for f in candidates if f != first)]
    wanted = -(-len(candidates) // 3)
    chosen: dict[Field, None] = {}
    above: set[Field] = set()
    for field in candidates:
        if len(chosen) == wanted:
            break
        owners_of = [field[:n] for n in range(1, len(field))]
        if field not in above and chosen.keys().isdisjoint(owners_of):
            chosen[field] = None
            above.update(owners_of)
    return list(chosen)


def emptied(value: JsonValue) -> JsonValue:
    """Nothing, of the same kind as `value`; null for what is neither text, list nor object."""
    if isinstance(value, str):
        return ""
    if isinstance(value, list):
        return []
    return {} if isinstance(value, dict) else None


def _if_changed(observation: JsonObject, degraded: JsonObject) -> JsonObject | None:
    return degraded if differ(observation, degraded) else None
