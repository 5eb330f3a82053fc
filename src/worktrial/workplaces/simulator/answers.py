"""Answers held against what is known without the truth: their own effects, the state, the call, facts on record."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.records import KnownState, record_fields
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import brief, json_text
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import below, id_name, is_keyed_by_id, names, objects, scalars

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


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer of whoever plays a workplace, with what it can be held against."""

    workplace: Workplace
    tool: Tool
    arguments: JsonValue
    content: JsonObject
    after: KnownState | None = None
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
    found = [*_effects(answer), *strange_fields(answer, in_words=True)]
    if not is_error(answer.content):
        found += [*_left_out(answer), *_counts(answer.content)]
        pairs = [*_echoes(answer), *(_facts(answer) if answer.facts else ())]
        if answer.after is not None:
            pairs += [*state_pairs(answer.content, answer.after), *_named_record(answer, answer.after)]
        found += misfits(pairs)
    return list(dict.fromkeys(found))


_HERE = "in the state"
Pair = tuple[str, JsonValue, JsonValue, str]
"""JSON Pointer of a value of an answer, the value, the one that it should be, and where that stands."""


def misfits(pairs: Sequence[Pair]) -> list[str]:
    """Sentences on those values that cannot be the ones they should be."""
    return [
        f"{at}: {brief(value)}, but {brief(held)} {where}"
        for at, value, held, where in pairs
        if not isinstance(held, dict | list) and not fits(value, held)
    ]


def state_pairs(content: JsonObject, state: KnownState) -> list[Pair]:
    """Values of a state's records, and of fields that it has only once, beside what it holds.

    Left aside are names that every answer uses of itself (`status`, `message`).
    """
    pairs: list[Pair] = []
    for (record, name), at, value in record_fields(content, state.records):
        held = [part[name] for part in state.records[record] if name in part]
        if len(held) == 1 and not isinstance(held[0], dict | list):
            pairs.append((at, value, held[0], _HERE))
    seen = {at for at, *_ in pairs}
    for name, value in _scalar_fields(content):
        if name in state.singles and not id_name(name) and (at := below("", name)) not in seen:
            pairs.append((at, value, state.singles[name], _HERE))
    return pairs


def _scalar_fields(content: JsonObject) -> Iterator[tuple[str, JsonValue]]:
    """Scalars at the top of an answer, but for what it says of itself."""
    return (
        (name, value)
        for name, value in content.items()
        if name not in _OF_ITSELF and not isinstance(value, dict | list)
    )


def _named_record(answer: GivenAnswer, state: KnownState) -> Iterator[Pair]:
    """Fields of the one record that the call names, and a plain value that the state keeps under its name."""
    given = [v for v in answer.arguments.values() if isinstance(v, str)] if answer.arguments else []
    known = [v for v in dict.fromkeys(given) if len(state.records.get(v, ())) == 1]
    if len(known) == 1 and not any(id_name(k) and v != known[0] for k, v in answer.content.items()):
        [record] = state.records[known[0]]
        for name, value in _scalar_fields(answer.content):
            if record.get(name) is not None:
                yield below("", name), value, record[name], _HERE
    for holder in state.objects if given else ():
        for name in (name for name in answer.content if name in holder):
            values, value = holder[name], answer.content[name]
            kept = [values[v] for v in given if v in values] if isinstance(values, dict) else []
            if len(kept) == 1 and not isinstance(value, dict | list):
                yield below("", name), value, kept[0], _HERE


def _facts(answer: GivenAnswer) -> Iterator[Pair]:
    """Fields of things that the call or the answer names, beside the facts on record about them.

    A fact is of one field (`A-1 carrier`), or of a thing with an object of its fields (`A-1`, `A-1 parcel`).
    """
    named = {str(v).lower() for v in scalars(answer.arguments) if isinstance(v, str | int)}
    named |= {str(v).lower() for k, v in answer.content.items() if id_name(k)}
    for key, fact in answer.facts.items():
        thing, _, rest = key.lower().partition(" ")
        # `call 8: tool` is the call itself, and says nothing of a field.
        if thing not in named or key.startswith("call "):
            continue
        for name, value in _scalar_fields(answer.content):
            is_of = isinstance(fact, dict) or rest.replace(" ", "_") == name.lower()
            if is_of and not id_name(name):
                held = fact.get(name) if isinstance(fact, dict) else fact
                yield below("", name), value, held, f"on record as {key!r}"


def _echoes(answer: GivenAnswer) -> Iterator[Pair]:
    """Ids, choices and numbers of the call, which stand in the answer under the same name as they were given."""
    given = answer.arguments if isinstance(answer.arguments, dict) else {}
    effects = [v for o in answer.patch for v in scalars(o.get("value"))]
    for name, echoed in _scalar_fields(answer.content):
        value = given.get(name)
        if isinstance(value, bool) or type(value) is not type(echoed):
            continue
        is_number = isinstance(value, int | float) and not _BOUNDS.search(name) and echoed not in effects
        if is_number or (isinstance(value, str) and (id_name(name) or name in answer.tool.choices)):
            yield below("", name), echoed, value, "in the call"


def _effects(answer: GivenAnswer) -> Iterator[str]:
    """A call that fails or is refused changes nothing, and what is refused here is not granted there."""
    if not answer.patch:
        return
    said = {str(v).lower() for k, v in answer.content.items() if isinstance(v, str) and k.lower() != "message"}
    refused, granted = said & _REFUSED, said & {"approved", "granted"}
    told: set[str] = set()
    for operation in answer.patch:
        told |= {str(v).lower() for v in scalars(operation.get("value")) if isinstance(v, str)}
    if refused and told & _GRANTED and not told & _REFUSED:
        yield f"(all): {sorted(refused)[0]} in the answer, but {sorted(told & _GRANTED)[0]} in the patch"
    elif granted and told & _REFUSED and not told & _GRANTED:
        yield f"(all): {sorted(granted)[0]} in the answer, but {sorted(told & _REFUSED)[0]} in the patch"
    elif is_error(answer.content) or (refused and not _asks_for(refused, answer)):
        for path in (str(o.get("path")) for o in answer.patch if o.get("op") != "test"):
            if not _TRACES.search(path):
                yield f"(all): the call failed, but the patch changes {path}"


def _asks_for(refused: set[str], answer: GivenAnswer) -> bool:
    """Whether the call is one to refuse something."""
    asked = json_text(answer.arguments).lower() + answer.tool.name.lower()
    return any(word[:5] in asked for word in refused)


def _left_out(answer: GivenAnswer) -> Iterator[str]:
    """An answer that goes through the items that were asked for names all of them."""
    given = answer.arguments if isinstance(answer.arguments, dict) else {}
    asked = {
        name: items
        for name, items in given.items()
        if isinstance(items, list) and len(items) > 1 and not any(isinstance(i, dict | list) for i in items)
    }
    holders = [holder for _, holder in objects(answer.content)] if asked else []
    shown = {_plain(key) for holder in holders for key in holder}
    lists: list[JsonValue] = [value for holder in holders for value in holder.values() if isinstance(value, list)]
    shown |= {_plain(value) for value in scalars(lists)}
    for name, items in asked.items():
        absent = [i for i in items if _plain(i) not in shown]
        if 0 < len(absent) <= (1 - _LEAST_SHARE) * len(items):
            yield f"(all): {len(items) - len(absent)} of {len(items)} `{name}` answered; without {brief(absent)}"


def _counts(content: JsonObject) -> Iterator[str]:
    """A count beside the one list of an object is not below its length."""
    for at, holder in objects(content):
        lists = [value for value in holder.values() if isinstance(value, list)]
        count = next((n for n in ("count", "total", "total_count") if type(holder.get(n)) is int), None)
        if len(lists) == 1 and count is not None and holder[count] < len(lists[0]):
            yield f"{below(at, count)}: {holder[count]}, but the list beside it has {len(lists[0])}"


def strange_fields(answer: GivenAnswer, *, in_words: bool = False) -> list[str]:
    """Fields that the example has not, and that neither state, call and facts hold nor rules and tools speak of.

    Args:
        answer: The answer.
        in_words: Whether only texts of several words count, which can be advice.
    """
    example = answer.tool.example_output
    beyond = [
        (at, key)
        for at, key, value in _beyond(answer.content, {"result": example} if isinstance(example, list) else example)
        if not any(c.isdigit() for c in key)
        and (not in_words or any(isinstance(v, str) and " " in v.strip() for v in scalars(value)))
        and key.lower() not in answer.workplace.vocabulary
    ]
    if not beyond:
        return []
    state = answer.after or answer.workplace.start
    known = _OF_ANY | (_OF_ERRORS if is_error(answer.content) else frozenset())
    known |= names([example, answer.arguments])
    if in_words:
        known |= names(state.value) | state.texts
        known |= {str(v).lower() for v in scalars([answer.arguments, dict(answer.facts)])}
    return [
        f"{at}: nothing says that {answer.tool.name} returns `{key}`"
        for at, key in beyond
        if key not in known and key.lower() not in known
    ]


def _beyond(value: JsonValue, example: JsonValue, at: str = "") -> Iterator[tuple[str, str, JsonValue]]:
    """Pointer, key and value of the members that an example has not, as deep as it says what they are."""
    if isinstance(value, list) and isinstance(example, list):
        typical = _with_all_fields(example)
        for index, item in enumerate(value):
            yield from _beyond(item, typical, below(at, index))
    elif isinstance(value, dict) and isinstance(example, dict) and example:
        keyed = is_keyed_by_id(example)
        for key, inner in value.items():
            if keyed or key in example:
                like = _with_all_fields([*example.values()]) if keyed else example[key]
                yield from _beyond(inner, like, below(at, key))
            else:
                yield below(at, key), key, inner


def _with_all_fields(items: list[JsonValue]) -> JsonObject:
    return {key: value for item in items if isinstance(item, dict) for key, value in item.items()}


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


def _plain(value: JsonValue) -> str:
    return " ".join(str(value).lower().replace("_", " ").split())
