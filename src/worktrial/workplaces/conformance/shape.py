"""Form: one object, with the fields that the tool's example shows."""

from collections.abc import Iterator

from worktrial.language import JsonValue
from worktrial.workplaces.conformance.context import Stay, is_error
from worktrial.workplaces.conformance.finding import Check, Finding
from worktrial.workplaces.conformance.seen import SeenCall
from worktrial.workplaces.conformance.values import below, is_keyed_by_id
from worktrial.workplaces.tools import Tool

_KINDS = {dict: "object", list: "list", str: "text", bool: "boolean", int: "number", float: "number"}


def check_format(call: SeenCall) -> Finding:
    """The observation is one JSON object."""
    if isinstance(call.content, dict):
        return Finding(Check.FORMAT, call.index)
    return Finding(Check.FORMAT, call.index, (f"(all): {kind(call.content)} in place of an object",))


def check_shape(call: SeenCall, tool: Tool, stay: Stay) -> Finding | None:
    """No field that the example lacks, no value of another kind; nothing to say about errors or without example.

    A field that the example leaves out may be there: this asks what is present. Below the top, the names of
    the state's own fields are at home too. Null fits everywhere.
    """
    example = tool.example_output
    if not example or is_error(call.content):
        return None
    if isinstance(example, list):
        example = {"result": example}
    return Finding(Check.SHAPE, call.index, tuple(_misfits(call.content, example, stay.field_names, "")))


def kind(value: JsonValue) -> str:
    """The JSON kind of `value`, as a word."""
    return _KINDS.get(type(value), "null")


def _misfits(value: JsonValue, example: JsonValue, at_home: set[str], at: str) -> Iterator[str]:
    if value is None or example is None:
        return
    if kind(value) != kind(example):
        yield f"{at or '(all)'}: {kind(value)} in place of a {kind(example)}"
    elif isinstance(value, list):
        if example:
            typical = _union(example)
            for index, item in enumerate(value):
                yield from _misfits(item, typical, at_home, below(at, index))
    elif isinstance(value, dict) and example:
        if is_keyed_by_id(example):
            typical = _union(list(example.values()))
            for key, item in value.items():
                yield from _misfits(item, typical, at_home, below(at, key))
            return
        for key, item in value.items():
            if key in example:
                yield from _misfits(item, example[key], at_home, below(at, key))
            elif not at or key not in at_home:
                yield f"{below(at, key)}: not a field of this tool's answer"


def _union(items: list[JsonValue]) -> JsonValue:
    """An item with the fields of all when all are objects; else the first when all are of one kind, else null."""
    if all(isinstance(item, dict) for item in items):
        return {key: value for item in reversed(items) for key, value in item.items()}
    return items[0] if len({kind(item) for item in items}) == 1 else None
