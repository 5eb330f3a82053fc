"""Reading a description: its operations become tools, and parts of a handbook."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.sources.openapi.document import Document, read_document
from worktrial.synthesis.sources.openapi.schemas import Schemas, example_answer, json_media
from worktrial.synthesis.sources.store import DocumentContent, DocumentPart, InterfaceOperation
from worktrial.synthesis.sources.text import pieces
from worktrial.workplaces.tools import schema_problem

METHODS = ("get", "head", "post", "put", "patch", "delete", "query")
_READS = ("get", "head", "query")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DESCRIPTION = 600
# What a client fills in by itself, by the standard.
_OWN_HEADERS = frozenset({"accept", "authorization", "content-type"})


@dataclass
class ToolMaker:
    """Maker of the tools of a description."""

    document: Document
    schemas: Schemas
    source: str
    """Id of the document."""

    def all(self) -> Iterator[tuple[InterfaceOperation, str]]:
        """One for each operation that is not deprecated, and what is said of it.

        Raises:
            DataError: an operation cannot be made a tool; the message names it.
        """
        taken: dict[str, str] = {}
        for method, path, where, item, operation in self._operations():
            name, wanted = self._name(method, path, where, operation)
            if name in taken:
                what = f"its operationId {wanted!r} makes the tool {name!r}, and so does that of {taken[name]}"
                raise self.document.error(where, what, "Give each operation an operationId of its own")
            taken[name] = where
            tool = ToolDraft(
                name=name,
                description=_description(method, path, operation),
                parameters=self._arguments(where, item, operation),
                example_output=example_answer(self.document, self.schemas, operation, where),
                writes=method not in _READS,
            )
            made = InterfaceOperation(source=self.source, method=method.upper(), path=path, tool=tool)
            yield made, "\n".join(self._said(tool, operation, where))

    def _said(self, tool: ToolDraft, operation: JsonObject, where: str) -> Iterator[str]:
        """An operation in words."""
        yield f"{tool.name}: {tool.description}"
        for name, schema in tool.parameters["properties"].items():
            fields = schema if isinstance(schema, dict) else {}
            said, choice = fields.get("description"), fields.get("enum")
            needed = "required" if name in tool.parameters.get("required", []) else "optional"
            one_of = f", one of {', '.join(map(str, choice))}" if isinstance(choice, list) else ""
            yield f"- {name} ({needed}{one_of}){f': {said}' if said else ''}"
        responses = operation.get("responses")
        for code, response in responses.items() if isinstance(responses, dict) else ():
            said = self.document.object_at(response, f"{where}.responses.{code}").get("description")
            if isinstance(said, str) and said.strip():
                yield f"Answer {code}: {said.strip()}"

    def _operations(self) -> Iterator[tuple[str, str, str, JsonObject, JsonObject]]:
        paths = self.document.object_at(self.document.root.get("paths", {}), "paths")
        for path, given in paths.items():
            if path.startswith("x-"):
                continue
            item = self.document.object_at(given, f"paths.{path}")
            for method in (m for m in METHODS if m in item):
                where = f"paths.{path}.{method}"
                operation = self.document.object_at(item[method], where)
                if operation.get("deprecated") is True:
                    self.schemas.notes.append(f"{where}: deprecated, so it is no tool")
                    continue
                yield method, path, where, item, operation

    def _name(self, method: str, path: str, where: str, operation: JsonObject) -> tuple[str, str]:
        given = operation.get("operationId")
        if given is None:
            parts = re.findall(r"[A-Za-z0-9]+", f"{method} {path}")
            name = "_".join(part.lower() for part in parts)[:64]
            self.schemas.notes.append(f"{where}: has no operationId; the tool is called {name}")
            return name, name
        if not isinstance(given, str) or not given.strip():
            raise self.document.error(where, "its operationId is not a text", "Give it a name, such as getOrder")
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", given).strip("_")[:64]
        if not _NAME.fullmatch(name):
            what = f"its operationId {given!r} has no letter that a tool's name may have"
            raise self.document.error(where, what, "Use A-Z, a-z, 0-9, _ and -")
        return name, given

    def _arguments(self, where: str, item: JsonObject, operation: JsonObject) -> JsonObject:
        properties: JsonObject = {}
        required: list[str] = []
        for name, schema, needed in self._parameters(where, item, operation):
            properties[name] = schema
            required += [name] if needed else []
        made: JsonObject = {"type": "object", "properties": properties}
        body, needed = self._body(where, operation)
        if body is not None:
            fields = _fields(body)
            if fields is None or fields.get("properties", {}).keys() & properties.keys():
                properties["body"] = body
                required += ["body"] if needed else []
            else:
                properties |= fields.get("properties", {})
                required += fields.get("required", []) if needed else []
        if required:
            made["required"] = list(dict.fromkeys(required))
        made["additionalProperties"] = False
        made = _with_descriptions(made)
        if problem := schema_problem(made):
            raise self.document.error(where, f"the schema of its arguments {problem}")
        return made

    def _parameters(self, where: str, *holders: JsonObject) -> Iterator[tuple[str, JsonValue, bool]]:
        found: dict[tuple[str, str], JsonObject] = {}
        # Those of the operation take the place of the path's.
        for at, holder in zip((where.rpartition(".")[0], where), holders, strict=True):
            listed = holder.get("parameters")
            if not isinstance(listed, list | None):
                raise self.document.error(at, "its parameters are no list")
            for number, given in enumerate(listed or []):
                field = f"{at}.parameters[{number}]"
                parameter = self.document.object_at(given, field)
                name, place = parameter.get("name"), parameter.get("in")
                if not isinstance(name, str) or not isinstance(place, str):
                    raise self.document.error(field, "has no name or no `in`")
                found[name, place] = parameter
        names: set[str] = set()
        for (name, place), parameter in found.items():
            if place == "cookie" or (place == "header" and name.lower() in _OWN_HEADERS):
                continue
            # One name in two places would be one argument for both.
            name = name if name not in names else f"{place}_{name}"
            names.add(name)
            schema = self._of_parameter(parameter, f"{where}.parameters.{name}")
            yield name, schema, parameter.get("required") is True

    def _of_parameter(self, parameter: JsonObject, where: str) -> JsonValue:
        given = parameter.get("schema", (json_media(parameter) or {}).get("schema", {}))
        schema = self.schemas.arguments(given, where)
        said = parameter.get("description")
        if isinstance(schema, dict) and isinstance(said, str) and said.strip() and "description" not in schema:
            return {**schema, "description": _cut(said)}
        return schema

    def _body(self, where: str, operation: JsonObject) -> tuple[JsonValue, bool]:
        if "requestBody" not in operation:
            return None, False
        body = self.document.object_at(operation["requestBody"], f"{where}.requestBody")
        media = json_media(body)
        if media is None or "schema" not in media:
            return None, False
        return self.schemas.arguments(media["schema"], f"{where}.requestBody"), body.get("required") is True


def _fields(schema: JsonValue) -> JsonObject | None:
    """`properties` and `required` of a schema that says nothing but which fields an object has, else None."""
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("allOf"), list):
        rest = {key: value for key, value in schema.items() if key not in ("allOf", "type")}
        parts = [_fields(part) for part in (*schema["allOf"], rest)]
        whole: JsonObject = {"properties": {}, "required": []}
        for part in parts:
            if part is None or whole["properties"].keys() & part.get("properties", {}).keys():
                return None
            whole["properties"] |= part.get("properties", {})
            whole["required"] += part.get("required", [])
        return whole
    plain = {"type", "properties", "required", "additionalProperties", "title", "description", "examples"}
    if schema.keys() - plain or schema.get("type", "object") != "object":
        return None
    # Fields of any name are an argument of their own.
    if schema.get("additionalProperties", False) is not False or (
        not schema.get("properties") and "type" in schema
    ):
        return None
    return schema


def _with_descriptions(schema: JsonValue, name: str = "") -> JsonValue:
    """Schema with a description for every field that has none: its name in words."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    named = made.get("properties")
    if isinstance(named, dict):
        made["properties"] = {key: _with_descriptions(part, key) for key, part in named.items()}
    if "items" in made:
        made["items"] = _with_descriptions(made["items"])
    if name and not str(made.get("description", "")).strip():
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).strip().lower()
        made["description"] = f"{(words or name).capitalize()}."
    return made


def _description(method: str, path: str, operation: JsonObject) -> str:
    summary, said = (operation.get(key) for key in ("summary", "description"))
    parts = [part.strip() for part in (summary, said) if isinstance(part, str) and part.strip()]
    if len(parts) == 2 and parts[1].startswith(parts[0].rstrip(".")):
        parts = parts[1:]
    return _cut("\n".join(parts)) if parts else f"{method.upper()} {path}"


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _DESCRIPTION else f"{text[: _DESCRIPTION - 2].rsplit(None, 1)[0]} …"


_MOST_NOTES = 20


def read_openapi(text: str, path: Path, source: str) -> DocumentContent:
    """Read an OpenAPI 3 description; `source` is the id of the document.

    Raises:
        DataError: it is none, or cannot be used; the message names the place and what to do.
    """
    document = read_document(text, path)
    schemas = Schemas(document)
    made = list(ToolMaker(document, schemas, source).all())
    if not made:
        raise DataError(
            path, "describes no operation under `paths`", "Leave it out, or give the one that was meant"
        )
    about = document.object_at(document.root.get("info", {}), "info")
    title = str(about.get("title") or path.stem)
    told = [([title], str(about.get("description") or title))]
    told += [([title, f"{one.method} {one.path}"], said) for one, said in made]
    parts = [
        DocumentPart(source=source, heading=heading, text=piece) for heading, said in told for piece in pieces(said)
    ]
    notes = list(dict.fromkeys(schemas.notes))
    if len(notes) > _MOST_NOTES:
        notes = [*notes[:_MOST_NOTES], f"and {len(notes) - _MOST_NOTES} more like these"]
    return DocumentContent(parts, [one for one, _ in made], notes)
