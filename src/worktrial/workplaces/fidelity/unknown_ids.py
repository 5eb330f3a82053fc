"""Calls that name what does not exist."""

from collections.abc import Iterator

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.conformance.values import id_name


def with_unknown_ids(arguments: JsonValue) -> Iterator[JsonObject]:
    """`arguments` with one id after the other replaced by one that nobody has."""
    given = arguments if isinstance(arguments, dict) else {}
    for name, value in given.items():
        if id_name(name) and isinstance(value, str) and value:
            yield {**given, name: f"{value}9"}
