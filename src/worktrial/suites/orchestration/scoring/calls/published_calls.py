"""Calls of a step as the published program sees them: all pooled, key by key, whatever the tool."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.outside.patterns import BadPattern, linear_search
from worktrial.suites.orchestration.planning.scenario import RefusalType

# The published program puts a note before arguments that are no JSON, and pools the characters of both.
_NOTE_LENGTH = 27
_NOTE_KEY = "error"


class Unscorable(Exception):
    """The published program raises an exception on this step; `kind` is its class."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class NotJson:
    """Arguments that are no JSON: one pooled value, which counts as often as the text has characters."""

    text: str

    def __len__(self) -> int:
        return _NOTE_LENGTH + len(self.text)


@dataclass(frozen=True, slots=True)
class Calls:
    """All calls of one step, pooled."""

    names: tuple[JsonValue, ...] = ()
    """The tools in the order called; empty for a text with neither call nor tag, which counts as a call."""
    arguments: Mapping[str, list[JsonValue] | NotJson] = field(default_factory=dict)
    """The values of each key over all calls, in order."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """No call, and a reason; without a type in gold steps that are neither."""

    type: RefusalType | None


def predicted(step: Message) -> Calls | Refusal:
    """Reading of an answer in the published layout.

    Raises:
        Unscorable: the published program raises on it.
    """
    tool_calls = step.get("tool_calls", [])
    if not isinstance(tool_calls, list | str | dict):
        raise Unscorable("TypeError", f"tool_calls is {tool_calls!r:.40}")
    if not tool_calls:
        return _tagged(step.get("content", "")) or Calls()
    calls = _pooled(_wire(call) for call in tool_calls)
    # An argument of that name is taken for the tag; it makes no difference unless a tool has one.
    return _by_tag(calls.arguments) or calls


def gold(label: Mapping[str, Message], step_id: str) -> Calls | Refusal:
    """Reading of a gold step: calls where the label has them, else a refusal.

    Raises:
        Unscorable: the published program raises on it.
    """
    message = label.get(f"{step_id}-1", label.get(step_id))
    if message is None:
        return Refusal(None)
    if "tool_calls" in message:
        functions = [call.get("function", {}) for call in message["tool_calls"]]
        return _pooled((function.get("name", ""), function.get("arguments", {})) for function in functions)
    content = message.get("content", "")
    return _by_tag(content if isinstance(content, str) else "") or Refusal(None)


def _tagged(content: JsonValue) -> Refusal | None:
    if not isinstance(content, str | list | dict):
        raise Unscorable("TypeError", f"content is {content!r:.40}")
    return _by_tag(content)


def _by_tag(where: str | Sequence[JsonValue] | Mapping[str, object]) -> Refusal | None:
    if RefusalType.AWAITING_USER_INPUT in where:
        return Refusal(RefusalType.AWAITING_USER_INPUT)
    if RefusalType.TOOL_CONSTRAINT_VIOLATION in where:
        return Refusal(RefusalType.TOOL_CONSTRAINT_VIOLATION)
    return None


def _wire(call: JsonValue) -> tuple[JsonValue, JsonValue]:
    function = _field(call, "function")
    return _field(function, "name"), _field(function, "arguments")


def _field(value: JsonValue, name: str) -> JsonValue:
    if not isinstance(value, dict):
        raise Unscorable("TypeError", f"no object around {name!r}: {value!r:.40}")
    if name not in value:
        raise Unscorable("KeyError", f"a call without {name!r}")
    return value[name]


def _pooled(calls: Iterable[tuple[JsonValue, JsonValue]]) -> Calls:
    names: list[JsonValue] = []
    pool: dict[str, list[JsonValue] | NotJson] = {}
    for name, raw in calls:
        arguments = _arguments(raw)
        if isinstance(arguments, NotJson):
            pool[_NOTE_KEY] = arguments
        else:
            for key, value in arguments.items():
                values = pool.setdefault(key, [])
                if isinstance(values, NotJson):
                    raise Unscorable("AttributeError", f"an argument {key!r} after arguments that are no JSON")
                values.append(value)
        names.append(name)
    return Calls(tuple(names), pool)


def _arguments(raw: JsonValue) -> JsonObject | NotJson:
    if isinstance(raw, dict):
        return raw
    if not isinstance(raw, str):
        raise Unscorable("TypeError", f"arguments are neither text nor an object: {raw!r:.40}")
    try:
        arguments = json.loads(raw)
    except json.JSONDecodeError:
        return NotJson(raw)
    except RecursionError:
        raise Unscorable("RecursionError", "arguments nested too deep") from None
    except ValueError as error:  # Python reads no whole number of more than 4,300 digits
        raise Unscorable("ValueError", str(error)) from None
    if not isinstance(arguments, dict):
        raise Unscorable("AttributeError", f"arguments are no object: {raw:.40}")
    return arguments


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
        # The program's own engine backtracks, and a card's pattern could keep it busy for years.
        spelled = pattern.replace("\\\\", "\\")
        return linear_search(rf"\A(?:{spelled})")(value)
    except (BadPattern, AttributeError) as error:
        raise Undecidable(f"no pattern: {pattern!r:.40}") from error
