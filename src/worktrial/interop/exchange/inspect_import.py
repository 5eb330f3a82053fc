"""Logs of Inspect AI (`.eval`) as samples of a run: those that `worktrial export` wrote with their verdicts."""

import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.errors import DataError, extra
from worktrial.interop.exchange.atif import OURS
from worktrial.interop.exchange.atif_import import AtifStep, check_format, kept_sample, work_of_others
from worktrial.interop.exchange.imported import (
    FOREIGN_SUITE,
    MOST_OF_A_SAMPLE,
    ImportedSample,
    RunOrigin,
    bounded,
)
from worktrial.language import JsonObject, JsonValue

_HEADERS = ("header.json", "_journal/start.json")
_ZSTD = 93  # number of the compression in archives, which Python 3.11 does not know
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")


class _Kept(msgspec.Struct):
    format: int
    record: SampleRecord
    work: dict[str, Any] | None


class _Spec(msgspec.Struct):
    model: str = "unknown"
    metadata: dict[str, Any] | None = None


class _Header(msgspec.Struct):
    eval: _Spec


class _Call(msgspec.Struct):
    id: str
    function: str
    arguments: dict[str, Any]


class _Message(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]]
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None
    metadata: dict[str, Any] | None = None


class _Sample(msgspec.Struct):
    id: str | int
    epoch: int
    messages: list[_Message] = []
    metadata: dict[str, Any] = {}


def read_inspect(path: Path, suite: str | None = None) -> Iterator[ImportedSample]:
    """Samples of a log, one in memory at a time.

    Args:
        path: The log.
        suite: Suite whose tasks the log of another task is about, by the ids of its samples.

    Raises:
        DataError: the log is damaged, or of a newer Worktrial.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            header = next((name for name in _HEADERS if name in names), None)
            if header is None:
                raise DataError(path, f"no log of Inspect: it has no {_HEADERS[0]}")
            spec = msgspec.json.decode(_member(archive, header), type=_Header).eval
            origin = _origin(path, spec, suite)
            for name in names:
                if name.startswith("samples/"):
                    sample = msgspec.json.decode(_member(archive, name), type=_Sample)
                    yield _imported(path, origin, sample)
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror or e})", "Export it again, or leave it out") from None
    except (zipfile.BadZipFile, zlib.error, struct.error, ValueError, RecursionError, EOFError, RuntimeError) as e:
        raise DataError(path, f"a damaged log of Inspect: {e}", "Export it again, or leave it out") from None


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    """One member, with whichever compression Inspect writes."""
    info = archive.getinfo(name)
    if info.file_size > MOST_OF_A_SAMPLE:
        raise zipfile.BadZipFile(f"{name} has {info.file_size:,} bytes; at most {MOST_OF_A_SAMPLE:,} are read")
    if info.compress_type != _ZSTD:
        return bounded(archive.read(info))
    with extra("analysis", "Reading logs that Inspect wrote"):
        import pyarrow
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset)
    header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    file.seek(header[-2] + header[-1], 1)
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(file.read(info.compress_size)), "zstd") as stream:
        data: bytes = stream.read(MOST_OF_A_SAMPLE)
    return bounded(data)


def _origin(path: Path, spec: _Spec, suite: str | None) -> RunOrigin:
    kept = (spec.metadata or {}).get(OURS)
    if not isinstance(kept, dict):
        return RunOrigin(suite or FOREIGN_SUITE, {}, {"agent": spec.model})
    check_format(path, f"eval.metadata.{OURS}", kept.get("format", 0))
    return msgspec.convert(kept.get("run"), RunOrigin)


def _imported(path: Path, origin: RunOrigin, sample: _Sample) -> ImportedSample:
    steps = msgspec.convert(_steps(sample.messages), list[AtifStep])
    kept = sample.metadata.get(OURS)
    if kept is None:
        return work_of_others(path, origin, str(sample.id), steps, sample.epoch - 1)
    ours = msgspec.convert(kept, _Kept)
    check_format(path, f"sample {sample.id}: metadata.{OURS}", ours.format)
    return kept_sample(path, origin, ours.record, ours.work, steps)


def _steps(messages: Sequence[_Message]) -> list[JsonObject]:
    """Messages as the steps that `inspect_log` made them of."""
    steps: list[JsonObject] = []
    for message in messages:
        metadata = message.metadata or {}
        if message.role == "tool":
            if steps:
                _add_result(steps, message, metadata)
            continue
        text, thoughts = _content(message.content)
        source = {"assistant": "agent", "system": "system"}.get(message.role, "user")
        step: JsonObject = {"step_id": len(steps) + 1, "source": source, "message": text}
        if thoughts:
            step["reasoning_content"] = thoughts
        if message.tool_calls:
            extras = metadata.get("calls") or [None] * len(message.tool_calls)
            step["tool_calls"] = [
                {
                    "tool_call_id": call.id,
                    "function_name": call.function,
                    "arguments": call.arguments,
                    "extra": more,
                }
                for call, more in zip(message.tool_calls, extras, strict=True)
            ]
        if OURS in metadata:
            step["extra"] = metadata[OURS]
        steps.append(step)
    return steps


def _add_result(steps: list[JsonObject], message: _Message, metadata: Mapping[str, JsonValue]) -> None:
    text, _ = _content(message.content)
    # Calls of a message may be answered after another message; the call's own step has the result.
    asked = [call["tool_call_id"] for call in steps[-1].get("tool_calls", [])]
    owner = steps[-1]
    if message.tool_call_id not in asked:
        owner = next((s for s in reversed(steps) if _asks(s, message.tool_call_id)), owner)
    result = {"source_call_id": message.tool_call_id, "content": text, "extra": metadata.get(OURS)}
    owner.setdefault("observation", {"results": []})["results"].append(result)


def _asks(step: JsonObject, id: str | None) -> bool:
    return any(call["tool_call_id"] == id for call in step.get("tool_calls", []))


def _content(content: str | list[dict[str, Any]]) -> tuple[JsonValue, str]:
    """Words, and thoughts apart."""
    if isinstance(content, str):
        return content, ""
    thoughts = "".join(str(part.get("reasoning", "")) for part in content if part.get("type") == "reasoning")
    return "".join(str(part.get("text", "")) for part in content if part.get("type") == "text"), thoughts
