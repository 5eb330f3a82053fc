"""ATIF files as samples of a run: those that `worktrial export` wrote with their verdicts, others without."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.errors import DataError
from worktrial.interop.exchange.atif import FORMAT, OURS, messages_of
from worktrial.interop.exchange.imported import (
    FOREIGN_SUITE,
    MOST_OF_A_SAMPLE,
    ImportedSample,
    RunOrigin,
    bounded,
    foreign_call,
    foreign_sample,
    read_json,
)
from worktrial.language import JsonObject, JsonValue, Message
from worktrial.outside.files import read_bytes
from worktrial.workplaces import Observation, ToolCall
from worktrial.workplaces.session import Origin


class AtifCall(msgspec.Struct):
    """A tool call of a step."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]
    extra: dict[str, Any] | None = None


class AtifResult(msgspec.Struct):
    """A result in a step."""

    source_call_id: str | None = None
    content: str | list[dict[str, Any]] | None = None
    extra: dict[str, Any] | None = None


class AtifObservation(msgspec.Struct):
    """Results of the calls of a step."""

    results: list[AtifResult]


class AtifStep(msgspec.Struct):
    """A step as a file in ATIF holds it."""

    step_id: int
    source: str
    message: str | list[dict[str, Any]]
    reasoning_content: str | None = None
    tool_calls: list[AtifCall] | None = None
    observation: AtifObservation | None = None
    extra: dict[str, Any] | None = None


class _Agent(msgspec.Struct):
    name: str
    model_name: str | None = None


class _Document(msgspec.Struct):
    schema_version: str
    agent: _Agent
    steps: list[AtifStep]
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
        document = msgspec.json.decode(bounded(read_bytes(path, most=MOST_OF_A_SAMPLE)), type=_Document)
        kept = (document.extra or {}).get(OURS)
        ours = None if kept is None else msgspec.convert(kept, _Ours)
    except (ValueError, RecursionError) as e:
        raise DataError(path, f"not a trajectory in ATIF: {e}", "Export it again, or leave it out") from None
    if ours is None:
        yield _foreign(path, document, suite)
        return
    check_format(path, f"extra.{OURS}", ours.format)
    yield kept_sample(path, ours.run, ours.record, ours.work, document.steps)


def check_format(where: object, field: str, found: int) -> None:
    """Refuse what a newer Worktrial wrote.

    Raises:
        DataError: it is of another format.
    """
    if found != FORMAT:
        raise DataError(where, f"field {field} has format {found}, and this version reads {FORMAT}")


def kept_sample(
    where: Path, run: RunOrigin, record: SampleRecord, work: JsonObject | None, steps: Sequence[AtifStep]
) -> ImportedSample:
    """The sample that `atif.steps_of` made these steps of.

    Raises:
        DataError: a step is damaged.
    """
    if work is None:
        return ImportedSample(where, run, record, [], [], None)
    messages: list[Message] = []
    calls: list[ToolCall] = []
    for step in steps:
        messages += _messages(where, step)
        calls += _calls(where, step)
    calls.sort(key=lambda call: call.index)
    return ImportedSample(where, run, record, messages, calls, work)


def _messages(path: Path, step: AtifStep) -> list[Message]:
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


def _calls(path: Path, step: AtifStep) -> Iterator[ToolCall]:
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
    settings: JsonObject = {"agent": document.agent.model_name or document.agent.name}
    origin = RunOrigin(suite or FOREIGN_SUITE, {}, settings)
    return work_of_others(path, origin, document.trajectory_id or document.session_id or path.stem, document.steps)


def work_of_others(
    path: Path, origin: RunOrigin, sample: str, steps: Sequence[AtifStep], repeat: int = 0
) -> ImportedSample:
    """The sample that another program recorded in these steps; it has no verdict."""
    messages: list[Message] = []
    calls: list[ToolCall] = []
    turn = -1
    for step in steps:
        messages += ({**m, "content": _as_text(m["content"])} for m in messages_of(msgspec.to_builtins(step)))
        turn += step.source == "agent"
        results = {r.source_call_id: r.content for r in (step.observation.results if step.observation else ())}
        for asked in step.tool_calls or ():
            result = _as_text(results.get(asked.tool_call_id))
            calls.append(foreign_call(len(calls), max(0, turn), asked.function_name, asked.arguments, result))
    said = [step for step in steps if step.source == "agent"]
    told = [step for step in steps if step.source == "user"]
    return foreign_sample(
        path,
        origin,
        sample,
        instruction=str(_as_text(told[0].message)) if told else "",
        messages=messages,
        calls=calls,
        answer=str(_as_text(said[-1].message)) if said and not said[-1].tool_calls else "",
        repeat=repeat,
    )


def _as_text(content: str | list[dict[str, Any]] | None) -> JsonValue:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content
