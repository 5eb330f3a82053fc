"""Depth of JSON values that come from outside."""

from collections.abc import Iterable

from worktrial.language.message import JsonValue


def nested_deeper_than(value: JsonValue, levels: int) -> bool:
    """Whether `value` has more than `levels` collections within each other. Not recursive, so any depth is safe."""
    layer = _collections([value])
    for _ in range(levels):
        if not layer:
            return False
        layer = _collections(child for item in layer for child in _children(item))
    return bool(layer)


def _collections(values: Iterable[JsonValue]) -> list[JsonValue]:
    return [value for value in values if isinstance(value, dict | list)]


def _children(item: JsonValue) -> Iterable[JsonValue]:
    return item.values() if isinstance(item, dict) else item
