"""The JSON Schema of a tool's arguments, asked about one argument at a time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from worktrial.language import JsonObject, JsonValue

if TYPE_CHECKING:
    from worktrial.outside.schemas import SchemaCheck

Schema = JsonObject
"""A schema or part of one; {} where there is none, which allows everything."""


@dataclass(frozen=True, slots=True)
class ArgumentSchema:
    """The arguments that a tool takes."""

    parameters: Schema
    _check: SchemaCheck | None
    """Check; None where `parameters` is no valid JSON Schema, and every value conforms."""

    def of(self, key: str) -> Schema:
        """The schema of argument `key`."""
        return child(self.parameters, key)

    def is_optional(self, key: str) -> bool:
        """Whether the schema knows argument `key` and does not require it."""
        required = self.parameters.get("required")
        return key in part(self.parameters.get("properties")) and key not in (
            required if isinstance(required, list) else ()
        )

    @property
    def defaults(self) -> JsonObject:
        """The arguments that have a default, with it."""
        named = part(self.parameters.get("properties"))
        return {key: s["default"] for key, s in named.items() if isinstance(s, dict) and "default" in s}

    def problem(self, value: JsonValue, schema: Schema) -> str | None:
        """Why `value` does not satisfy `schema`, a part of `parameters`; None when it does."""
        if self._check is None or not schema:
            return None
        from worktrial.outside.schemas import Uncheckable

        try:
            error = self._check.best(value, part=schema)
        except Uncheckable:
            return None  # a `$ref` to nowhere or to itself, or a broken pattern, is the card's mistake
        if error is None:
            return None
        where = ".".join(str(p) for p in error.absolute_path)
        return f"{where}: {_what(error.validator)}" if where else _what(error.validator)


def argument_schema(parameters: JsonObject | None) -> ArgumentSchema:
    """The schema of a tool's arguments; null for a tool that nobody knows."""
    return _built(json.dumps(parameters or {}, default=str))


def child(schema: Schema, key: str) -> Schema:
    """The schema of member `key` of an object."""
    return part(part(schema.get("properties")).get(key))


def items(schema: Schema) -> Schema:
    """The schema of a list's items."""
    return part(schema.get("items"))


def part(value: JsonValue) -> JsonObject:
    """`value` where it is an object, else {}."""
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=2048)
def _built(text: str) -> ArgumentSchema:
    from worktrial.outside.schemas import SchemaCheck, schema_fault

    parameters = part(json.loads(text))
    return ArgumentSchema(parameters, None if schema_fault(parameters) else SchemaCheck(parameters))


_WHAT = {
    "type": "not of the schema's type",
    "enum": "not one of the schema's values",
    "pattern": "does not match the schema's pattern",
    "required": "lacks a member that the schema requires",
    "additionalProperties": "has a member that the schema does not know",
}


def _what(keyword: object) -> str:
    return _WHAT.get(str(keyword), f"violates the schema's {keyword}")
