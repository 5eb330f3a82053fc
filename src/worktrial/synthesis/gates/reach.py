"""Gate of the state: every part of it is shown by a tool, decides something in one, or is changed by one."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta

from worktrial.finding import Finding
from worktrial.grading.facts import changed_pointers, under
from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.gates.catalogue import (
    KnownCall,
    few_of_each,
    id_places,
    records_of,
    replaced,
    value_at,
)
from worktrial.synthesis.gates.door import Door, Probe, Probed
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import Call
from worktrial.workplaces.values import below, parts

MOST_IDS = 12
"""Records of a collection that are read one by one at first."""
_PAGES = (1, 2, 3)
_ANY = "*"
_SOMETHING: tuple[JsonValue, ...] = ("x", "2001-01-01", 1, True, 0.5)

Place = tuple[str | int, ...]


async def unreachable(door: Door, known: Sequence[KnownCall]) -> tuple[int, list[Finding]]:
    """Find parts of the initial state that no tool has to do with.

    A part is a field, in whichever record. It has to do with a tool when another value there changes what some call
    answers, or when some call changes it.

    Returns:
        Number of parts that were looked at, and those that nothing reaches.
    """
    state = door.artifact.initial_state
    fields: dict[str, list[Place]] = defaultdict(list)
    for place, general in _places(state):
        # An empty text tells nothing, and what time it is an agent is told.
        if value_at(state, place) != "" and general != "/clock":
            fields[general].append(place)
    before = await door.probe([call.probe() for call in known])
    changed = {
        general
        for call, outcome in zip(known, before, strict=True)
        if any(one.changed for one in outcome.calls)
        for general in _generalised(changed_pointers(call.state, outcome.state), call.state, outcome.state)
    }
    waiting = [general for general in fields if not any(_covers(one, general) for one in changed)]
    own = [call for call in few_of_each(known) if not _is_read(door, call.tool)]
    calls = [*reading_calls(door, known)]
    waiting = await _unheeded(door, state, fields, waiting, calls, own)
    if waiting:
        # What few records have may be in none of those that were read so far.
        waiting = await _unheeded(door, state, fields, waiting, [*reading_calls(door, known, None)], ())
    found = [
        finding(
            GateName.REACH,
            door.artifact.name,
            general,
            "no tool shows it, heeds it or changes it",
            "Show it in a read, or leave it out of the state",
        )
        for general in waiting
    ]
    return len(fields), found


def reading_calls(door: Door, known: Sequence[KnownCall], most: int | None = MOST_IDS) -> Iterator[Call]:
    """Calls of all reads: the known ones, and each with other records, choices and pages in one argument.

    Args:
        door: The workplace.
        known: Calls that succeed.
        most: Records of a collection that are read; None for all of them.
    """
    state = door.artifact.initial_state
    records = records_of(state)
    made: set[str] = set()
    for call in few_of_each([call for call in known if _is_read(door, call.tool)]):
        tool = door.artifact.tool(call.tool)
        if tool is None:
            continue
        variants = [call.arguments]
        for path in id_places(call.arguments, {*records.ids, *records_of(call.state).ids}):
            value = value_at(call.arguments, path)
            others = records.neighbours(value) or [id for group in records.groups.values() for id in group]
            variants += [replaced(call.arguments, path, other) for other in others[:most]]
        for name, schema in tool.parameters.get("properties", {}).items():
            choices = schema.get("enum", _PAGES if schema.get("type") == "integer" else ())
            variants += [{**call.arguments, name: choice} for choice in choices]
        for given in variants:
            if (key := f"{call.tool} {given!r}") not in made:
                made.add(key)
                yield call.tool, given


async def _unheeded(
    door: Door,
    state: JsonObject,
    fields: Mapping[str, Sequence[Place]],
    waiting: Sequence[str],
    calls: Sequence[Call],
    own: Sequence[KnownCall],
) -> list[str]:
    """Fields among `waiting` that make no difference to any of these calls."""
    plain = await _asked(door, state, calls, own)
    return [
        general
        for general in waiting
        if not await _is_heeded(door, state, general, fields[general], calls, own, plain)
    ]


async def _is_heeded(
    door: Door,
    state: JsonObject,
    general: str,
    places: Sequence[Place],
    calls: Sequence[Call],
    own: Sequence[KnownCall],
    plain: Sequence[Probed],
) -> bool:
    """Whether another value at all of `places` changes any answer; also where no other value fits."""
    fits = False
    for other in _other_states(state, places, general):
        asked = await _asked(door, other, calls, own)
        if "does not fit" in asked[0].crash:
            continue
        fits = True
        for one, two in zip(plain, asked, strict=True):
            if [(c.content, c.error) for c in one.calls] != [(c.content, c.error) for c in two.calls]:
                return True
    return not fits


async def _asked(door: Door, state: JsonObject, calls: Sequence[Call], own: Sequence[KnownCall]) -> list[Probed]:
    writes = [Probe(state, [*call.before, (call.tool, call.arguments)]) for call in own]
    return await door.probe([Probe(state, calls or [("", {})]), *writes])


def _other_states(state: JsonObject, places: Sequence[Place], general: str) -> Iterator[JsonObject]:
    """The state with other values at all of `places`, in a few ways: not each fits the state's type."""
    values = [value_at(state, place) for place in places]
    moved = [*values[1:], *values[:1]]
    ways = [moved] if moved != values else []
    ways.append([_another(value) for value in values])
    nulls = [value is None for value in values]
    if any(nulls):
        # What another record has there may be a record itself.
        whole = [value for value in _values(state, general) if isinstance(value, dict | list) and value]
        ways += [
            [something if empty else value for value, empty in zip(values, nulls, strict=True)]
            for something in (*whole[:1], *(value for value in values if value is not None), *_SOMETHING)
        ][:8]
    elif all(isinstance(value, str) for value in values):
        ways.append([None] * len(values))
    for way in ways:
        if way == values:
            continue
        other: JsonValue = state
        for place, value in zip(places, way, strict=True):
            other = replaced(other, place, value)
        yield other


def _values(value: JsonValue, general: str) -> Iterator[JsonValue]:
    """Values at a pointer with stars, those that hold others as well."""
    if not general:
        yield value
        return
    step, slash, rest = general[1:].partition("/")
    for key, item in parts(value):
        if step in (_ANY, below("", key)[1:]):
            yield from _values(item, slash + rest)


def _another(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        try:
            return (date.fromisoformat(value[:10]) + timedelta(days=1)).isoformat() + value[10:]
        except (ValueError, OverflowError):
            return f"{value}x"
    return value


def _places(value: JsonValue, place: Place = (), general: str = "") -> Iterator[tuple[Place, str]]:
    """Scalars with their path, and the same with a star for whatever tells records apart."""
    inside = parts(value)
    if not inside and not isinstance(value, dict | list):
        yield place, general
    many = isinstance(value, list) or _is_table(value)
    for key, item in inside:
        yield from _places(item, (*place, key), below(general, _ANY if many else key))


def _is_table(value: JsonValue) -> bool:
    """Whether an object's keys tell records apart rather than fields."""
    if not isinstance(value, dict) or not value:
        return False
    if all(any(c.isdigit() for c in key) for key in value):
        return True
    return len(value) > 1 and all(isinstance(item, dict) for item in value.values()) and _alike(value)


def _alike(value: JsonObject) -> bool:
    first, *others = (item.keys() for item in value.values())
    return all(keys == first for keys in others)


def _generalised(pointers: Sequence[str], *states: JsonObject) -> set[str]:
    """Pointers with stars, as `_places` writes them; what lies below a part that is new is `…/*` as a whole."""
    exact = {}
    for state in states:
        for changed in pointers:
            for place, general in _places_under(state, changed):
                pointer = ""
                for part in place:
                    pointer = below(pointer, part)
                exact[pointer] = general
    found = set()
    for pointer in pointers:
        if pointer in exact:
            found.add(exact[pointer])
        else:
            found |= {general for one, general in exact.items() if one.startswith(f"{pointer}/")}
    return found


def _places_under(value: JsonValue, pointer: str) -> Iterator[tuple[Place, str]]:
    """The places of `_places` that are at a pointer or below it."""
    place: Place = ()
    general = reached = ""
    while reached != pointer:
        many = isinstance(value, list) or _is_table(value)
        steps = ((key, item) for key, item in parts(value) if under(pointer, below(reached, key)))
        key, value = next(steps, (None, None))
        if key is None:
            return
        place, general, reached = (*place, key), below(general, _ANY if many else key), below(reached, key)
    yield from _places(value, place, general)


def _covers(changed: str, general: str) -> bool:
    return general == changed or general.startswith(f"{changed}/")


def _is_read(door: Door, tool: str) -> bool:
    known = door.artifact.tool(tool)
    return known is not None and known.writes is False
