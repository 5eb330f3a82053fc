"""A stored run with every oddity that work on record can have, in the engine's own files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from tests.results.runs import record
from tests.support.run_files import store_work

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import RoleUsage, SampleRecord

Row = dict[str, Any]

PNG = "data:image/png;base64,iVBORw0KGgo="


def call(index: int, turn: int, tool: str, arguments: Any, content: Row | None = None, **seen: Any) -> Row:
    observation = {"content": content or {"ok": index}, "origin": "executable", "exchange": [], "clean": None}
    return {
        "index": index,
        "turn": turn,
        "tool": tool,
        "arguments": arguments,
        "observation": {**observation, "fault": None, **seen},
        "seconds": 0.25,
    }


def asked(name: str, arguments: Any, id: str = "c") -> Row:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def said(content: Any = None, *calls: Row, **more: Any) -> Row:
    return {"role": "assistant", "content": content, **({"tool_calls": [*calls]} if calls else {}), **more}


def result(content: Any, id: str = "c") -> Row:
    return {"role": "tool", "tool_call_id": id, "content": msgspec.json.encode(content).decode()}


TOLD = [{"role": "system", "content": "Work."}, {"role": "user", "content": "Do it."}]


def works() -> Iterator[tuple[str, list[Row], list[Row]]]:
    """Name of a sample, its conversation and its calls."""
    yield (
        "plain",
        [*TOLD, said(None, asked("look", "{}")), result({"ok": 0}), said("Done.")],
        [call(0, 0, "look", {})],
    )
    # Every call of a message has the same id, and arguments are written with spaces.
    yield (
        "same-ids",
        [*TOLD, said("Both.", asked("a", '{"x": 1}'), asked("b", '{"y":2}')), result({"ok": 0}), result({"ok": 1})],
        [call(0, 0, "a", {"x": 1}), call(1, 0, "b", {"y": 2})],
    )
    yield (
        "not-json",
        [*TOLD, said(None, asked("a", "{oops"), asked("b", "[1]", "d")), result({"ok": 0}), result({"ok": 1}, "d")],
        [call(0, 0, "a", "{oops", origin="refusal"), call(1, 0, "b", [1], origin="refusal")],
    )
    yield (
        "in-the-text",
        [
            *TOLD,
            said('<tool_call>{"name": "look", "arguments": {"at": "door"}}</tool_call>'),
            {"role": "user", "content": '<tool_response>\n{"ok":0}\n</tool_response>'},
            said("<think>Is it open?</think>It is."),
        ],
        [call(0, 0, "look", {"at": "door"})],
    )
    # A note to oneself never reaches the workplace.
    yield (
        "notes",
        [
            *TOLD,
            said(None, asked("note", '{"t":"x"}', "n"), asked("look", "{}", "l"), reasoning_content="Hm."),
            result({"kept": True}, "n"),
            result({"ok": 0}, "l"),
            said("", signature="xyz"),
        ],
        [call(0, 0, "look", {})],
    )
    yield (
        "faulted",
        [*TOLD, said(None, asked("look", "{}")), result({"error": "down"}), said("It is down.")],
        [call(0, 0, "look", {}, {"error": "down"}, origin="fault", fault="http_500", clean={"ok": 0})],
    )
    yield (
        "pictures",
        [
            {"role": "developer", "content": "Work."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "See."},
                    {"type": "image_url", "image_url": {"url": PNG}},
                    {"type": "input_audio", "input_audio": {"data": ""}},
                ],
            },
            said([{"type": "text", "text": "A door."}]),
        ],
        [],
    )
    yield "without-words", [], [call(0, 0, "look", {}), call(1, 0, "open", {"door": 1})]
    yield "never-answered", TOLD, []
    # Calls that no message made, of a turn that no message had.
    yield "astray", [*TOLD, said("Done.")], [call(0, 0, "look", {}), call(1, 7, "open", {})]
    yield "shown-otherwise", [*TOLD, said(None, asked("look", "{}")), result({"cut": 1})], [call(0, 0, "look", {})]
    yield "a/ä b:*?", [*TOLD, said("Done.")], []


def odd_run(folder: Path, **settings: Any) -> Path:
    """Write the run; a sample more is invalid and has no trajectory, and all ran twice, the first time in vain."""
    folder.mkdir(parents=True, exist_ok=True)
    records: list[SampleRecord] = []
    lines: list[Row] = []
    for number, (name, messages, calls) in enumerate(works()):
        outcome = "fail" if number % 3 == 2 else "pass"
        usage = {"agent": RoleUsage(requests=2, input_tokens=20, output_tokens=5)}
        found = record(name, outcome, "E2/3x2", calls=len(calls), turns=2, stop_reason="answered", usage=usage)
        records += [record(name, "invalid", "E2/3x2", reason="bad_reply: no JSON"), found]
        line = {
            **{"suite": "s", "sample": name, "repeat": 0, "condition": "E2/3x2"},
            **{"outcome": outcome, "reason": found.reason, "instruction": "Do it.", "clock": "2026-01-05T08:00"},
            **{"answer": "Done.", "stop_reason": "answered", "final_state": {"n": number}},
        }
        lines += [{**line, "messages": [], "calls": []}, {**line, "messages": messages, "calls": calls}]
    records.append(record("broken", "invalid", "E2/3x2", reason="endpoint_unavailable: 503"))
    manifest = Manifest(
        suite="s", data={"fingerprint": "f"}, settings={"agent": "m", **settings}, samples=len(lines) // 2 + 1
    )
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    store_work(folder, zip(records, [*lines, None], strict=True))
    return folder
