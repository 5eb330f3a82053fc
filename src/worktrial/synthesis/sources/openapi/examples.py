"""An example of what a call is answered with."""

from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.sources.openapi.document import Document
from worktrial.synthesis.sources.openapi.schemas import Schemas

_ITEMS = 2
_TEXT = 200
_DEEPEST = 6
_WRITTEN = {
    "date": "2026-03-02",
    "date-time": "2026-03-02T09:00:00Z",
    "time": "09:00:00",
    "email": "person@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000001",
}


def example_answer(document: Document, schemas: Schemas, operation: JsonObject, where: str) -> JsonValue:
    """What a successful call is answered with, as an object or a list; None where the description does not say."""
    responses = operation.get("responses")
    if not isinstance(responses, dict):
        return None
    for code in sorted((code for code in responses if code.startswith("2")), key=lambda code: (code.upper(), code)):
        at = f"{where}.responses.{code}"
        content = document.object_at(responses[code], at).get("content")
        media = json_media(content) if isinstance(content, dict) else None
        if media is None:
            continue
        value = _given(document, media, at)
        if value is None and "schema" in media:
            value = _made(schemas.answer(media["schema"], f"{at}.schema"), "", 0)
        if value is not None:
            value = _short(value, 0)
            return value if isinstance(value, dict | list) else {"result": value}
    return None


def json_media(content: JsonObject) -> JsonObject | None:
    """The part of a body's `content` that is JSON, else the first that there is."""
    kinds = [kind for kind, media in content.items() if isinstance(media, dict)]
    plain = {kind: kind.partition(";")[0].strip().lower() for kind in kinds}
    best = next((k for k in kinds if plain[k] == "application/json" or plain[k].endswith("+json")), None)
    name = best or next(iter(kinds), None)
    return content[name] if name is not None else None


def _given(document: Document, media: JsonObject, where: str) -> JsonValue:
    if "example" in media:
        return media["example"]
    examples = media.get("examples")
    if isinstance(examples, dict):
        for name, example in examples.items():
            value = document.object_at(example, f"{where}.examples.{name}").get("value")
            if value is not None:
                return value
    return None


def _made(schema: JsonValue, name: str, depth: int) -> JsonValue:
    """A value that a schema allows, as far as it is simple; names stand for texts."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    if "const" in schema:
        return schema["const"]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    if "default" in schema:
        return schema["default"]
    if isinstance(schema.get("allOf"), list):
        parts = [_made(part, name, depth + 1) for part in (*schema["allOf"], _without(schema, "allOf"))]
        objects = [part for part in parts if isinstance(part, dict)]
        return {k: v for part in objects for k, v in part.items()} if objects else next(iter(parts))
    for key in ("oneOf", "anyOf"):
        branches = schema.get(key)
        if isinstance(branches, list) and branches:
            made = _made(branches[0], name, depth + 1)
            rest = _made(_without(schema, key), name, depth + 1) if "properties" in schema else None
            return {**rest, **made} if isinstance(made, dict) and isinstance(rest, dict) else made
    match _kind(schema):
        case "object":
            named = schema.get("properties", {})
            return {key: _made(part, key, depth + 1) for key, part in named.items()}
        case "array":
            item = _made(schema.get("items", {}), name.removesuffix("s"), depth + 1)
            return [item] if item is not None else []
        case "integer":
            return int(schema.get("minimum", 1))
        case "number":
            return schema.get("minimum", 1.5)
        case "boolean":
            return True
        case "string":
            return _WRITTEN.get(str(schema.get("format")), name or "text")
    return None


def _without(schema: JsonObject, key: str) -> JsonObject:
    return {k: v for k, v in schema.items() if k != key}


def _kind(schema: JsonObject) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    return str(kind) if kind else "object" if "properties" in schema else "array" if "items" in schema else ""


def _short(value: JsonValue, depth: int) -> JsonValue:
    """As much of an example as shows its shape."""
    if isinstance(value, dict):
        return {key: _short(part, depth + 1) for key, part in value.items()} if depth < _DEEPEST else {}
    if isinstance(value, list):
        return [_short(part, depth + 1) for part in value[:_ITEMS]] if depth < _DEEPEST else []
    return value[:_TEXT] if isinstance(value, str) else value
