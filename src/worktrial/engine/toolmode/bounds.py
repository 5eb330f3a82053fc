"""JSON tool mode's reply schema: one branch for each tool, references resolved, sizes bounded."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from worktrial.language import JsonObject, JsonValue

Schema = Mapping[str, Any]
Trail = tuple[str, ...]


class Direct(NamedTuple):
    """A schema that says itself what it means."""

    schema: Schema
    """{} where anything goes, also where a reference leads in a circle or nowhere."""
    trail: Trail
    """The references on the way here from the root."""


def direct(schema: JsonValue, root: Schema, trail: Trail = ()) -> Direct:
    """Follow `schema`'s reference and merge its `allOf`, once; its children are left as they are."""
    while isinstance(schema, Mapping) and isinstance(schema.get("$ref"), str):
        reference = schema["$ref"]
        if reference in trail:
            return Direct({}, trail)
        trail = (*trail, reference)
        schema = _pointed_at(reference, root)
    if not isinstance(schema, Mapping):
        return Direct({}, trail)
    if not isinstance(schema.get("allOf"), list):
        return Direct(schema, trail)
    whole: Schema = without(schema, "allOf")
    for part in schema["allOf"]:
        other, trail = direct(part, root, trail)
        whole = overlaid(whole, other)
    return Direct(whole, trail)


def overlaid(base: Schema, other: Schema) -> Schema:
    """One schema that asks for what both ask for; where a keyword clashes, `base` has its way."""
    fields = {**other.get("properties", {}), **base.get("properties", {})}
    required = list(dict.fromkeys([*base.get("required", []), *other.get("required", [])]))
    whole = {**other, **base}
    if fields:
        whole["properties"] = fields
    if required:
        whole["required"] = required
    return whole


def without(schema: Schema, keyword: str) -> dict[str, Any]:
    """A copy of `schema` that lacks `keyword`."""
    return {k: v for k, v in schema.items() if k != keyword}


def _pointed_at(reference: str, root: Schema) -> JsonValue:
    if not reference.startswith("#"):
        return {}
    place: Any = root
    for step in reference[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        place = place.get(step) if isinstance(place, Mapping) else None
    return place


TEXT_LENGTH = 800
"""Characters of a text whose schema sets no limit."""
LIST_LENGTH = 20
"""Items of a list whose schema sets no limit."""

# A limit of the schema's own is kept up to here.
_LONGEST_TEXT = 4000
_LONGEST_LIST = 100

# Levels of nesting of what a schema leaves open.
_OPEN_DEPTH = 2

# A text of these formats is short by nature, and llama.cpp has rules for them.
_FORMATS = ("date", "time", "date-time", "uuid")

# Beyond this, JSON readers disagree about integers.
_SAFE_INTEGER = 2**53


def bounded(schema: JsonValue) -> JsonObject:
    """`schema` (2020-12, or older with `definitions`), simplified and bounded; references are resolved.

    An object that lists its fields is closed, also where it forgets to say so.
    """
    return _Bounding(schema if isinstance(schema, Mapping) else {}).of(schema, ())


def open_value(depth: int = _OPEN_DEPTH) -> JsonObject:
    """Any value: scalars, and lists and objects of them down to `depth` levels."""
    scalars: list[JsonObject] = [
        {"type": "string", "maxLength": TEXT_LENGTH},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
    ]
    if depth <= 0:
        return {"anyOf": scalars}
    inner = open_value(depth - 1)
    return {
        "anyOf": [
            *scalars,
            {"type": "array", "items": inner, "maxItems": LIST_LENGTH},
            {"type": "object", "properties": {}, "additionalProperties": inner},
        ]
    }


@dataclass(frozen=True, slots=True)
class _Bounding:
    root: Schema

    def of(self, schema: JsonValue, trail: Trail) -> JsonObject:
        schema, trail = direct(schema, self.root, trail)
        if "const" in schema:
            return {"const": schema["const"]}
        if schema.get("enum"):
            return {"enum": schema["enum"]}
        kind = schema.get("type") or _implied_type(schema)
        if isinstance(kind, list):
            return self._any_of([{**schema, "type": one} for one in kind], trail)
        for keyword in ("anyOf", "oneOf"):
            if kind in (None, "object") and schema.get(keyword):
                rest = without(schema, keyword)
                parts = [direct(branch, self.root, trail) for branch in schema[keyword]]
                return {"anyOf": [self.of(overlaid(rest, part.schema), part.trail) for part in parts]}
        match kind:
            case "object":
                return self._object(schema, trail)
            case "array":
                return self._list(schema, trail)
            case "string":
                return _text(schema)
            case "integer":
                return _integer(schema)
            case "number" | "boolean" | "null":
                return {"type": kind}
        return open_value()

    def _any_of(self, branches: Sequence[JsonValue], trail: Trail) -> JsonObject:
        return {"anyOf": [self.of(branch, trail) for branch in branches]}

    def _object(self, schema: Schema, trail: Trail) -> JsonObject:
        properties = {name: self.of(field, trail) for name, field in schema.get("properties", {}).items()}
        required = schema.get("required", [])
        for name in required:
            properties.setdefault(name, open_value())
        more = schema.get("additionalProperties", "properties" not in schema)
        if more is not False:
            more = self.of(more, trail)
        result: JsonObject = {"type": "object", "properties": properties, "additionalProperties": more}
        return {**result, "required": required} if required else result

    def _list(self, schema: Schema, trail: Trail) -> JsonObject:
        limit = min(_count(schema, "maxItems", LIST_LENGTH), _LONGEST_LIST)
        least = min(_count(schema, "minItems", 0), _LONGEST_LIST)
        leading = schema.get("prefixItems", [])
        if leading:
            rest = [schema["items"]] if schema.get("items") else []
            items = self._any_of([*leading, *rest], trail)
            limit = limit if rest else min(limit, len(leading))
        else:
            items = self.of(schema.get("items"), trail)
        result: JsonObject = {"type": "array", "items": items, "maxItems": max(limit, least)}
        return {**result, "minItems": least} if least else result


def _implied_type(schema: Schema) -> str | None:
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    return "array" if "items" in schema or "prefixItems" in schema else None


def _text(schema: Schema) -> JsonObject:
    if schema.get("format") in _FORMATS:
        return {"type": "string", "format": schema["format"]}
    limit = min(_count(schema, "maxLength", TEXT_LENGTH), _LONGEST_TEXT)
    least = min(_count(schema, "minLength", 0), _LONGEST_TEXT)
    result: JsonObject = {"type": "string", "maxLength": max(limit, least)}
    return {**result, "minLength": least} if least else result


def _integer(schema: Schema) -> JsonObject:
    low, high = _limit(schema, "minimum", math.ceil), _limit(schema, "maximum", math.floor)
    above, below = _limit(schema, "exclusiveMinimum", math.floor), _limit(schema, "exclusiveMaximum", math.ceil)
    low = max((n for n in (low, None if above is None else above + 1) if n is not None), default=None)
    high = min((n for n in (high, None if below is None else below - 1) if n is not None), default=None)
    if low is not None and high is not None and low > high:
        low = high = None
    limits = {"minimum": low, "maximum": high}
    return {"type": "integer", **{k: v for k, v in limits.items() if v is not None}}


def _limit(schema: Schema, keyword: str, rounded: Callable[[float], int]) -> int | None:
    value = schema.get(keyword)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > _SAFE_INTEGER:
        return None
    return rounded(value)


def _count(schema: Schema, keyword: str, default: int) -> int:
    value = schema.get(keyword)
    return int(value) if isinstance(value, int | float) and value >= 0 else default
