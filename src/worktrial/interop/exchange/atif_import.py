"""ATIF files as samples of a run: those that `worktrial export` wrote with their verdicts, others without."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.errors import DataError
from worktrial.interop.exchange.atif import FORMAT, OURS, messages_of
from worktrial.interop.exchange.imported import (
    FOREIGN_SUITE,
    ImportedSample,
    RunOrigin,
    foreign_call,
    foreign_sample,
    read_json,
)
from worktrial.language import JsonObject, JsonValue, Message
from worktrial.workplaces import Observation, ToolCall
from worktrial.workplaces.session import Origin


class _ToolCall(msgspec.Struct):
    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class _Result(msgspec.Struct):
    source_call_id: str | None = None
    content: str | list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class _Observation(msgspec.Struct):
    results: list[_Result]


class _Step(msgspec.Struct):
    step_id: int
    source: str
    message: str | list[dict[str, Any]]
    reasoning_content: str | None = None
    tool_calls: list[_ToolCall] | None = None
    observation: _Observation | None = None
    extra: dict[str, Any] | None = None


class _Agent(msgspec.Struct):
    name: str
    model_name: str | None = None


class _Document(msgspec.Struct):
    schema_version: str
    agent: _Agent
    steps: list[_Step]
    session_id: str | None = None
    trajectory_id: str | None = None
    extra: dict[str, Any] | None = None


class _Ours(msgspec.Struct):
    format: int
    run: RunOrigin
    record: SampleRecord
    work: dict[str, Any] | None


def is_atif(path: Path) -> bool:
    """Whether a file looks like one, by its first kilobyte."""
    with path.open("rb") as file:
        start = file.read(1024)
    return start.lstrip().startswith(b"{") and b"ATIF" in start


def read_atif(path: Path, suite: str | None = None) -> Iterator[ImportedSample]:
    """The sample in an ATIF file.

    Args:
        path: The file.
        suite: Suite whose tasks files of other programs are about; its ids are then their `trajectory_id`,
            `session_id` or file names.

    Raises:
        DataError: the file is damaged, or of a newer Worktrial.
    """
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
        kept = (document.extra or {}).get(OURS)
        ours = None if kept is None else msgspec.convert(kept, _Ours)
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise DataError(path, f"not a trajectory in ATIF: {e}", "Export it again, or leave it out") from None
    if ours is None:
        yield _foreign(path, document, suite)
        return
    if ours.format != FORMAT:
        raise DataError(path, f"field extra.{OURS} has format {ours.format}, and this version reads {FORMAT}")
    if ours.work is None:
        yield ImportedSample(path, ours.run, ours.record, [], [], None)
        return
    messages: list[Message] = []
    calls: list[ToolCall] = []
    for step in document.steps:
        messages += _messages(path, step)
        calls += _calls(path, step)
    calls.sort(key=lambda call: call.index)
    yield ImportedSample(path, ours.run, ours.record, messages, calls, ours.work)


def _messages(path: Path, step: _Step) -> list[Message]:
    extra = step.extra or {}
    if extra.get("conversation") is False:
        return []
    kept = extra.get("messages")
    if kept is None:
        return messages_of(msgspec.to_builtins(step))
    try:
        return msgspec.convert(kept, list[JsonObject])
    except msgspec.ValidationError as e:
        raise DataError(path, f"step {step.step_id}, extra.messages: {e}") from None


def _calls(path: Path, step: _Step) -> Iterator[ToolCall]:
    results = {result.source_call_id: result for result in (step.observation.results if step.observation else ())}
    for asked in step.tool_calls or ():
        extra = asked.extra or {}
        if "index" not in extra:
            continue
        result = results.get(asked.tool_call_id)
        if result is None:
            raise DataError(path, f"step {step.step_id}: the call {asked.tool_call_id!r} has no result")
        found = result.extra or {}
        content = found["observation"] if "observation" in found else read_json(str(result.content))
        try:
            yield ToolCall(
                index=msgspec.convert(extra["index"], int),
                turn=msgspec.convert(extra.get("turn", 0), int),
                tool=asked.function_name,
                arguments=extra.get("arguments", asked.arguments),
                observation=Observation(
                    msgspec.convert(content, JsonObject),
                    Origin(found.get("origin", Origin.RECORDED)),
                    found.get("exchange", []),
                    found.get("clean"),
                    found.get("fault"),
                ),
                seconds=msgspec.convert(extra.get("seconds", 0.0), float),
            )
        except ValueError as e:
            raise DataError(path, f"step {step.step_id}, call {asked.tool_call_id!r}: {e}") from None


def _foreign(path: Path, document: _Document, suite: str | None) -> ImportedSample:
    messages: list[Message] = []
    calls: list[ToolCall] = []
    turn = -1
    for step in document.steps:
        messages += ({**m, "content": _as_text(m["content"])} for m in messages_of(msgspec.to_builtins(step)))
        turn += step.source == "agent"
        results = {r.source_call_id: r.content for r in (step.observation.results if step.observation else ())}
        for asked in step.tool_calls or ():
            result = _as_text(results.get(asked.tool_call_id))
            calls.append(foreign_call(len(calls), max(0, turn), asked.function_name, asked.arguments, result))
    said = [step for step in document.steps if step.source == "agent"]
    told = [step for step in document.steps if step.source == "user"]
    settings: JsonObject = {"agent": document.agent.model_name or document.agent.name}
    return foreign_sample(
        path,
        RunOrigin(suite or FOREIGN_SUITE, {}, settings),
        document.trajectory_id or document.session_id or path.stem,
        instruction=str(_as_text(told[0].message)) if told else "",
        messages=messages,
        calls=calls,
        answer=str(_as_text(said[-1].message)) if said and not said[-1].tool_calls else "",
    )


def _as_text(content: str | list[dict[str, Any]] | None) -> JsonValue:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content
