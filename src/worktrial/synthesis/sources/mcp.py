"""Tools of an MCP server: its answer to `tools/list`, saved as JSON."""

import json
import re
from pathlib import Path

from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.sources.store import DocumentContent, DocumentPart, InterfaceOperation
from worktrial.synthesis.sources.text import pieces
from worktrial.workplaces.tools import schema_problem

_READS = re.compile(r"(?i:get|list|find|search|read|show|fetch|look|describe|count|check)(?![a-z])")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def tool_list(text: str) -> list[JsonValue] | None:
    """The tools in an answer to `tools/list`, bare or inside its JSON-RPC envelope; None where it is none."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(said, dict) and isinstance(said.get("result"), dict):
        said = said["result"]
    tools = said.get("tools") if isinstance(said, dict) and "openapi" not in said else None
    return tools if isinstance(tools, list) else None


def read_tool_list(tools: list[JsonValue], path: Path, source: str) -> DocumentContent:
    """Operations of an MCP server, and a part of the handbook on each.

    Whether a tool changes something is what its annotation `readOnlyHint` says, else what its name lets one think;
    a note tells of the latter.

    Raises:
        DataError: there is no tool, or one has no name, no schema or one that is no JSON Schema.
    """
    if not tools:
        raise DataError(path, "lists no tools", "Save the whole answer of the server to tools/list")
    parts: list[DocumentPart] = []
    operations: list[InterfaceOperation] = []
    guessed: list[str] = []
    for number, one in enumerate(tools):
        tool = _tool(one, path, f"tools[{number}]", guessed)
        if any(tool.name == other.tool.name for other in operations):
            raise DataError(path, f"tools[{number}]: {tool.name} is there twice", "Keep one of the two")
        given = {name: part for name, part in tool.parameters["properties"].items() if isinstance(part, dict)}
        about = {name: given.get(name, {}).get("description") for name in tool.parameters["properties"]}
        arguments = (f"- {name}: {text}" if text else f"- {name}" for name, text in about.items())
        said = "\n".join([f"{tool.name}: {tool.description}", *arguments])
        parts += [DocumentPart(source=source, heading=[tool.name], text=piece) for piece in pieces(said)]
        operations.append(InterfaceOperation(source=source, method="TOOL", path=tool.name, tool=tool))
    notes = []
    if guessed:
        notes.append(
            f"no readOnlyHint, so the name decides: taken to change nothing are {', '.join(guessed)}; all other "
            "tools without the hint may change something"
        )
    return DocumentContent(parts, operations, notes)


def _tool(given: JsonValue, path: Path, where: str, guessed: list[str]) -> ToolDraft:
    name = given.get("name") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(name, str) or not _NAME.fullmatch(name):
        fix = "A tool's name has letters, digits, _, - and dots"
        raise DataError(path, f"{where}: has no name that a tool may have", fix)
    schema = given.get("inputSchema")
    if not isinstance(schema, dict):
        raise DataError(path, f"{where}: {name} has no inputSchema", "Save the answer as the server gave it")
    schema = {"type": "object", "properties": {}, **schema}
    if problem := schema_problem(schema):
        raise DataError(path, f"{where}: the inputSchema of {name} {problem}", "Correct it")
    annotations = given.get("annotations")
    hint = annotations.get("readOnlyHint") if isinstance(annotations, dict) else None
    if hint is None and _READS.match(name):
        guessed.append(name)
        hint = True
    said = given.get("description")
    return ToolDraft(
        name=name,
        description=said.strip() if isinstance(said, str) and said.strip() else name,
        parameters=schema,
        example_output=None,
        writes=hint is not True,
    )
