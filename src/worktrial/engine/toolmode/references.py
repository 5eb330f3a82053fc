"""JSON Schemas without detours: references followed, `allOf` laid over one another."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from worktrial.language import JsonValue

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
