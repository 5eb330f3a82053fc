"""Places in a JSON value, what differs between two values, and a digest of one."""

import json
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from worktrial.language import JsonValue
from worktrial.workplaces.values import below

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

Step = str | None
"""A field's name; None for every item of a list."""
Field = tuple[Step, ...]
"""The same field in all rows: `("beds", None, "area")`."""


def owners(value: JsonValue, steps: Sequence[Step]) -> Iterator[JsonValue]:
    """The objects that hold the field of which `steps` are all but the last step."""
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if step is None and isinstance(value, list):
        for item in value:
            yield from owners(item, rest)
    elif step is not None and isinstance(value, dict) and step in value:
        yield from owners(value[step], rest)


def copied(value: JsonValue) -> JsonValue:
    """A copy that shares only what cannot be changed; several times as fast as `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [copied(inner) for inner in value]
    return value


class JsonDifference(NamedTuple):
    """One place at which two values are not the same."""

    pointer: str
    """JSON pointer into the first value; into the second for what only that has."""
    field: str
    """Name of the field that holds it; "" outside of any."""
    before: JsonValue
    """Value of the first there; `ABSENT` for nothing."""
    after: JsonValue
    """Value of the second there; `ABSENT` for nothing."""


ABSENT = object()


def differences(clean: JsonValue, degraded: JsonValue, *, aligned: bool = False) -> list[JsonDifference]:
    """Every place at which two values differ, none within another but for lists of two lengths.

    Args:
        clean: The first value.
        degraded: The second.
        aligned: Whether lists of two lengths are laid beside each other by what is equal at both ends, so that an
            item that came or went is one difference of its own, in place of the whole list and what moved.
    """
    found: list[JsonDifference] = []
    _add_differences(clean, degraded, "", "", found, aligned)
    return found


def _add_differences(
    clean: JsonValue, degraded: JsonValue, pointer: str, field: str, found: list[JsonDifference], aligned: bool
) -> None:
    # A copy shares its scalars with the original: most of a degraded answer ends here.
    if clean is degraded:
        return
    if isinstance(clean, dict) and isinstance(degraded, dict):
        shared = 0
        for key, inner in clean.items():
            now = degraded.get(key, ABSENT)
            if now is ABSENT:
                found.append(JsonDifference(below(pointer, key), key, inner, now))
                continue
            shared += 1
            if inner is not now:
                _add_differences(inner, now, below(pointer, key), key, found, aligned)
        if shared < len(degraded):
            added = [(key, now) for key, now in degraded.items() if key not in clean]
            found += [JsonDifference(below(pointer, key), key, ABSENT, now) for key, now in added]
    elif isinstance(clean, list) and isinstance(degraded, list):
        if aligned and len(clean) != len(degraded):
            _add_aligned(clean, degraded, pointer, field, found)
            return
        if len(clean) != len(degraded):
            found.append(JsonDifference(pointer, field, clean, degraded))
        for index, (before, after) in enumerate(zip(clean, degraded, strict=False)):
            if before is not after:
                _add_differences(before, after, f"{pointer}/{index}", field, found, aligned)
    # True == 1 in Python, but not in JSON.
    elif clean != degraded or isinstance(clean, bool) is not isinstance(degraded, bool):
        found.append(JsonDifference(pointer, field, clean, degraded))


def _add_aligned(
    clean: list[JsonValue], degraded: list[JsonValue], pointer: str, field: str, found: list[JsonDifference]
) -> None:
    """Add the differences of two lists of two lengths: of what lies between their equal ends, item by item."""
    both = min(len(clean), len(degraded))
    head = next((n for n in range(both) if clean[n] != degraded[n]), both)
    tail = next((n for n in range(both - head) if clean[-1 - n] != degraded[-1 - n]), both - head)
    # Equal in Python is not yet the same JSON, so the ends are looked at, too.
    pairs = [
        *enumerate(zip(clean[:head], degraded[:head], strict=True)),
        *enumerate(
            zip_longest(clean[head : len(clean) - tail], degraded[head : len(degraded) - tail], fillvalue=ABSENT),
            head,
        ),
        *enumerate(
            zip(clean[len(clean) - tail :], degraded[len(degraded) - tail :], strict=True), len(degraded) - tail
        ),
    ]
    for number, (before, after) in pairs:
        here = f"{pointer}/{number}"
        if before is ABSENT or after is ABSENT:
            found.append(JsonDifference(here, field, before, after))
        else:
            _add_differences(before, after, here, field, found, True)


def touched(clean: JsonValue, degraded: JsonValue) -> list[str]:
    """JSON pointers into `clean` (into `degraded` for what only that has) of everything that differs."""
    return [difference.pointer for difference in differences(clean, degraded)]


def differ(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are not the same JSON; the order of fields does not count."""
    # True == 1 in Python, so equal here is not yet the same.
    return one != other or bool(touched(one, other))


_EXPONENT = re.compile(rb"e-?[0-9]")


def _is_plain(value: JsonValue) -> bool:
    """Whether no number in `value` is written with an exponent, or is none (NaN)."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return not isinstance(value, float) or value == 0 or 1e-4 <= abs(value) < 1e16
    # Most values are texts: the call is left out for them.
    return all(isinstance(inner, str) or _is_plain(inner) for inner in value)


def digest(content: JsonValue) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of `content` as canonical JSON.

    Canonical: keys sorted, no white space, UTF-8. The order of keys says nothing in JSON, so it changes
    nothing; the order of a list does. Storing the content as JSON and reading it back leaves it the same.
    """
    # Several times as fast, and the same but for some numbers and for what it does not take.
    try:
        quick = msgspec.json.encode(content, order="sorted")
    except (UnicodeEncodeError, TypeError, OverflowError, ValueError):
        quick = b""
    # What neither has an exponent, nor is small enough for one, nor is null (as NaN is here) needs no second look.
    is_sure = b"0.0000" not in quick and b"null" not in quick and _EXPONENT.search(quick) is None
    if quick and (is_sure or _is_plain(content)):
        return sha256(quick).hexdigest()[:16]
    text = _CANONICAL.encode(content)
    # A lone surrogate is legal in a JSON string and has no UTF-8 of its own.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
