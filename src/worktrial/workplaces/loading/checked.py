"""Loosely typed fields made a `Workplace`: what every file format has in common."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import json_kind
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.tools import Tool, schema_problem

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


def workplace(
    *,
    name: str,
    system_prompt: str,
    tools: Sequence[Tool],
    initial_state: JsonObject,
    state_description: JsonObject,
    where: object,
    tools_field: str,
) -> Workplace:
    """A workplace whose parts fit together.

    Raises:
        DataError: there are no tools, or two have one name.
    """
    if not tools:
        raise DataError(where, f"{tools_field} is empty", "An agent needs at least one tool")
    twice = [tool for tool, times in Counter(t.name for t in tools).items() if times > 1]
    if twice:
        raise DataError(
            where, f"{tools_field}: more than one tool is called {', '.join(twice)}", "Rename or remove them"
        )
    return Workplace(name, system_prompt, tuple(tools), initial_state, state_description, str(where))


def tool(
    *,
    name: str,
    description: str,
    parameters: JsonValue,
    example_output: JsonValue,
    where: object,
    field: str,
    writes: bool | None = None,
    volatile: bool | None = None,
) -> Tool:
    """A tool whose schema is valid.

    Args:
        name: Name of the tool, not blank.
        description: Text that a model is shown.
        parameters: The argument schema; None and `{}` mean "no arguments".
        example_output: An object, a list, either of them written out as a string, or None.
        where: The file, for messages.
        field: The path of this tool in the file, for messages.
        writes: Whether a call changes the state; None where the file does not say.
        volatile: Whether answers change without a write; None where the file does not say.

    Raises:
        DataError: a field cannot be used; the message names the tool and the field.
    """
    if not name.strip():
        raise DataError(where, f"{field}.name is blank", "Give the tool a name")
    if parameters is None:
        parameters = {}
    if isinstance(parameters, dict) and "type" not in parameters:
        parameters = {"type": "object", **parameters}
    # A stray example inside the schema would show an agent the answer's shape as if it were an argument.
    if isinstance(parameters, dict) and "example_output" in parameters:
        stray = parameters["example_output"]
        parameters = {k: v for k, v in parameters.items() if k != "example_output"}
        example_output = stray if example_output is None else example_output
    if not (is_plain(parameters) and parameters.get("type") == "object"):
        problem = schema_problem(parameters)
        if problem:
            raise DataError(where, f"{field}.parameters of tool {name!r} {problem}", "Mend the schema")
    if isinstance(example_output, str):
        example_output = _written_out(example_output)
    if example_output is not None and not isinstance(example_output, dict | list):
        raise DataError(
            where,
            f"{field}.example_output of tool {name!r} is {json_kind(example_output)}",
            "Make it an object or a list, or leave it out",
        )
    return Tool(name, description, parameters, example_output, writes, volatile)


def object_field(value: JsonValue, where: object, field: str) -> JsonObject:
    """`value` as an object, also when the object is written out as a JSON string.

    Raises:
        DataError: it is neither.
    """
    if isinstance(value, str):
        given = _written_out(value)
        if isinstance(given, dict):
            return given
        raise DataError(where, f"{field} is a string that holds no JSON object", "Make it an object")
    if not isinstance(value, dict):
        raise DataError(where, f"{field} is {json_kind(value)}", "Make it an object")
    return value


def description_field(value: JsonValue, where: object, field: str) -> JsonObject:
    """Meaning of the state's fields: an object, one written out as a string, or plain prose (kept under `about`).

    Raises:
        DataError: it is something else.
    """
    if value is None:
        return {}
    if isinstance(value, str):
        given = _written_out(value)
        if isinstance(given, dict):
            return given
        return {"about": value} if value.strip() else {}
    return object_field(value, where, field)


def missing(fields: Iterable[str], where: object) -> DataError:
    """The error for required fields that are absent."""
    return DataError(where, f"lacks {', '.join(fields)}", "Add them")


def _written_out(text: str) -> JsonValue:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return text
