"""Substance: known ids, whole lists, no contradiction."""

from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.conformance.context import Stay, call_key, is_error
from worktrial.workplaces.conformance.finding import Check, Finding
from worktrial.workplaces.conformance.seen import SeenCall
from worktrial.workplaces.conformance.values import below, id_name, ids, leaves, objects
from worktrial.workplaces.simulator.json_text import excerpt, json_text
from worktrial.workplaces.tools import Tool

_SHOWN = 80
# What a reply says of itself under a name that records use too.
_ENVELOPE = frozenset({"ok", "success", "found", "not_found", "error", "completed"})


def check_known_ids(call: SeenCall, stay: Stay) -> Finding | None:
    """A read invents nobody. Writes may: a new record has a new id."""
    if is_error(call.content):
        return None
    found = list(ids(call.content))
    if not found:
        return None
    strange = (f"{at}: {value!r} occurs nowhere before" for at, value in found if not stay.knows(value))
    return Finding(Check.KNOWN_IDS, call.index, tuple(strange))


def check_whole_lists(call: SeenCall, tool: Tool, stay: Stay) -> Finding | None:
    """A read without arguments lists all records that the state holds under the same name.

    With arguments a list may be filtered, and with defaults such as a page it may be a part. After a write the
    state must be known as it was at this call.
    """
    if any(argument.get("default") for argument in tool.parameters.get("properties", {}).values()):
        return None
    state = call.state if call.state is not None else stay.workplace.initial_state
    if call.arguments or is_error(call.content) or (call.state is None and stay.writes):
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
    return Finding(Check.WHOLE_LISTS, call.index, tuple(short))


def check_consistent(call: SeenCall, stay: Stay) -> Finding | None:
    """The same read shows the same, and a record the same values, for as long as nothing was written.

    The initial state counts as seen before the first call.
    """
    before = stay.seen.get(call_key(call))
    evidence: list[str] = []
    compared = False
    if before is not None and before[0] == stay.writes:
        compared = True
        evidence += _differences(before[2], call.content, before[1])
    elif not is_error(call.content):
        for key, at, value in _record_fields(call.content, stay):
            writes, index, earlier = stay.records.get(key) or _at_first(key, stay)
            if writes == stay.writes:
                compared = True
                if not _same(earlier, value):
                    where = "the state" if index < 0 else f"call {index}"
                    evidence.append(f"{at}: {_text(value)}, but {_text(earlier)} in {where}")
    return Finding(Check.CONSISTENT, call.index, tuple(evidence)) if compared else None


def remember(call: SeenCall, stay: Stay) -> None:
    """Keep what a read showed, for `check_consistent`."""
    stay.seen[call_key(call)] = (stay.writes, call.index, call.content)
    if not is_error(call.content):
        for key, _, value in _record_fields(call.content, stay):
            stay.records[key] = (stay.writes, call.index, value)


def _at_first(key: tuple[str, str], stay: Stay) -> tuple[int, int, JsonValue]:
    """What the initial state says of a record, in the form of `Stay.records`; of no use where it says it twice."""
    record, name = key
    values = [part[name] for part in stay.state_records.get(record, []) if name in part]
    known = len(values) == 1 and not isinstance(values[0], dict | list)
    return (0, -1, values[0]) if known else (-1, -1, None)


def _record_fields(content: JsonObject, stay: Stay) -> Iterator[tuple[tuple[str, str], str, JsonValue]]:
    """Scalars of records of the state, wherever an observation shows them: key, pointer, value.

    An object is taken for the record whose id it names when most of its fields are that record's; a row that
    only refers to the record (a test of a loan) has fields of its own.
    """
    for at, found in objects(content):
        named = [(k, v) for k, v in found.items() if id_name(k) and isinstance(v, str | int)]
        if len(named) != 1:
            continue
        (id_field, record), *_ = named
        own = {name for part in stay.state_records.get(str(record), []) for name in part}
        others = [name for name in found if name != id_field]
        if 2 * sum(name in own for name in others) <= len(others):
            continue
        for name in others:
            value = found[name]
            if name in own and not isinstance(value, dict | list):
                if isinstance(value, str) and value.lower() in _ENVELOPE:
                    continue
                yield (str(record), name), below(at, name), value


def _is_collection(value: JsonValue) -> bool:
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) for item in items)


def _absent(value: JsonValue, known: JsonValue) -> str:
    if not isinstance(known, dict):
        return ""
    text = json_text(value)
    missing = [key for key in known if json_text(key) not in text]
    return f"; without {', '.join(missing[:5])}" if missing else ""


def _differences(before: JsonObject, now: JsonValue, index: int) -> list[str]:
    earlier, later = dict(leaves(before)), dict(leaves(now))
    changed = [at for at in earlier | later if at not in earlier or at not in later]
    changed += [at for at in earlier.keys() & later.keys() if not _same(earlier[at], later[at])]
    return [
        f"{at or '(all)'}: {_text(later.get(at))}, but {_text(earlier.get(at))} in call {index}"
        for at in sorted(changed)
    ]


def _same(one: JsonValue, other: JsonValue) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _text(value: JsonValue) -> str:
    return excerpt(json_text(value), _SHOWN)
