"""An MCP server's list of tools, as its operations."""

import json
from pathlib import Path
from typing import Any

import pytest

from worktrial.errors import DataError
from worktrial.synthesis.sources import SourceLibrary, load

SCHEMA = {"type": "object", "properties": {"id": {"type": "string", "description": "Which."}}, "required": ["id"]}
TOOLS: list[dict[str, Any]] = [
    {"name": "getFolio", "description": "Open a folio.", "inputSchema": SCHEMA},
    {"name": "close.folio", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": False}},
    {"name": "settle", "inputSchema": {"type": "object"}},
]


def read(folder: Path, said: Any) -> SourceLibrary:
    (folder / "tools.json").write_text(json.dumps(said))
    return load([folder / "tools.json"])


@pytest.mark.parametrize("said", [{"tools": TOOLS}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}}])
def test_tools_keep_their_names_and_schemas(tmp_path: Path, said: Any) -> None:
    sources = read(tmp_path, said)
    tools = [operation.tool for operation in sources.operations]
    assert [(tool.name, tool.writes) for tool in tools] == [
        ("getFolio", False),
        ("close.folio", True),
        ("settle", True),
    ]
    assert tools[0].parameters == SCHEMA
    assert sources.files[0].kind == "mcp"
    assert "taken to change nothing are getFolio" in sources.files[0].notes[0]
    assert sources.parts[0].text.splitlines()[0] == "getFolio: Open a folio."


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([], "lists no tools"),
        ([{"inputSchema": SCHEMA}], r"tools\[0\]: has no name"),
        ([{"name": "a"}], r"tools\[0\]: a has no inputSchema"),
        ([TOOLS[0], TOOLS[0]], r"tools\[1\]: getFolio is there twice"),
        ([{"name": "a", "inputSchema": {"type": "wrong"}}], r"the inputSchema of a"),
        (["getFolio"], r"tools\[0\]: has no name"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_by_its_place(tmp_path: Path, tools: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, {"tools": tools})
