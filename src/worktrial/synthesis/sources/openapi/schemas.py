"""Schemas of OpenAPI 3.0 and 3.1 as JSON Schema 2020-12 that stands by itself, and example answers."""

from contextlib import suppress
from dataclasses import dataclass, field

from worktrial.language import JsonObject, JsonValue
from worktrial.outside.patterns import BadPattern, linear_search
from worktrial.outside.schemas import schema_fault
from worktrial.synthesis.sources.openapi.document import Document

MOST_PARTS = 400
"""Schemas within one that are written out."""
_VALUES = ("const", "default", "dependentRequired", "enum", "examples")
_NAMED = ("dependentSchemas", "patternProperties", "properties")
# Of no meaning for the arguments of a call, or resolved here; so is all that begins with $.
_DROPPED = frozenset([
    "definitions", "deprecated", "discriminator", "example", "externalDocs", "nullable", "readOnly", "writeOnly",
    "xml",
])  # fmt: skip
_NOTES = ("title", "description", "default", "examples")


@dataclass
class Schemas:
    """Writer of the schemas of one description; `notes` are what the user should know."""

    document: Document
    notes: list[str] = field(default_factory=list)
    _left: int = field(default=MOST_PARTS, init=False)
    _hidden: str = field(default="", init=False)

    def arguments(self, schema: JsonValue, where: str) -> JsonValue:
        """A schema of something that is sent: without what only answers have.

        Raises:
            DataError: a reference cannot be followed, or it is no schema.
        """
        made = self._whole(schema, where, "readOnly")
        if (problem := schema_fault(made)) is not None:
            raise self.document.error(where, problem)
        return made

    def answer(self, schema: JsonValue, where: str) -> JsonValue:
        """A schema of something that comes back: without what is only sent.

        Where it is no valid schema it is one of anything, with a note.

        Raises:
            DataError: a reference cannot be followed.
        """
        made = self._whole(schema, where, "writeOnly")
        if (problem := schema_fault(made)) is not None:
            self.notes.append(f"{where}: {problem}, so there is no example of it")
        return made if problem is None else True

    def _whole(self, schema: JsonValue, where: str, hidden: str) -> JsonValue:
        self._left, self._hidden = MOST_PARTS, hidden
        return self._of(schema, where, ())

    def _of(self, schema: JsonValue, where: str, within: tuple[str, ...]) -> JsonValue:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            raise self.document.error(where, "is not a schema")
        self._left -= 1
        if "$ref" in schema:
            return self._referred(schema, where, within)
        if self._left < 0:
            return _outline(schema, "")
        made: JsonObject = {}
        for key, value in schema.items():
            if key in _DROPPED or key.startswith(("$", "x-")):
                continue
            if key in _NAMED and isinstance(value, dict):
                shown = {name: part for name, part in value.items() if not self._is_hidden(part, where)}
                made[key] = {name: self._of(part, f"{where}.{key}.{name}", within) for name, part in shown.items()}
            elif isinstance(value, dict) and key not in _VALUES:
                made[key] = self._of(value, f"{where}.{key}", within)
            elif isinstance(value, list) and key not in _VALUES:
                made[key] = [
                    self._of(part, f"{where}.{key}[{n}]", within) if isinstance(part, dict) else part
                    for n, part in enumerate(value)
                ]
            elif key != "pattern" or self._matches(value, where):
                made[key] = value
        if isinstance(made.get("required"), list) and isinstance(made.get("properties"), dict):
            gone = schema["properties"].keys() - made["properties"].keys()
            made["required"] = [name for name in made["required"] if not (isinstance(name, str) and name in gone)]
        return _modern(schema, made)

    def _referred(self, schema: JsonObject, where: str, within: tuple[str, ...]) -> JsonValue:
        reference = str(schema["$ref"])
        target = self.document.follow(schema["$ref"], where)
        if reference in within or self._left < 0:
            made: JsonValue = _outline(target, reference.rpartition("/")[2])
        else:
            made = self._of(target, where, (*within, reference))
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if not beside or isinstance(made, bool):
            return made
        said = {key: value for key, value in beside.items() if key in _NOTES}
        rest = self._of({key: value for key, value in beside.items() if key not in _NOTES}, where, within)
        # In 3.0 nothing beside a reference counts; remarks do no harm.
        if not rest or self.document.version == "3.0":
            return {**made, **said}
        return {"allOf": [made, rest], **said}

    def _is_hidden(self, schema: JsonValue, where: str) -> bool:
        if isinstance(schema, dict) and "$ref" in schema and self._hidden not in schema:
            schema = self.document.follow(schema["$ref"], where)
        return isinstance(schema, dict) and schema.get(self._hidden) is True

    def _matches(self, pattern: JsonValue, where: str) -> bool:
        """Whether our regular expressions know a pattern; JavaScript's are a little different."""
        if isinstance(pattern, str):
            with suppress(BadPattern):
                linear_search(pattern)
                return True
        self.notes.append(f"{where}: the pattern {pattern!r} is not understood and left out")
        return False


def _outline(schema: JsonValue, name: str) -> JsonObject:
    """Stand-in for a schema inside itself, or for one too many."""
    kind = schema.get("type", "object") if isinstance(schema, dict) else "object"
    said = f"{name}, as above" if name else "not described further"
    return {"type": kind, "description": said}


def _modern(old: JsonObject, made: JsonObject) -> JsonObject:
    """Schema without what 3.0 says in words of its own."""
    for edge, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(made.get(edge), bool) and made.pop(edge) and bound in made:
            made[edge] = made.pop(bound)
    if "example" in old and "examples" not in made:
        made["examples"] = [old["example"]]
    if not isinstance(made.get("examples", []), list):
        del made["examples"]
    if old.get("nullable") is not True:
        return made
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    if any(key in made for key in ("allOf", "anyOf", "oneOf")):
        said = {key: made.pop(key) for key in _NOTES if key in made}
        return {"anyOf": [made, {"type": "null"}], **said}
    return made


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
    """Answer to a successful call, an object or a list; None where the description does not say."""
    responses = operation.get("responses")
    if not isinstance(responses, dict):
        return None
    for code in sorted((code for code in responses if code.startswith("2")), key=lambda code: (code.upper(), code)):
        at = f"{where}.responses.{code}"
        media = json_media(document.object_at(responses[code], at))
        if media is None:
            continue
        value = _given(document, media, at)
        if value is None and "schema" in media:
            value = _made(schemas.answer(media["schema"], f"{at}.schema"), "", 0)
        if value is not None:
            value = _short(value, 0)
            return value if isinstance(value, dict | list) else {"result": value}
    return None


def json_media(holder: JsonObject) -> JsonObject | None:
    """The part of a body's or a parameter's `content` that is JSON, else the first that there is."""
    content = holder.get("content")
    if not isinstance(content, dict):
        return None
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
    """Example cut down to as much as shows its shape."""
    if isinstance(value, dict):
        return {key: _short(part, depth + 1) for key, part in value.items()} if depth < _DEEPEST else {}
    if isinstance(value, list):
        return [_short(part, depth + 1) for part in value[:_ITEMS]] if depth < _DEEPEST else []
    return value[:_TEXT] if isinstance(value, str) else value
