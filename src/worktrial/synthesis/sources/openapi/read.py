"""From the text of a description to passages and operations."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.synthesis.sources.openapi.document import Document
from worktrial.synthesis.sources.openapi.operations import Described as _Tool
from worktrial.synthesis.sources.openapi.operations import ToolMaker
from worktrial.synthesis.sources.openapi.parse import parse
from worktrial.synthesis.sources.openapi.schemas import Schemas
from worktrial.synthesis.sources.store import InterfaceOperation, Passage
from worktrial.synthesis.sources.text import pieces

_MOST_NOTES = 20


class Described(NamedTuple):
    """What an interface description says."""

    passages: list[Passage]
    operations: list[InterfaceOperation]
    notes: list[str]


def read_openapi(text: str, path: Path, source: str) -> Described:
    """Read an OpenAPI 3 description.

    Args:
        text: Of the file.
        path: The file, for messages.
        source: Id of the document.

    Raises:
        DataError: it is none, or cannot be used; the message names the place and what to do.
    """
    document = Document(path, parse(text, path))
    _check_version(document)
    schemas = Schemas(document)
    tools = ToolMaker(document, schemas).all()
    if not tools:
        raise DataError(
            path, "describes no operation under `paths`", "Leave it out, or give the one that was meant"
        )
    passages: list[Passage] = []

    def add(heading: list[str], said: str) -> str:
        first = f"p{len(passages) + 1}"
        for piece in pieces(said):
            passages.append(Passage(source=source, id=f"p{len(passages) + 1}", heading=heading, text=piece))
        return first

    about = document.object_at(document.root.get("info", {}), "info")
    title = str(about.get("title") or path.stem)
    add([title], str(about.get("description") or title))
    operations = [
        InterfaceOperation(
            source=source,
            passage=add([title, f"{tool.method} {tool.path}"], "\n".join(_said(document, tool))),
            method=tool.method,
            path=tool.path,
            tool=tool.tool,
        )
        for tool in tools
    ]
    notes = list(dict.fromkeys(schemas.notes))
    if len(notes) > _MOST_NOTES:
        notes = [*notes[:_MOST_NOTES], f"and {len(notes) - _MOST_NOTES} more like these"]
    return Described(passages, operations, notes)


def _check_version(document: Document) -> None:
    if "swagger" in document.root:
        what = f"is a Swagger {document.root['swagger']} description; OpenAPI 3 is read"
        fix = "Convert it first, for example with `swagger2openapi` or the Swagger editor"
        raise DataError(document.path, what, fix)
    if "openapi" not in document.root:
        what = "has no field `openapi`, so it is no OpenAPI description"
        raise DataError(document.path, what, "Save other documents as Markdown (.md) or text (.txt)")
    if document.version not in ("3.0", "3.1", "3.2"):
        what = f"openapi: the version {document.root['openapi']!r} is not known"
        raise DataError(document.path, what, "Give a description in OpenAPI 3.0 or 3.1")


def _said(document: Document, tool: _Tool) -> Iterator[str]:
    """An operation in words, for search and citation."""
    yield f"{tool.tool.name}: {tool.tool.description}"
    for name, schema in tool.tool.parameters["properties"].items():
        said = schema.get("description") if isinstance(schema, dict) else None
        needed = "required" if name in tool.tool.parameters.get("required", []) else "optional"
        choice = schema.get("enum") if isinstance(schema, dict) else None
        one_of = f", one of {', '.join(map(str, choice))}" if isinstance(choice, list) else ""
        yield f"- {name} ({needed}{one_of}){f': {said}' if said else ''}"
    responses: JsonObject = tool.operation.get("responses") or {}
    for code, response in responses.items() if isinstance(responses, dict) else ():
        said = document.object_at(response, f"{tool.where}.responses.{code}").get("description")
        if isinstance(said, str) and said.strip():
            yield f"Answer {code}: {said.strip()}"
