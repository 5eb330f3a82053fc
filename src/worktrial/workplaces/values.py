"""Walking through JSON values."""

from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue

_TELLING = 6  # characters


def below(pointer: str, key: object) -> str:
    """The JSON Pointer (RFC 6901) of `key` under `pointer`."""
    name = str(key)
    if "~" in name or "/" in name:
        name = name.replace("~", "~0").replace("/", "~1")
    return f"{pointer}/{name}"


def parts(value: JsonValue) -> list[tuple[str | int, JsonValue]]:
    """Members of an object or a list, with their keys; none for a scalar."""
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def leaves(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, JsonValue]]:
    """Scalars and empty containers with their pointers, in reading order."""
    inside = parts(value)
    if not inside:
        yield pointer, value
    for key, item in inside:
        yield from leaves(item, below(pointer, key))


def scalars(value: JsonValue) -> Iterator[JsonValue]:
    """The values of all leaves but empty containers."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from scalars(item)
    else:
        yield value


def objects(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, JsonObject]]:
    """All objects at any depth with their pointers, outermost first."""
    if isinstance(value, dict):
        yield pointer, value
    for key, item in parts(value):
        if isinstance(item, dict | list):
            yield from objects(item, below(pointer, key))


def names(value: JsonValue) -> set[str]:
    """All keys at any depth."""
    return {key for _, found in objects(value) for key in found}


def is_keyed_by_id(value: JsonValue) -> bool:
    """Whether an object's keys are ids of records rather than names of fields."""
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(item, dict) and any(c.isdigit() for c in key) for key, item in value.items())
    )


def is_telling(value: JsonValue) -> bool:
    """Whether a scalar is long enough to give its origin away; a small number or a short word may be chance."""
    return isinstance(value, str | float) and len(str(value)) >= _TELLING


def id_name(name: object) -> bool:
    """Whether a field of this name holds an id."""
    return isinstance(name, str) and (name in ("id", "ids") or name.endswith(("_id", "_ids", "Id", "Ids")))


def ids(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Ids with their pointers: texts and whole numbers of id fields, and keys of records."""
    for key, item in parts(value):
        at = below(pointer, key)
        if is_keyed_by_id(value):
            yield at, str(key)
        if id_name(key):
            for inner in item if isinstance(item, list) else [item]:
                if isinstance(inner, str | int) and not isinstance(inner, bool) and inner != "":
                    yield at, str(inner)
        if isinstance(item, dict | list):
            yield from ids(item, at)
