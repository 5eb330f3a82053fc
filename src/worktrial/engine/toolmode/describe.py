"""Tools in words: what a model must know to fill in their arguments, in few tokens."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worktrial.language import JsonObject, JsonValue

if TYPE_CHECKING:
    from jinja2 import Template


def instructions(functions: list[JsonObject]) -> str:
    """The part of the system message that offers `functions` (`{name, description, parameters}`)."""
    return _template().render(tools=[_tool(f) for f in functions]).strip()


def _tool(function: JsonObject) -> JsonObject:
    parameters = function.get("parameters") or {}
    required = parameters.get("required") or []
    arguments = [
        {
            "name": name,
            "kind": kind(schema),
            "optional": name not in required,
            "description": _line(schema.get("description")) if isinstance(schema, Mapping) else "",
        }
        for name, schema in (parameters.get("properties") or {}).items()
    ]
    return {
        "name": function["name"],
        "description": _line(function.get("description")),
        "arguments": arguments,
    }


def kind(schema: JsonValue, depth: int = 0) -> str:
    """A schema in one phrase: `text`, `one of "a", "b"`, `list of {id: text, count?: integer}`."""
    if not isinstance(schema, Mapping) or depth > 4:
        return "any value"
    if "const" in schema:
        return _value(schema["const"])
    if schema.get("enum"):
        return "one of " + ", ".join(_value(v) for v in schema["enum"])
    one = schema.get("type")
    if isinstance(one, list):
        return " or ".join(kind({**schema, "type": t}, depth) for t in one)
    match one:
        case "string":
            return f"text ({schema.get('format') or schema['pattern']})" if _shaped(schema) else "text"
        case "integer" | "number":
            return f"{one}{_range(schema)}"
        case "boolean":
            return "true or false"
        case "null":
            return "null"
        case "array":
            return f"list of {kind(schema.get('items'), depth + 1)}"
        case "object" if schema.get("properties"):
            return "{" + ", ".join(_field(n, s, schema, depth) for n, s in schema["properties"].items()) + "}"
        case "object":
            return "object"
    branches = schema.get("anyOf") or schema.get("oneOf")
    return " or ".join(kind(branch, depth + 1) for branch in branches) if branches else "any value"


def _field(name: str, schema: JsonValue, parent: Mapping[str, Any], depth: int) -> str:
    mark = "" if name in (parent.get("required") or []) else "?"
    return f"{name}{mark}: {kind(schema, depth + 1)}"


def _shaped(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("format") or schema.get("pattern"))


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    if high is None:
        return f" from {low}"
    return f" up to {high}" if low is None else f" from {low} to {high}"


def _value(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: object) -> str:
    return " ".join(text.split()) if isinstance(text, str) else ""


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    # Plain text for a model; HTML escaping would corrupt it.
    environment = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string((Path(__file__).parent / "instructions.j2").read_text("utf-8"))
