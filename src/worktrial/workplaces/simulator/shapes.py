"""The shape of a tool's answer, derived from its example: as a bounded schema and as a line of text.

A small model without bounds writes until the token limit, hence `maxLength` and `maxItems` everywhere.
Only keywords that grammar compilers of local runtimes know are used (`propertyNames`, for one, they refuse).
"""

from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.values import is_keyed_by_id

_FALLBACK: JsonObject = {"status": "ok", "result": "what the action found or did"}


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """Bounds on the texts (characters) and lists (items) of an answer."""

    text: int
    items: int

    @classmethod
    def of(cls, state: JsonObject) -> "AnswerBounds":
        """Room for the longest text and the longest list of the state."""
        text, items = _longest(state)
        return cls(text=min(max(text, 160), 800), items=min(max(items, 10), 60))


def example_object(tool: Tool) -> JsonObject:
    """The tool's example as the object that an observation is; a stand-in where the workplace gives none."""
    match tool.example_output:
        case dict() as example if example:
            return example
        case list() as example:
            return {"result": example}
    return _FALLBACK


def fields_returned(tool: Tool) -> list[str]:
    """Fields of a successful answer by the tool's example; [] where it has none."""
    return list(example_object(tool)) if tool.example_output else []


def observation_schema(tool: Tool, bounds: AnswerBounds) -> JsonObject:
    """JSON Schema of a successful answer: the example's fields, all required, nothing else, all bounded."""
    return _schema(example_object(tool), bounds)


def action_line(tool: Tool) -> str:
    """One line a small model understands: name, arguments (optional ones with `?`), fields returned."""
    required = tool.parameters.get("required", [])
    names = [name if name in required else f"{name}?" for name in tool.parameters.get("properties", {})]
    return f"- {tool.name}({', '.join(names)}) -> {_fields(example_object(tool))}"


def any_value(bounds: AnswerBounds) -> JsonObject:
    """A bounded value of a state patch: a scalar, a short list of scalars, or a flat object of them."""
    scalar = _scalar(bounds)
    return {
        "anyOf": [
            *scalar["anyOf"],
            {"type": "array", "items": scalar, "maxItems": bounds.items},
            {"type": "object", "additionalProperties": scalar, "maxProperties": 12},
        ]
    }


def _schema(example: JsonValue, bounds: AnswerBounds) -> JsonObject:
    match example:
        case None:
            return _scalar(bounds)
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str():
            return {"type": "string", "maxLength": max(bounds.text, len(example))}
        case list():
            return {
                "type": "array",
                "items": _schema(_typical(example), bounds) if example else _scalar(bounds),
                "maxItems": max(bounds.items, len(example)),
            }
    if not example:
        return {
            "type": "object",
            "additionalProperties": _scalar(bounds),
            "maxProperties": bounds.items,
        }
    if is_keyed_by_id(example):
        return {
            "type": "object",
            "additionalProperties": _schema(_typical(list(example.values())), bounds),
            "maxProperties": bounds.items,
        }
    return {
        "type": "object",
        "properties": {key: _schema(value, bounds) for key, value in example.items()},
        "required": list(example),
        "additionalProperties": False,
    }


def _scalar(bounds: AnswerBounds) -> JsonObject:
    kinds = [
        {"type": "string", "maxLength": bounds.text},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
    ]
    return {"anyOf": kinds}


def _typical(items: list[JsonValue]) -> JsonValue:
    """One item that has the fields of all, when all are objects; else the first."""
    if all(isinstance(item, dict) for item in items):
        return {key: value for item in reversed(items) for key, value in item.items()}
    return items[0]


def _fields(example: JsonValue) -> str:
    if isinstance(example, list):
        return f"[{_fields(_typical(example))}]" if example else "[…]"
    if not isinstance(example, dict):
        return ""
    if not example:
        return "{…}"
    if is_keyed_by_id(example):
        return f"{{<id>: {_fields(_typical(list(example.values())))}}}"
    parts = ((key, _fields(value)) for key, value in example.items())
    return "{" + ", ".join(f"{key}: {inner}" if inner else key for key, inner in parts) + "}"


def _longest(value: JsonValue) -> tuple[int, int]:
    if isinstance(value, str):
        return len(value), 0
    if not isinstance(value, dict | list):
        return 0, 0
    inner = [_longest(v) for v in (value.values() if isinstance(value, dict) else value)]
    text = max((t for t, _ in inner), default=0)
    return text, max([len(value), *(n for _, n in inner)])
