"""Counts beside lists: where an answer says how many there are, a list that was cut can be seen to be."""

import re
from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue

_COUNT = re.compile(
    r"(?:.*_)?(?:total|count|counts|number|num|size|length|rows|records|results|returned|matches|found|items)(?:_.*)?",
    re.IGNORECASE,
)


def recounted(clean: JsonObject, degraded: JsonObject) -> None:
    """Let the counts in `degraded`, in place, tell the length that its lists have, where those are shorter."""
    for owner, name, _, left in _counts(clean, degraded):
        owner[name] = left


def is_silent(clean: JsonObject, degraded: JsonObject) -> bool | None:
    """Whether nothing in an answer tells that its lists were cut; None where none is shorter than it was."""
    if not any(True for _ in _shorter(clean, degraded)):
        return None
    return not any(owner[name] == length for owner, name, length, _ in _counts(clean, degraded))


def _shorter(clean: JsonValue, degraded: JsonValue) -> Iterator[tuple[JsonObject, JsonObject, int, int]]:
    """Holders of each list that is shorter than it was, with both lengths; lists inside of lists are left alone."""
    if not isinstance(clean, dict) or not isinstance(degraded, dict):
        return
    for name, value in clean.items():
        left = degraded.get(name)
        if isinstance(value, list) and isinstance(left, list):
            if len(left) < len(value):
                yield clean, degraded, len(value), len(left)
        else:
            yield from _shorter(value, left)


def _counts(clean: JsonObject, degraded: JsonObject) -> Iterator[tuple[JsonObject, str, int, int]]:
    """Owners and names in `degraded` of what counted a list that is shorter now, with both lengths.

    A list's count stands beside it, or in an object beside it such as `summary` or `page`.
    """
    for holder, now, length, left in _shorter(clean, degraded):
        pairs = [(holder, now)]
        pairs += [(v, now[k]) for k, v in holder.items() if isinstance(v, dict) and isinstance(now.get(k), dict)]
        for before, owner in pairs:
            for name, value in before.items():
                is_whole = isinstance(value, int) and not isinstance(value, bool)
                if is_whole and value == length and name in owner and _COUNT.fullmatch(name):
                    yield owner, name, length, left
