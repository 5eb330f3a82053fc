"""JSON Schemas in simpler words, for endpoints that know only some of the keywords."""

from collections.abc import Mapping, Sequence
from typing import Any

from worktrial.language import JsonObject, JsonValue
from worktrial.language.kinds import json_type

# The keywords that every wire with schemas at all was seen to take. What else is said stays true without them: a
# simpler schema lets more through, and whoever asked checks the answer anyway.
_KEPT = frozenset({"type", "description", "enum", "properties", "required", "items", "additionalProperties"})
_COMBINED = ("anyOf", "oneOf", "allOf")
_DEEPEST = 32


def plainer(schema: JsonObject) -> JsonObject:
    """`schema` in words that every endpoint knows. It lets everything through that `schema` does.

    `const` becomes an `enum` of one, alternatives become one object with all their fields (required: those that all
    of them require) or the type they share, references are written out, an object without fields is any object.
    """
    return _plain(schema, schema, 0)


def plainer_tools(tools: Sequence[JsonObject]) -> list[JsonObject]:
    """Tools (in the chat-completions form) whose parameters are in plainer words."""
    simpler = []
    for tool in tools:
        function = tool.get("function")
        if not isinstance(function, dict):
            simpler.append(tool)
            continue
        parameters = function.get("parameters")
        rest = {name: value for name, value in function.items() if name != "parameters"}
        given = plainer(parameters) if isinstance(parameters, dict) else {}
        # Without a word on parameters there are none, everywhere; an object without fields is not taken everywhere.
        whole = {"parameters": {"type": "object", **given}} if given.get("properties") else {}
        simpler.append({**tool, "function": {**rest, **whole}})
    return simpler


def _plain(schema: JsonValue, root: JsonObject, depth: int) -> JsonObject:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return {}
    schema = _resolved(schema, root)
    rest = {name: value for name, value in schema.items() if name not in _COMBINED}
    alternatives = [b for word in ("anyOf", "oneOf") for b in schema.get(word) or ()]
    if alternatives:
        simple = [_plain(branch, root, depth + 1) for branch in alternatives]
        return _either(_plain({**rest, "allOf": schema.get("allOf") or []}, root, depth + 1), simple)
    if schema.get("allOf"):
        return _both(_plain(rest, root, depth + 1), [_plain(b, root, depth + 1) for b in schema["allOf"]])
    plain: JsonObject = {name: value for name, value in schema.items() if name in _KEPT}
    if "const" in schema:
        plain["enum"] = [schema["const"]]
        plain.setdefault("type", json_type(schema["const"]))
    kinds = plain.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in kinds if kind != "null"]
        # Two kinds at once are said by saying neither.
        if len(kinds) == 1:
            plain["type"] = kinds[0]
        else:
            del plain["type"]
            if len(named) == 1 and "enum" not in plain:
                plain["description"] = f"{plain.get('description', '')} ({named[0]} or null)".strip()
    properties = plain.get("properties")
    if isinstance(properties, Mapping):
        plain["properties"] = {name: _plain(value, root, depth + 1) for name, value in properties.items()}
        if not properties:
            del plain["properties"]
            plain.pop("additionalProperties", None)
    if "items" in plain:
        plain["items"] = _plain(plain["items"], root, depth + 1)
    if not isinstance(plain.get("additionalProperties"), bool):
        plain.pop("additionalProperties", None)
    return {name: value for name, value in plain.items() if value is not None}


def _resolved(schema: Mapping[str, Any], root: JsonObject) -> Mapping[str, Any]:
    """`schema`, or what it refers to inside `root` (JSON Pointer); {} for a reference that leads nowhere."""
    for _ in range(_DEEPEST):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        target: Any = root
        for step in reference.removeprefix("#").strip("/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            target = target.get(name) if isinstance(target, Mapping) and name else target
        if not isinstance(target, Mapping):
            return {}
        schema = {**target, **{name: value for name, value in schema.items() if name != "$ref"}}
    return {}


def _both(first: JsonObject, others: list[JsonObject]) -> JsonObject:
    """A plain schema of all that satisfies several plain schemas at once, and maybe more."""
    whole = dict(first)
    for other in others:
        properties = {**(other.get("properties") or {}), **(whole.get("properties") or {})}
        required = [*(whole.get("required") or []), *(other.get("required") or [])]
        # One that is closed is closed to the fields of the others as well; left open, nothing is lost.
        whole = {**other, **whole, "properties": properties, "required": list(dict.fromkeys(required))}
        whole = {name: value for name, value in whole.items() if value not in ({}, [])}
        whole.pop("additionalProperties", None)
    return whole


def _either(rest: JsonObject, branches: list[JsonObject]) -> JsonObject:
    """A plain schema of all that satisfies `rest` and one of `branches`, and maybe more."""
    whole: JsonObject = {}
    kinds = {branch.get("type") for branch in branches}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        whole["type"] = kind
    if all("enum" in branch for branch in branches):
        whole["enum"] = []
        for branch in branches:
            whole["enum"] += [value for value in branch["enum"] if not _is_in(value, whole["enum"])]
    if whole.get("type") == "array" and all("items" in branch for branch in branches):
        whole["items"] = _either({}, [branch["items"] for branch in branches])
    names = dict.fromkeys(name for branch in branches for name in branch.get("properties") or ())
    if names:
        whole["properties"] = {name: _either_field(name, branches) for name in names}
    required = [name for name in names if all(name in (branch.get("required") or ()) for branch in branches)]
    if required:
        whole["required"] = required
    if names and all(branch.get("additionalProperties") is False for branch in branches):
        whole["additionalProperties"] = False
    descriptions = [branch["description"] for branch in branches if "description" in branch]
    if descriptions and "description" not in rest:
        whole["description"] = descriptions[0]
    return _both(rest, [whole]) if rest else whole


def _either_field(name: str, branches: list[JsonObject]) -> JsonObject:
    """The field `name` in whichever of `branches`; anything at all where an open one does not name it."""
    said = []
    for branch in branches:
        if name in (branch.get("properties") or {}):
            said.append(branch["properties"][name])
        elif branch.get("additionalProperties") is not False:
            return {}
    return said[0] if all(one == said[0] for one in said) else _either({}, said)


def _is_in(value: JsonValue, values: list[JsonValue]) -> bool:
    """Whether JSON `value` is among `values`; 1 and true are two values."""
    return any(value == other and isinstance(value, bool) == isinstance(other, bool) for other in values)
