"""Places in a JSON value, what differs between two values, and a digest of one."""

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256

from worktrial.language import JsonValue

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

Step = str | None
"""A field's name; None for every item of a list."""
Field = tuple[Step, ...]
"""The same field in all rows: `("beds", None, "area")`."""


def fields(value: JsonValue, prefix: Field = ()) -> Iterator[tuple[Field, JsonValue]]:
    """Every field of every object in `value`, with what it holds; a field of many rows comes once for each."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*prefix, key), inner
            yield from fields(inner, (*prefix, key))
    elif isinstance(value, list):
        for item in value:
            yield from fields(item, (*prefix, None))


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


def touched(clean: JsonValue, degraded: JsonValue, pointer: str = "") -> Iterator[str]:
    """JSON pointers into `clean` (into `degraded` for what only that has) of everything that differs."""
    if isinstance(clean, dict) and isinstance(degraded, dict):
        for key in {**clean, **degraded}:
            # A copy shares its scalars with the original: most of a degraded answer ends here.
            if key in clean and key in degraded and clean[key] is degraded[key]:
                continue
            here = f"{pointer}/{escaped(key)}"
            if key in clean and key in degraded:
                yield from touched(clean[key], degraded[key], here)
            else:
                yield here
    elif isinstance(clean, list) and isinstance(degraded, list):
        if len(clean) != len(degraded):
            yield pointer
        for index, (before, after) in enumerate(zip(clean, degraded, strict=False)):
            yield from touched(before, after, f"{pointer}/{index}")
    # True == 1 in Python, but not in JSON.
    elif clean != degraded or isinstance(clean, bool) is not isinstance(degraded, bool):
        yield pointer


def differ(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are not the same JSON; the order of fields does not count."""
    # True == 1 in Python, so equal here is not yet the same. Not any(): the pointer to a whole value is "".
    return one != other or next(touched(one, other), None) is not None


def escaped(key: str) -> str:
    """A step of a JSON pointer as it is written."""
    return key.replace("~", "~0").replace("/", "~1")


def digest(content: JsonValue) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of `content` as canonical JSON.

    Canonical: keys sorted, no white space, UTF-8. The order of keys says nothing in JSON, so it changes
    nothing; the order of a list does. Storing the content as JSON and reading it back leaves it the same.
    """
    text = _CANONICAL.encode(content)
    # A lone surrogate is legal in a JSON string and has no UTF-8 of its own.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
