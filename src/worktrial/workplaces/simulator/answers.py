"""Answers held against what is known without the truth: their own effects, the state, the call, facts on record."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import excerpt, json_text
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import below, id_name, is_keyed_by_id, names, objects, scalars

_SHOWN = 80
# What a reply says of itself under a name that records use too.
_ENVELOPE = frozenset({"ok", "success", "found", "not_found", "error", "completed"})
_OF_ITSELF = frozenset({"status", "state", "message", "result", "code", "type", "name", "time", "date"})
_OF_ANY = frozenset({"status", "success", "ok", "message", "result", "data", "error"})
_OF_ERRORS = frozenset(
    {"error_code", "error_type", "error_message", "errors", "type", "reason", "detail", "details"}
)
_REFUSED = frozenset({"refused", "rejected", "denied", "declined", "failed", "failure", "blocked", "forbidden"})
_GRANTED = frozenset({"approved", "accepted", "granted", "confirmed", "completed", "succeeded", "success", "done"})
# A call that fails may leave a trace of itself.
_TRACES = re.compile(r"/-$|log|history|audit|attempt|error|fail|event|last|alert", re.IGNORECASE)
# Numbers that a service may cut down without a word.
_BOUNDS = re.compile(r"page|limit|offset|min|max|threshold|size|top|days|hours|window", re.IGNORECASE)
_PROSE = 60  # characters from which on a text may be told in other words
_DATE = 8  # characters
_LEAST_SHARE = 0.5
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer of whoever plays a workplace, with what it can be held against."""

    workplace: Workplace
    tool: Tool
    arguments: JsonValue
    content: JsonObject
    after: JsonObject | None
    """State after the call; None where nobody knows it."""
    patch: Sequence[JsonObject] = ()
    """Changes of the state that came with the answer."""
    facts: Mapping[str, JsonValue] = field(default_factory=dict)
    """Facts on record, those that came with the answer included."""


def doubts(answer: GivenAnswer) -> list[str]:
    """Reasons why an answer cannot be right, each with the JSON Pointer where it stands; [] for none.

    Asked are questions that an honest answer passes whatever the workplace: where values may differ for a reason
    (prose, rounded numbers, what an answer says of itself) nothing is said.
    """
    found = [*_effects(answer), *_strange_fields(answer)]
    if not is_error(answer.content):
        found += [*_echoes(answer), *_left_out(answer), *_counts(answer.content), *_facts(answer)]
        if answer.after is not None:
            found += [*(state_misfits(answer.content, answer.after) or ()), *_named_record(answer)]
    return list(dict.fromkeys(found))


def state_misfits(content: JsonObject, state: JsonObject) -> list[str] | None:
    """Values that a state holds otherwise: of its records, and of fields that it has only once; None for no such.

    A number may be rounded. Left aside are names that every answer uses of itself (`status`, `message`).
    """
    records = records_of(state)
    shown: dict[str, tuple[JsonValue, JsonValue]] = {}
    for (record, name), at, value in record_fields(content, records):
        held = [part[name] for part in records[record] if name in part]
        if len(held) == 1 and not isinstance(held[0], dict | list):
            shown[at] = value, held[0]
    singles = _single_fields(state)
    for name, value in content.items():
        if name in singles and not isinstance(value, dict | list) and name not in _OF_ITSELF and not id_name(name):
            shown.setdefault(below("", name), (value, singles[name]))
    if not shown:
        return None
    return [_differs(at, value, held) for at, (value, held) in shown.items() if not fits(value, held)]


def _effects(answer: GivenAnswer) -> Iterator[str]:
    """A call that fails or is refused changes nothing, and what is refused here is not granted there."""
    said = {
        str(v).lower() for k, v in answer.content.items() if isinstance(v, str) and k.lower() not in ("message",)
    }
    refused, granted = said & _REFUSED, said & {"approved", "granted"}
    told: set[str] = set()
    for operation in answer.patch:
        told |= {str(v).lower() for v in scalars(operation.get("value")) if isinstance(v, str)}
    asked = json_text(answer.arguments).lower() + answer.tool.name.lower()
    wanted = any(word[:5] in asked for word in refused)
    if refused and told & _GRANTED and not told & _REFUSED:
        yield f"(all): {sorted(refused)[0]} in the answer, but {sorted(told & _GRANTED)[0]} in the patch"
    elif granted and told & _REFUSED and not told & _GRANTED:
        yield f"(all): {sorted(granted)[0]} in the answer, but {sorted(told & _REFUSED)[0]} in the patch"
    elif is_error(answer.content) or (refused and not wanted):
        paths = [str(o.get("path")) for o in answer.patch if o.get("op") != "test"]
        for path in paths:
            if not _TRACES.search(path):
                yield f"(all): the call failed, but the patch changes {path}"


def _echoes(answer: GivenAnswer) -> Iterator[str]:
    """Ids, choices and numbers of the call stand in the answer under the same name as they were given."""
    given = answer.arguments if isinstance(answer.arguments, dict) else {}
    effects = [v for o in answer.patch for v in scalars(o.get("value"))]
    for name, value in given.items():
        echoed = answer.content.get(name)
        if name in _OF_ITSELF or isinstance(value, bool) or type(value) is not type(echoed) or fits(echoed, value):
            continue
        is_number = isinstance(value, int | float) and not _BOUNDS.search(name) and echoed not in effects
        if is_number or (isinstance(value, str) and (id_name(name) or name in answer.tool.choices)):
            yield f"{below('', name)}: {_text(echoed)}, but {_text(value)} in the call"


def _left_out(answer: GivenAnswer) -> Iterator[str]:
    """An answer that goes through the items that were asked for names all of them."""
    given = answer.arguments if isinstance(answer.arguments, dict) else {}
    shown = {str(key) for _, holder in objects(answer.content) for key in holder}
    for _, holder in objects(answer.content):
        for item in (i for value in holder.values() if isinstance(value, list) for i in value):
            shown |= {_plain(v) for v in (item.values() if isinstance(item, dict) else [item])}
    for name, items in given.items():
        if not isinstance(items, list) or len(items) < 2 or any(isinstance(i, dict | list) for i in items):
            continue
        absent = [i for i in items if _plain(i) not in shown]
        if 0 < len(absent) <= (1 - _LEAST_SHARE) * len(items):
            yield f"(all): {len(items) - len(absent)} of {len(items)} `{name}` answered; without {_text(absent)}"


def _counts(content: JsonObject) -> Iterator[str]:
    """A count beside the one list of an object is not below its length."""
    for at, holder in objects(content):
        lists = [value for value in holder.values() if isinstance(value, list)]
        count = next((n for n in ("count", "total", "total_count") if type(holder.get(n)) is int), None)
        if len(lists) == 1 and count is not None and holder[count] < len(lists[0]):
            yield f"{below(at, count)}: {holder[count]}, but the list beside it has {len(lists[0])}"


def _facts(answer: GivenAnswer) -> Iterator[str]:
    """Facts on record of a thing that the call or the answer names is answered as it is on record."""
    named = {str(v).lower() for v in scalars(answer.arguments) if isinstance(v, str | int)}
    named |= {str(v).lower() for k, v in answer.content.items() if id_name(k)}
    for key, value in answer.facts.items():
        # The call itself is on record as `call 8: tool`, which says nothing of a field.
        if key.startswith("call "):
            continue
        for name, told in answer.content.items():
            if isinstance(told, dict | list) or name in _OF_ITSELF or id_name(name):
                continue
            held = value.get(name) if isinstance(value, dict) else value
            # `A-1 carrier`: a thing and its field; or `A-1`, `A-1 parcel`: a thing, and its fields as the value.
            thing, _, rest = key.lower().partition(" ")
            is_of = isinstance(value, dict) or rest.replace(" ", "_") == name.lower()
            if is_of and thing in named and not isinstance(held, dict | list) and not fits(told, held):
                yield f"{below('', name)}: {_text(told)}, but {_text(held)} on record as {key!r}"


def _named_record(answer: GivenAnswer) -> Iterator[str]:
    """Fields of the one record that the call names, and a plain value that the state keeps under its name."""
    assert answer.after is not None
    records = records_of(answer.after)
    given = [v for v in (answer.arguments or {}).values() if isinstance(v, str)] if answer.arguments else []
    known = [v for v in dict.fromkeys(given) if len(records.get(v, ())) == 1]
    if len(known) == 1 and not any(id_name(k) and v != known[0] for k, v in answer.content.items()):
        [record] = records[known[0]]
        for name, value in answer.content.items():
            held = record.get(name)
            if (
                name in _OF_ITSELF
                or held is None
                or isinstance(held, dict | list)
                or isinstance(value, dict | list)
            ):
                continue
            if not fits(value, held):
                yield _differs(below("", name), value, held)
    for _, holder in objects(answer.after):
        for name, values in holder.items():
            told = answer.content.get(name)
            kept = [values[v] for v in given if isinstance(values, dict) and v in values]
            if len(kept) != 1 or isinstance(kept[0], dict | list) or isinstance(told, dict | list):
                continue
            if not fits(told, kept[0]):
                yield _differs(below("", name), told, kept[0])


def _strange_fields(answer: GivenAnswer) -> Iterator[str]:
    """Texts under names that neither the example has nor state, call, rules or a description say.

    A number or a code there is of another shape, and counted so; words can be advice.
    """
    example = answer.tool.example_output
    if not example:
        return
    place, state = answer.workplace, answer.after or answer.workplace.initial_state
    licensed = names(example) | names(state) | names(answer.arguments)
    licensed |= _OF_ANY | (_OF_ERRORS if is_error(answer.content) else frozenset())
    told: set[str] | None = None
    for at, key, value in _members(answer.content, {"result": example} if isinstance(example, list) else example):
        words = any(
            isinstance(v, str) and " " in v.strip() for v in (value if isinstance(value, list) else [value])
        )
        if key in licensed or not words or any(c.isdigit() for c in key):
            continue
        if told is None:
            texts = (place.system_prompt, answer.tool.description, json_text(place.state_description))
            told = {word.lower() for text in texts for word in _WORDS.findall(text)}
            told |= {str(v).lower() for v in scalars([state, answer.arguments, dict(answer.facts)])}
        if key.lower() not in told:
            yield f"{at}: nothing says that {answer.tool.name} returns `{key}`"


def _members(value: JsonValue, example: JsonValue, at: str = "") -> Iterator[tuple[str, str, JsonValue]]:
    """Pointer, key and value of the members of objects, as deep as the example says what they are."""
    if isinstance(value, list) and isinstance(example, list) and example:
        merged = {k: v for item in example if isinstance(item, dict) for k, v in item.items()}
        for index, item in enumerate(value):
            yield from _members(item, merged, below(at, index))
    elif isinstance(value, dict) and isinstance(example, dict) and example and not is_keyed_by_id(example):
        for key, inner in value.items():
            yield below(at, key), str(key), inner
            yield from _members(inner, example.get(key), below(at, key))


def records_of(state: JsonObject) -> dict[str, list[JsonObject]]:
    """Id to what a state keeps under it: mostly one record, sometimes parts in several places."""
    keyed: dict[str, list[JsonObject]] = {}
    listed: dict[str, list[JsonObject]] = {}
    for _, holder in objects(state):
        for key, value in holder.items():
            if isinstance(value, dict):
                keyed.setdefault(key, []).append(value)
        own = [value for key, value in holder.items() if id_name(key)]
        if len(own) == 1:
            listed.setdefault(str(own[0]), []).append(holder)
    # An id that several rows name is one they refer to, not their own.
    return {key: rows for key, rows in listed.items() if len(rows) == 1} | keyed


def record_fields(
    content: JsonObject, records: Mapping[str, list[JsonObject]]
) -> Iterator[tuple[tuple[str, str], str, JsonValue]]:
    """Scalars of records of the state, wherever an observation shows them: key, pointer, value.

    An object is taken for the record whose id it names when most of its fields are that record's; a row that
    only refers to the record (a test of a loan) has fields of its own.
    """
    for at, found in objects(content):
        named = [(k, v) for k, v in found.items() if id_name(k) and isinstance(v, str | int)]
        if len(named) != 1:
            continue
        (id_field, record), *_ = named
        own = {name for part in records.get(str(record), []) for name in part}
        others = [name for name in found if name != id_field]
        if 2 * sum(name in own for name in others) <= len(others):
            continue
        for name in others:
            value = found[name]
            if name in own and not isinstance(value, dict | list):
                if isinstance(value, str) and value.lower() in _ENVELOPE:
                    continue
                yield (str(record), name), below(at, name), value


def fits(value: JsonValue, held: JsonValue) -> bool:
    """Whether a value may be what is held: equal, rounded, cut, in other letters, or told in prose."""
    if value is None or same(value, held):
        return True
    if isinstance(value, bool) or isinstance(held, bool):
        return type(value) is not type(held)
    if isinstance(value, int | float) and isinstance(held, int | float):
        return round(held, len(str(value).partition(".")[2])) == value
    if isinstance(value, str) and isinstance(held, str):
        short, long = sorted((_plain(value), _plain(held)), key=len)
        # A date may have its time.
        return short == long or len(long) > _PROSE or (len(short) >= _DATE and long.startswith(short))
    # Of another kind is a matter of shape.
    return type(value) is not type(held)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are equal, where true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _single_fields(state: JsonObject) -> dict[str, JsonValue]:
    """Scalars at the top of the state, or in an object there, under names that occur in the state only once."""
    counts = Counter(name for _, holder in objects(state) for name in holder)
    upper = [state, *(value for value in state.values() if isinstance(value, dict))]
    return {
        name: value
        for holder in upper
        for name, value in holder.items()
        if counts[name] == 1 and not isinstance(value, dict | list)
    }


def _plain(value: JsonValue) -> str:
    return " ".join(str(value).lower().replace("_", " ").split())


def _differs(at: str, value: JsonValue, held: JsonValue) -> str:
    return f"{at}: {_text(value)}, but {_text(held)} in the state"


def _text(value: JsonValue) -> str:
    return excerpt(json_text(value), _SHOWN)
