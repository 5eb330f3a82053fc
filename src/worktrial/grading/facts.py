"""Facts in states: values at a JSON pointer, and what changed."""

from typing import Final

import msgspec

from worktrial.language import JsonValue
from worktrial.workplaces.values import below

ABSENT: Final = object()
"""Result of `at` where there is nothing; JSON's own null is a value."""

_HALF_A_CENT = 0.005


def at(value: JsonValue, pointer: str) -> JsonValue:
    """The value at a JSON Pointer (RFC 6901), or `ABSENT`."""
    from jsonpointer import JsonPointerException, resolve_pointer

    try:
        return resolve_pointer(value, pointer)
    except JsonPointerException:
        return ABSENT


def matches(found: JsonValue, wanted: JsonValue, *, exactly: bool = False) -> bool:
    """Whether `found` has at least what `wanted` asks for.

    Objects may have further fields unless `exactly`; lists must agree item by item; a number matches within
    half a cent, so 12.5, 12.50 and 12.499999 are one amount; a boolean is never a number.
    """
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or not wanted.keys() <= found.keys():
            return False
        if exactly and wanted.keys() != found.keys():
            return False
        return all(matches(found[key], value, exactly=exactly) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(matches(f, w, exactly=exactly) for f, w in zip(found, wanted, strict=True))
        )
    if is_number(wanted):
        return is_number(found) and abs(found - wanted) < _HALF_A_CENT
    return type(found) is type(wanted) and bool(found == wanted)


def changed_pointers(before: JsonValue, after: JsonValue, pointer: str = "") -> list[str]:
    """Pointers of the smallest parts that differ; an item added to a list has its own."""
    if before is after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        # A state after a call shares with the one before whatever the call left alone.
        keys = [key for key in before | after if before.get(key, ABSENT) is not after.get(key, ABSENT)]
        # Of two whole states it is clear that they differ, as a rule, and their parts are looked at anyway.
        if pointer and len(keys) == len(before) and _same_text(before, after):
            return []
        changed: list[str] = []
        for key in keys:
            changed += changed_pointers(before.get(key, ABSENT), after.get(key, ABSENT), below(pointer, key))
        return changed
    if isinstance(before, list) and isinstance(after, list):
        if _same_text(before, after):
            return []
        changed = []
        for index in range(max(len(before), len(after))):
            changed += changed_pointers(
                before[index] if index < len(before) else ABSENT,
                after[index] if index < len(after) else ABSENT,
                f"{pointer}/{index}",
            )
        return changed
    same = before is after or (
        (type(before) is type(after) or (is_number(before) and is_number(after))) and (before == after)
    )
    return [] if same else [pointer]


def _same_text(before: JsonValue, after: JsonValue) -> bool:
    """Whether both are the same JSON to the letter, which is told a hundred times as fast as what differs."""
    return msgspec.json.encode(before) == msgspec.json.encode(after)


def under(pointer: str, prefix: str) -> bool:
    """Whether `pointer` is `prefix` or lies below it; `*` in `prefix` stands for any key."""
    if "*" in prefix:
        parts, wanted = pointer.split("/"), prefix.rstrip("/").split("/")
        return len(parts) >= len(wanted) and all(w in ("*", p) for p, w in zip(parts, wanted, strict=False))
    return pointer == prefix or pointer.startswith(prefix.rstrip("/") + "/")


def is_number(value: JsonValue) -> bool:
    """Whether a value is a number of JSON, which true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
