"""A fast yes for ordinary argument schemas.

Validating against the 2020-12 metaschema costs about half a millisecond per tool, more than everything
else that loading does. Nearly all real schemas use a small, plain part of the language; a typed decode
recognises it a hundred times faster. What it does not recognise goes to the metaschema.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from worktrial.language import JsonValue

_Type = Literal["object", "array", "string", "number", "integer", "boolean", "null"]
_Count = Annotated[int, Meta(ge=0)]


class _Plain(Struct, forbid_unknown_fields=True, rename="camel"):
    """A schema of which every keyword is known here and has a value that the metaschema allows."""

    type: _Type | UnsetType = UNSET
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    format: str | UnsetType = UNSET
    enum: list[Any] | UnsetType = UNSET
    const: Any = UNSET
    default: Any = UNSET
    examples: list[Any] | UnsetType = UNSET
    minimum: float | UnsetType = UNSET
    maximum: float | UnsetType = UNSET
    exclusive_minimum: float | UnsetType = UNSET
    exclusive_maximum: float | UnsetType = UNSET
    min_length: _Count | UnsetType = UNSET
    max_length: _Count | UnsetType = UNSET
    min_items: _Count | UnsetType = UNSET
    max_items: _Count | UnsetType = UNSET
    items: "_Plain | bool | UnsetType" = UNSET
    properties: "dict[str, _Plain | bool] | UnsetType" = UNSET
    additional_properties: "_Plain | bool | UnsetType" = UNSET
    required: list[str] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.required and len(set(self.required)) != len(self.required):
            raise ValueError("required names must be unique")


def is_plain(schema: JsonValue) -> bool:
    """Whether `schema` is surely valid JSON Schema 2020-12; False means only "not recognised"."""
    try:
        msgspec.convert(schema, _Plain)
    except (msgspec.ValidationError, RecursionError):
        return False
    return True
