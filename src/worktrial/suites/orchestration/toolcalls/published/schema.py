"""What a tool's schema says about a predicted value, as far as the published program looks."""

import re
from collections.abc import Collection, Sequence

from worktrial.language import JsonObject, JsonValue

_TYPES = {"string", "integer", "number", "boolean", "array", "object"}


class Undecidable(Exception):
    """The published program raises here, and falls back to the F1 of keys for every step of the run."""


def plainly_wrong(
    key: str, predicted: Collection[str], gold: Collection[str], schemas: Sequence[JsonObject]
) -> str | None:
    """Why no judge needs to look at values that differ; None where one has to.

    Values are compared as text, so that only `string` and `integer` arguments can pass the look at their type.

    Args:
        key: the argument.
        predicted: the predicted values that are no gold ones, as text.
        gold: the gold values that were not predicted, as text.
        schemas: `parameters` of the predicted tools, in the order first called.

    Raises:
        Undecidable: a schema that says what the published program cannot read.
    """
    properties = [p for schema in schemas if (p := _property(schema, key)) is not None]
    kind = next((_first_type(p["type"]) for p in properties if "type" in p), None)
    if kind is not None and not all(_is_of_type(value, kind) for value in predicted):
        return "type_mismatch"
    if len(predicted) == len(gold) and any("enum" in p or "enum" in (p.get("items") or {}) for p in properties):
        return "enum_exact_comparison"
    pattern = next((p["pattern"] for p in properties if "pattern" in p), None)
    if pattern is not None and not all(_fits(value, pattern) for value in predicted):
        return "pattern_mismatch"
    return None


def _property(schema: JsonObject, key: str) -> JsonObject | None:
    properties = schema.get("properties", {})
    if key not in properties:
        return None
    found = properties[key]
    if not isinstance(found, dict):
        raise Undecidable(f"the schema of {key!r} is no object")
    return found


def _first_type(kind: JsonValue) -> str:
    if isinstance(kind, list):
        kind = kind[0] if kind else "string"
    if kind not in _TYPES:
        raise Undecidable(f"no type: {kind!r:.40}")
    return str(kind)


def _is_of_type(value: str, kind: str) -> bool:
    if kind == "integer":
        try:
            int(value)
        except ValueError:
            return False
        return True
    return kind == "string"


def _fits(value: str, pattern: JsonValue) -> bool:
    try:
        return re.match(pattern.replace("\\\\", "\\"), value) is not None
    except (re.error, AttributeError) as error:
        raise Undecidable(f"no pattern: {pattern!r:.40}") from error
