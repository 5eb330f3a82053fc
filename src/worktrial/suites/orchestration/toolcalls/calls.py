"""Tool calls as they came over the wire, read without ever failing."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue

MOST_NESTED = 32
"""How deep arguments may be nested; no tool wants more, and deeper ones are made to break a reader."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    """Its name; "" where there is none."""
    arguments: JsonObject | None
    """Null where they are not one JSON object."""
    problem: str = ""
    """Why there are no arguments."""


def read_calls(tool_calls: Iterable[JsonValue]) -> tuple[Call, ...]:
    """The calls of a message, in order; what is no proper call stays one, with its problem."""
    return tuple(_read(call) for call in tool_calls)


def _read(call: JsonValue) -> Call:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return Call("", None, "the call names no function")
    name = function.get("name")
    tool = name if isinstance(name, str) else ""
    given = function.get("arguments")
    if given is None or (isinstance(given, str) and not given.strip()):
        given = {}  # how several providers write a call without arguments
    if isinstance(given, str):
        try:
            given = json.loads(given, parse_constant=_refuse)
        except (ValueError, RecursionError):
            return Call(tool, None, "the arguments are not JSON")
    if not isinstance(given, dict):
        return Call(tool, None, "the arguments are not a JSON object")
    if _is_deeper(given, MOST_NESTED):
        return Call(tool, None, f"the arguments are nested deeper than {MOST_NESTED} levels")
    return Call(tool, given)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _is_deeper(value: JsonValue, levels: int) -> bool:
    layer: list[JsonValue] = [value]
    for _ in range(levels):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return any(isinstance(inner, dict | list) for inner in layer)
