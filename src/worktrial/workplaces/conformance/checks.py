"""Checks of one observation: form, substance, errors that somebody laid down, hidden matter that stays hidden."""

import re
from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.conformance.context import (
    ConformanceCheck,
    ObservationCheck,
    SeenCall,
    SeenEpisode,
)
from worktrial.workplaces.records import KnownState, record_fields
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.answers import GivenAnswer, misfits, same, state_pairs, strange_fields
from worktrial.workplaces.simulator.json_text import brief, excerpt, json_text, question
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import (
    below,
    ids,
    is_keyed_by_id,
    is_telling,
    leaves,
    names,
    objects,
    scalars,
)

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


def check_known_ids(call: SeenCall, episode: SeenEpisode) -> ObservationCheck | None:
    """A read invents nobody. Writes may: a new record has a new id."""
    if is_error(call.content):
        return None
    found = list(ids(call.content))
    if not found:
        return None
    strange = (f"{at}: {value!r} occurs nowhere before" for at, value in found if not episode.knows(value))
    return ObservationCheck(ConformanceCheck.KNOWN_IDS, call.index, tuple(strange))


def check_whole_lists(call: SeenCall, tool: Tool, episode: SeenEpisode) -> ObservationCheck | None:
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


def check_state(call: SeenCall) -> ObservationCheck | None:
    """The state holds what is shown of a record, or under the name of a field that the state has only once.

    Asked of calls whose state after them is known; see `state_pairs`.
    """
    if call.after is None or is_error(call.content):
        return None
    pairs = state_pairs(call.content, KnownState(call.after))
    return ObservationCheck(ConformanceCheck.STATE, call.index, tuple(misfits(pairs))) if pairs else None


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
    changed += [at for at in earlier.keys() & later.keys() if not same(earlier[at], later[at])]
    return [
        f"{at or '(all)'}: {brief(later.get(at))}, but {brief(earlier.get(at))} in call {index}"
        for at in sorted(changed)
    ]


_WORD = re.compile(r"[^\W\d_]{4,}")
_OWN_MATTER = frozenset({"initial_state", "state_description", "state_descriptions", "system_prompt"})
# Words of any error message, which say nothing about the rule behind it.
_PLAIN = frozenset({"error", "invalid", "failed", "cannot", "with", "that", "this", "does", "have", "been", "from"})
_LEAST_SHARE = 0.5


def check_licensed_errors(call: SeenCall, tool: Tool, episode: SeenEpisode) -> ObservationCheck | None:
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


def check_no_leak(call: SeenCall, tool: Tool, episode: SeenEpisode) -> ObservationCheck:
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
    field: str, secrets: frozenset[JsonValue], content: JsonValue, declared: set[str], episode: SeenEpisode
) -> Iterator[str]:
    for at, found in objects(content):
        if field in found and field not in declared:
            yield f"{below(at, field)}: a hidden field"
    for at, value in leaves(content):
        # What was once shown by right is no secret any more.
        if is_telling(value) and value in secrets and not _was_seen(value, episode):
            yield f"{at}: a value of the hidden field {field!r}"


def _was_seen(value: JsonValue, episode: SeenEpisode) -> bool:
    return any(value == inner for _, _, content in episode.seen.values() for inner in scalars(content))
