"""Readers of what somebody else wrote, each with what it may raise and a few seeds of good input."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worktrial.engine.manifest import read_manifest
from worktrial.engine.providers.streams import chat_completion
from worktrial.engine.record import SampleRecord
from worktrial.engine.store import read_lines
from worktrial.engine.wire import NotACompletion, ReportedFailure
from worktrial.errors import DataError
from worktrial.language import read_reply
from worktrial.outside.files import as_json, as_object
from worktrial.outside.patches import BadPatch, patched
from worktrial.outside.schemas import SchemaCheck, Uncheckable, schema_fault
from worktrial.outside.yaml_files import json_of_yaml
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.documents.question_files import read_own, read_published
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.published_plan_text import published_reading
from worktrial.synthesis.sources.mcp import read_tool_list, tool_list
from worktrial.synthesis.sources.openapi import read_openapi
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.loading.occubench import from_occubench

HERE = Path("here")
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


@dataclass(frozen=True)
class Target:
    """A reader of bytes."""

    read: Callable[[bytes], object]
    seeds: Sequence[bytes]
    may_raise: tuple[type[Exception], ...] = (DataError,)

    def __call__(self, data: bytes) -> None:
        """Read `data`; whatever the reader may not raise escapes."""
        try:
            self.read(data)
        except self.may_raise:
            return


def _text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def _schema(data: bytes) -> None:
    said = as_json(data, HERE)
    [schema, value] = said if isinstance(said, list) and len(said) == 2 else [said, {}]
    schema_fault(schema)
    if isinstance(schema, dict):
        SchemaCheck(schema).misfits(value)


def _patch(data: bytes) -> None:
    said = as_json(data, HERE)
    if isinstance(said, list) and all(isinstance(operation, dict) for operation in said):
        patched({"a": {"b": [1]}}, said)


def _tools(text: str) -> None:
    tools = tool_list(text)
    if tools is not None:
        read_tool_list(tools, HERE, "s")


def _reply(data: bytes) -> None:
    said: Any = as_json(data, HERE)
    read_reply(said if isinstance(said, dict) else {"content": data.decode("utf-8", "replace")}, [TOOL])


def _file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def reads(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_bytes(data)
            read(Path(folder) / name)

    return reads


OPENAPI = b"openapi: 3.1.0\npaths: {/x: {get: {operationId: a, parameters: [{name: q, in: query, schema: &s {}}]}}}"
TARGETS = {
    "json": Target(lambda data: as_json(data, HERE), [b'{"a": [1, 2.5e3, "\\u00e9", null]}', b"[" * 200]),
    "yaml": Target(
        _text(lambda text: json_of_yaml(text, HERE)),
        [b"a: &x [1]\nb: *x", b"<<: {a: 1}\nb: |\n  c"],
    ),
    "yaml text": Target(_text(lambda text: load_yaml(text, where="here")), [b"a: 1:59\nb: !!set {x}"], (BadYaml,)),
    "openapi": Target(_text(lambda text: read_openapi(text, HERE, "s")), [OPENAPI, b'{"openapi": "3.0.0"}']),
    "tools": Target(_text(_tools), [b'{"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}']),
    "schema": Target(
        _schema,
        [b'[{"type": "object", "pattern": "(a+)+$", "$ref": "#/$defs/a", "$defs": {"a": {"items": {}}}}, [1]]'],
        (DataError, Uncheckable),
    ),
    "patch": Target(
        _patch, [b'[{"op": "copy", "from": "/a", "path": "/a/c"}, {"op": "add", "path": "/a/b/-", "value": 1}]'],
        (DataError, BadPatch),
    ),
    "occubench": Target(
        lambda data: from_occubench(as_object(data, HERE), HERE),
        [b'{"environment_name": "e", "world_model_system_prompt": "p", "action_set_definitions": '
         b'[{"name": "a", "parameters": {"type": "object"}}], "task_initial_state": {"a": 1}}'],
    ),
    "questions": Target(_text(lambda text: read_own(text, HERE)), [b'{"id": "a", "question": "q", "answer": "1"}']),
    "published questions": Target(
        _text(lambda text: read_published(text, HERE)),
        [b'uid,question,answer,source_docs,source_files\nU1,q,1,"corpus_file=a | pdf_page_number=1-3",a.txt\n'],
    ),
    "paper": Target(
        _file("a.md", lambda path: Handbook(path.parent).on({})),
        [b"---\nsection: 1\ntitle: t\nissued: 2026-01-01\nkind: k\n---\nText {{ 1 + 1 }}\n"],
    ),
    "manifest": Target(_file("manifest.json", read_manifest), [b'{"format": 1, "suite": "s"}']),
    "records": Target(
        _file("samples.jsonl", lambda path: list(read_lines(path, SampleRecord))),
        [b'{"sample": "a", "repeat": 0}\n'],
    ),
    "stream": Target(
        chat_completion,
        [b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {"choices": [{"finish_reason": "stop"}]}\n\n'
         b"data: [DONE]\n\n"],
        (ConnectionError, NotACompletion, ReportedFailure),
    ),
    "reply": Target(
        _reply,
        [b'{"content": "<think>a</think><tool_call>{\\"name\\": \\"look\\", \\"arguments\\": {}}</tool_call>"}'],
    ),
    "plan": Target(_text(our_plan), [b"workflow_1:\n  steps:\n  - name: a\n", b'{"workflow_1": {"steps": []}}']),
    "published plan": Target(_text(published_reading), [b'```json\n{"workflow_1": {"status": "x"}}\n```']),
}  # fmt: skip
