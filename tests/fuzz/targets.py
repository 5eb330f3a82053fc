"""Readers of what somebody else wrote, each with what it may raise and a few seeds of good input."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from tests.support.small_pdf import Sheet, write_pdf

from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page
from worktrial.archive.producers.files import ReadSettings
from worktrial.archive.producers.parsed import ParsedJsonReader, TextReader
from worktrial.archive.producers.sheets import SeparatedReader
from worktrial.archive.producers.web import HtmlReader
from worktrial.archive.store.record import read_manifest as read_archive_manifest
from worktrial.engine.lines import read_lines
from worktrial.engine.manifest import read_manifest
from worktrial.engine.providers.chat import read_completion
from worktrial.engine.providers.gemini import GeminiWire
from worktrial.engine.providers.messages import MessagesWire
from worktrial.engine.providers.responses import ResponsesWire
from worktrial.engine.providers.streams import chat_completion
from worktrial.engine.record import SampleRecord
from worktrial.engine.refusals import asked_to_wait, error_text
from worktrial.engine.remote import RUNS
from worktrial.engine.retry import endpoint_time, retry_after_seconds
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.segments import Segments, SegmentWriter, segment_path
from worktrial.engine.wire import Endpoint, ModelWire, NotACompletion, ReportedFailure
from worktrial.errors import DataError
from worktrial.grading.ballot import Unreadable, read_ballot
from worktrial.grading.logprob import statements
from worktrial.grading.rubric import Ballot
from worktrial.grading.state_checks import Check, run_checks
from worktrial.interop.serve.bodies import OpenRequest
from worktrial.interop.serve.bodies import read as read_body
from worktrial.language import Completion, read_reply
from worktrial.outside.files import as_json, as_object
from worktrial.outside.patches import BadPatch, patched
from worktrial.outside.schemas import SchemaCheck, Uncheckable, schema_fault
from worktrial.outside.yaml_files import json_of_yaml
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.sending import FolderShipment, claim_folder
from worktrial.stores.writers import StoreWriter
from worktrial.suites.documents.answers.ours import our_score
from worktrial.suites.documents.answers.published import published_score
from worktrial.suites.documents.question_files import read_own, read_published
from worktrial.suites.orchestration.planning.files import SourceFile
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.published_plan_text import published_reading
from worktrial.suites.orchestration.planning.release import BrokenFile, read_scenario
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.simulated.folder import read_suite_file
from worktrial.synthesis.sources.mcp import read_tool_list, tool_list
from worktrial.synthesis.sources.openapi import read_openapi
from worktrial.workplaces import Trajectory, load_workplace
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.loading.occubench import from_occubench

HERE = Path("here")
_CHECKS = [
    TypeAdapter[Any](Check).validate_python(check)
    for check in (
        {"check": "answer_time", "value": "2025-10-21T14:50"},
        {"check": "answer_date", "value": "2025-10-21"},
        {"check": "answer_number", "value": 12.5},
        {"check": "answer_money", "value": 12.5, "currency": "USD"},
        {"check": "answer_id", "value": "P-1"},
        {"check": "answer_mentions", "any_of": ["handed out"]},
    )
]
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


def _answer(text: str) -> None:
    run_checks(_CHECKS, initial_state={}, final_state={}, trajectory=Trajectory(answer=text))


def _scored(text: str) -> None:
    for gold in ("$1,234.5 million", "3 March 2021", "Ann; Bob", "12 %"):
        our_score(gold, text)
        published_score(gold, text)
    gold, _, answer = text.partition("|")
    our_score(gold, answer)
    published_score(gold, answer)


def _vote(text: str) -> None:
    read_ballot(Completion(message={"role": "assistant", "content": text}), Ballot, "abc123", "shown")


def _pages(path: Path) -> None:
    with open_pdf(path) as pdf:
        for number in range(1, min(pdf.pages, 2) + 1):
            read_page(pdf, number)


def _parsed(path: Path) -> None:
    reader = ParsedJsonReader(path, ReadSettings())
    for number in range(1, min(reader.pages, 3) + 1):
        reader.read(number)


def _foreign(make: Callable[[RoleSettings, Endpoint], ModelWire]) -> Callable[[bytes], object]:
    """Reader of a whole answer of a wire of its own."""
    url = "http://localhost:9/v1"
    return make(RoleSettings(role=Role.AGENT, model="a", base_url=url), Endpoint(url, "a")).read


def _file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def reads(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / name).write_bytes(data)
            read(Path(folder) / name)

    return reads


def _segment(data: bytes) -> None:
    """Every byte that a sealed segment holds, and one more."""
    with tempfile.TemporaryDirectory() as folder:
        path = segment_path(Path(folder), 1, sealed=True)
        path.parent.mkdir()
        path.write_bytes(data)
        with Segments(Path(folder)) as segments:
            segments.text(1, 0, segments.size(1) + 1)


def _sealed() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        writer = SegmentWriter(Path(folder))
        writer.add(b"x" * 2_000_000)
        writer.close(seal=True)
        return segment_path(Path(folder), 1, sealed=True).read_bytes()


@cache
def _stored() -> dict[str, bytes]:
    """Objects of a run in a store, by name."""
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        (Path(here) / "manifest.json").write_bytes(MANIFEST)
        (Path(here) / "samples.jsonl").write_bytes(b'{"suite": "s", "sample": "a"}\n' * 99)
        bucket = Bucket(f"file://{there}")
        found, _ = claim_folder(bucket, RUNS.name, StoreWriter(token="t", host="h", since="then"))
        FolderShipment(bucket, found, Path(here)).ship(RUNS.groups, done=True)
        return {name: path.read_bytes() for name in bucket.names() if (path := Path(there, name)).is_file()}


def _in_store(name: str) -> "Target":
    """Reader of a store in which the first object whose name begins with `name` is whatever it is."""
    changed = next(known for known in sorted(_stored()) if known.startswith(name))

    def reads(data: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for known, good in _stored().items():
                path = Path(folder, "run", known)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data if known == changed else good)
            shipping.bring(RUNS, shipping.open_folder(RUNS, f"file://{folder}/run"), Path(folder, "here"))

    return Target(reads, [_stored()[changed]])


OPENAPI = b"openapi: 3.1.0\npaths: {/x: {get: {operationId: a, parameters: [{name: q, in: query, schema: &s {}}]}}}"


def _small_pdf() -> bytes:
    sheet = Sheet().text(50, 50, "Total 1,234").box(40, 40, 90, 90)
    with tempfile.TemporaryDirectory() as folder:
        return write_pdf(Path(folder) / "a.pdf", [sheet]).read_bytes()


MANIFEST = b'{"format": 2, "suite": "s", "data": {}, "settings": {}, "samples": 1, "sessions": []}'
DATE = b"Thu, 01 Jan 2026 13:00:30 +0100"
_NO_ANSWER = (NotACompletion, ReportedFailure)
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
    "manifest": Target(_file("manifest.json", read_manifest), [MANIFEST]),
    "records": Target(
        _file("samples.jsonl", lambda path: list(read_lines(path, SampleRecord))),
        [b'{"suite": "s", "sample": "a", "repeat": 0, "outcome": "pass", "reason": "r"}\n'],
    ),
    "stream": Target(
        chat_completion,
        [b'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {"choices": [{"finish_reason": "stop"}]}\n\n'
         b"data: [DONE]\n\n"],
        (ConnectionError, NotACompletion, ReportedFailure),
    ),
    "completion": Target(
        read_completion,
        [b'{"choices": [{"message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"}]}'],
        _NO_ANSWER,
    ),
    "anthropic": Target(
        _foreign(MessagesWire),
        [b'{"content": [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "1", "name": "look", "input": {}}'
         b'], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 2}}'],
        _NO_ANSWER,
    ),
    "gemini": Target(
        _foreign(GeminiWire),
        [b'{"candidates": [{"content": {"parts": [{"text": "a"}, {"functionCall": {"name": "look", "args": {}}}]},'
         b' "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1}}'],
        _NO_ANSWER,
    ),
    "responses": Target(
        _foreign(ResponsesWire),
        [b'{"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}'
         b']}, {"type": "function_call", "call_id": "1", "name": "look", "arguments": "{}"}], "usage": {}}'],
        _NO_ANSWER,
    ),
    "error": Target(
        lambda data: (error_text(data), asked_to_wait(data)), [b'{"error": {"message": "a", "code": 4}}'], ()
    ),
    "retry after": Target(_text(lambda text: retry_after_seconds(text, endpoint_time(text))), [b"2", DATE], ()),
    "vote": Target(
        _text(_vote), [b'```json\n{"code": "abc123", "is_correct": true, "feedback": "a"}\n```'], (Unreadable,)
    ),
    "answer": Target(_text(_answer), [b"Due at 2:50 pm on 21 October 2025: P-1, USD 12.50, not handed out."], ()),
    "document answer": Target(_text(_scored), [b"$1,234.5 million|1.2 bn; 3 March 2021 <FINAL_ANSWER>12 %"], ()),
    "statements": Target(_text(statements), [b"1. It is so. 2) It is not.\n- a\n  * b; and c"], ()),
    "pdf": Target(_file("a.pdf", _pages), [_small_pdf()]),
    "parsed text": Target(
        _file("a.txt", lambda path: TextReader(path, ReadSettings()).read(1)),
        [b"a\n|b|c|\n|---|---|\n|1|2|\n\x0cd"],
    ),
    "separated values": Target(
        _file("a.csv", lambda path: SeparatedReader(path, ReadSettings()).read(1)),
        [b"Debt\n\nYear;Gross\n1938;1,5\n"],
    ),
    "web page": Target(
        _file("a.html", lambda path: HtmlReader(path, ReadSettings()).read(1)),
        [b"<html><h1>Debt</h1><table><tr><th>Year<th colspan=2>Gross<tr><td>1938<td>1<td>2</table><p>r revised"],
    ),
    "parsed document": Target(
        _file("a.json", _parsed),
        [b'{"document": {"elements": [{"type": "table", "content": "<table><tr><td rowspan=2>a</td></tr></table>", '
         b'"bbox": [{"page_id": 1, "coord": [0, 0, 9, 9]}]}], "pages": [{}]}}'],
    ),
    "workplace": Target(
        _file("workplace.yaml", lambda path: load_workplace(path.parent)),
        [b"name: d\nsystem_prompt: p\ntools: [{name: look, parameters: {type: object}}]\ninitial_state: {a: 1}\n"],
    ),
    "suite": Target(
        _file("suite.yaml", lambda path: read_suite_file(path.parent)), [b"format: 1\nkind: suite\nname: own\n"]
    ),
    "scenario": Target(
        _text(lambda text: read_scenario(SourceFile("1.yaml", "1", text), Language.EN)),
        [b"metadata: {total_steps: 1}\nsteps:\n- step_id: 1\n  agent: a\n  instruction: a\n  dependencies: []\n"],
        (BrokenFile,),
    ),
    "archive": Target(
        _file("manifest.json", lambda path: read_archive_manifest(path.parent)),
        [b'{"format_version": 1, "documents": []}'],
    ),
    "segment": Target(_segment, [_sealed()]),
    "store": _in_store("manifest.json"),
    "store pack": _in_store("packs/"),
    "request": Target(lambda data: read_body(OpenRequest, data), [b'{"sample": "a"}'], (ValueError,)),
    "reply": Target(
        _reply,
        [b'{"content": "<think>a</think><tool_call>{\\"name\\": \\"look\\", \\"arguments\\": {}}</tool_call>"}'],
    ),
    "plan": Target(_text(our_plan), [b"workflow_1:\n  steps:\n  - name: a\n", b'{"workflow_1": {"steps": []}}']),
    "published plan": Target(_text(published_reading), [b'```json\n{"workflow_1": {"status": "x"}}\n```']),
}  # fmt: skip
