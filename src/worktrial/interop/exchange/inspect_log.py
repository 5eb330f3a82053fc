"""Runs as logs of Inspect AI (`.eval`): one file for each condition, a sample for each member of the archive.

The format is that of inspect-ai 0.3.285, log version 2. Nothing of that package is needed to write it.
"""

import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import IO

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.interop.exchange.atif import steps_of
from worktrial.interop.exchange.standing import in_words, of_condition, version_of, who
from worktrial.interop.exchange.tools import ToolsOf, tools_of
from worktrial.language import JsonObject, JsonValue
from worktrial.results.exports.files import Exported, new_folder
from worktrial.results.figure import RunFigures
from worktrial.results.shown import tally_shown
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import WorkedSample, worked_samples
from worktrial.statistics import Figure

LOG_VERSION = 2
_EPOCH = "1970-01-01T00:00:00+00:00"
_SCORER = "worktrial"


def export_inspect(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> Exported:
    """Write a log for each condition of each run into the folder `out`, named `RUN.CONDITION.eval`.

    Args:
        sources: Runs of agents that call tools in workplaces.
        out: The folder.
        force: Whether files there may be replaced.

    Raises:
        SettingError: a run's samples have no such form, or there is something at the place, and not `force`.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    lost: Counter[str] = Counter()
    written = 0
    with new_folder(out, force=force) as folder:
        for source in sources:
            written += _write(source, folder, lost)
    return Exported(written, [f"{count:,} {what}" for what, count in lost.items()])


def _write(source: RunSource, folder: Path, lost: Counter[str]) -> int:
    figures = tally_shown(source.folder).figures()
    tools = tools_of(source)
    written = 0
    with ExitStack() as files:
        logs: dict[str, _Log] = {}
        for sample in worked_samples(source.folder):
            condition = sample.record.condition
            if condition not in logs:
                name = f"{source.name}.{condition}".replace("/", "-")
                log = _Log(source, condition, figures, tools, lost)
                logs[condition] = files.enter_context(log.opened(folder / f"{name}.eval"))
            logs[condition].add(sample, steps_of(sample, lost))
            written += 1
    return written


@dataclass(slots=True)
class _Log:
    """One `.eval` file that is being written."""

    source: RunSource
    condition: str
    figures: RunFigures
    tools: ToolsOf
    lost: Counter[str]
    _archive: zipfile.ZipFile = field(init=False)
    _summaries: IO[bytes] = field(init=False)
    _epochs: int = 1
    _first: str = ""
    _last: str = ""

    @contextmanager
    def opened(self, path: Path) -> "Iterator[_Log]":
        with (
            tempfile.TemporaryFile() as self._summaries,
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as self._archive,
        ):
            yield self
            self._finish()

    def add(self, sample: WorkedSample, steps: Sequence[JsonObject]) -> None:
        """Write one sample, and remember what the list of all says of it."""
        record = sample.record
        finished = record.finished or _EPOCH
        self._epochs = max(self._epochs, record.repeat + 1)
        self._first, self._last = self._first or finished, finished
        offered = self.tools(record.sample)
        if offered is None:
            self.lost["samples are without the definitions of their tools, which the run does not hold"] += 1
        model = _model(self.source)
        messages, events = _told(steps, model, [*map(_tool, offered or ())], finished)
        score = _score(sample)
        head: JsonObject = {
            "id": record.sample,
            "epoch": record.repeat + 1,
            "input": sample.text("instruction"),
            "target": "",
            "metadata": {**record.tags, "condition": record.condition},
            "scores": {} if score is None else {_SCORER: score},
            "model_usage": _usage(record, model),
            "completed_at": finished,
            "total_time": record.seconds,
            "uuid": sha256(f"{self.source.name}/{record.key}".encode()).hexdigest()[:22],
        }
        error = None if score is not None else {"message": record.reason, "traceback": "", "traceback_ansi": ""}
        if score is not None:
            events.append({**_event("score", finished), "score": score, "intermediate": False})
        else:
            events.append({**_event("error", finished), "error": error})
        last = next((m for m in reversed(messages) if m["role"] == "assistant"), None)
        whole = {
            **head,
            "messages": messages,
            "output": _output(model, last),
            "store": {},
            "events": events,
            "events_data": {"messages": messages, "calls": []},
            "attachments": {},
            "turn_count": record.turns,
            **({} if error is None else {"error": error}),
        }
        self._put(f"samples/{record.sample}_epoch_{record.repeat + 1}.json", whole)
        summary = {
            **head,
            "completed": True,
            "message_count": len(messages),
            "retries": 0,
            **({} if error is None else {"error": record.reason}),
        }
        self._summaries.write((b"[" if self._summaries.tell() == 0 else b",") + msgspec.json.encode(summary))

    def _finish(self) -> None:
        self._summaries.write(b"]")
        self._summaries.seek(0)
        with self._archive.open("summaries.json", "w") as member:
            shutil.copyfileobj(self._summaries, member)
        spec = self._spec()
        plan = {"name": "plan", "steps": [], "config": {}}
        self._put("_journal/start.json", {"version": LOG_VERSION, "eval": spec, "plan": plan})
        stats = {"started_at": self._first, "completed_at": self._last, "model_usage": {}, "role_usage": {}}
        self._put(
            "header.json",
            {
                "version": LOG_VERSION,
                "status": "success",
                "eval": spec,
                "plan": plan,
                "results": self._results(),
                "stats": stats,
            },
        )

    def _spec(self) -> JsonObject:
        source = self.source
        name, _ = who(source)
        said = {"agent": name, "condition": self.condition, "figures": of_condition(self.figures, self.condition)}
        n = self.figures.get("completion", self.condition).n
        return {
            "eval_id": sha256(f"{source.name}/{self.condition}".encode()).hexdigest()[:22],
            "run_id": sha256(source.name.encode()).hexdigest()[:22],
            "created": self._first,
            "task": source.manifest.suite,
            # Its own for each run: Inspect's viewer hides logs of one id but for the last, as retries.
            "task_id": f"{source.manifest.suite}@{self.condition}/{source.name}",
            "task_args": {"faults": self.condition},
            "dataset": {"name": source.manifest.suite, "samples": n // self._epochs, "shuffled": False},
            "model": _model(source),
            "config": {"epochs": self._epochs},
            "packages": {"worktrial": version_of(source)},
            "metadata": {**said, "notes": in_words(self.figures, self.condition)},
            "tags": [self.condition],
        }

    def _results(self) -> JsonObject:
        metrics = {
            name: {"name": name, "value": value, "params": {}}
            for figure in of_condition(self.figures, self.condition)
            for name, value in _metrics(figure)
        }
        n = self.figures.get("completion", self.condition).n
        invalid = self.figures.get("invalid", self.condition).hits or 0
        score = {"name": _SCORER, "scorer": _SCORER, "params": {}, "metrics": metrics}
        counted = {"scored_samples": n - invalid, "unscored_samples": invalid}
        return {"total_samples": n, "completed_samples": n - invalid, "scores": [{**score, **counted}]}

    def _put(self, name: str, value: JsonObject) -> None:
        self._archive.writestr(name, msgspec.json.encode(value))


def _metrics(figure: Figure) -> Iterator[tuple[str, float]]:
    """A figure and the ends of its interval as numbers with names of their own."""
    for name, value in (("", figure.value), ("_low", figure.low), ("_high", figure.high)):
        if value is not None and isfinite(value):
            yield f"{figure.name}{name}", value


def _model(source: RunSource) -> str:
    name, model = who(source)
    return model or f"none/{name}"


def _told(
    steps: Sequence[JsonObject], model: str, tools: Sequence[JsonObject], when: str
) -> tuple[list[JsonObject], list[JsonObject]]:
    """The messages of a sample, and its events: model, tool, and one of information for each fault."""
    messages: list[JsonObject] = []
    events: list[JsonObject] = []
    for step in steps:
        extra = step.get("extra")
        id = f"m{len(messages)}"
        if step["source"] != "agent":
            content = _content(step["message"])
            messages.append({"id": id, "role": step["source"], "content": content, "source": "input"})
            continue
        said: JsonObject = {"id": id, "role": "assistant", "content": step["message"], "source": "generate"}
        if thoughts := step.get("reasoning_content"):
            reasoning = {"type": "reasoning", "reasoning": thoughts}
            said["content"] = [reasoning, {"type": "text", "text": step["message"]}]
        calls = step.get("tool_calls", [])
        if calls:
            said["tool_calls"] = [_call(call) for call in calls]
        event = {**_event("model", when), "model": model, "input": [], "input_refs": [[0, len(messages)]]}
        event |= {"tools": tools, "tool_choice": "auto", "config": {}, "output": _output(model, said)}
        if (extra or {}).get("conversation", True):
            events.append(event)
        messages.append(said)
        results = {one["source_call_id"]: one for one in step.get("observation", {}).get("results", [])}
        for call in calls:
            _add_result(call, results.get(call["tool_call_id"]), messages, events, when)
    return messages, events


def _add_result(
    call: JsonObject, result: JsonObject | None, messages: list[JsonObject], events: list[JsonObject], when: str
) -> None:
    if result is None:
        return
    extra = result.get("extra", {})
    id, name, content = call["tool_call_id"], call["function_name"], result.get("content", "")
    messages.append(
        {
            "id": f"m{len(messages)}",
            "role": "tool",
            "content": content,
            "tool_call_id": id,
            "function": name,
            **({"metadata": extra} if extra else {}),
        }
    )
    event = {**_event("tool", when), "id": id, "function": name, "arguments": call["arguments"], "result": content}
    events.append({**event, "working_time": call.get("extra", {}).get("seconds", 0.0), "events": []})
    if "fault" in extra:
        fault = {"call": id, "tool": name, "fault": extra["fault"], "clean": extra.get("clean")}
        events.append({**_event("info", when), "source": _SCORER, "data": fault})


def _call(call: JsonObject) -> JsonObject:
    given = call.get("extra", {}).get("arguments")
    wrong = {} if given is None else {"parse_error": f"not an object: {given!r}"}
    return {
        "id": call["tool_call_id"],
        "function": call["function_name"],
        "arguments": call["arguments"],
        "type": "function",
        **wrong,
    }


def _content(message: JsonValue) -> JsonValue:
    if isinstance(message, str):
        return message
    return [
        {"type": "image", "image": part["source"]["path"]} if part["type"] == "image" else part for part in message
    ]


def _tool(spec: JsonObject) -> JsonObject:
    function = spec["function"]
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return {"name": function["name"], "description": function.get("description") or "", "parameters": schema}


def _event(kind: str, when: str) -> JsonObject:
    return {"event": kind, "timestamp": when, "working_start": 0.0}


def _output(model: str, message: JsonObject | None) -> JsonObject:
    if message is None:
        return {"model": model, "choices": [], "completion": ""}
    content = message["content"]
    text = content if isinstance(content, str) else content[-1]["text"]
    stop = "tool_calls" if message.get("tool_calls") else "stop"
    return {"model": model, "choices": [{"message": message, "stop_reason": stop}], "completion": text}


def _score(sample: WorkedSample) -> JsonObject | None:
    record = sample.record
    if record.outcome is Outcome.INVALID:
        return None
    return {
        "value": "C" if record.outcome is Outcome.PASS else "I",
        "answer": sample.text("answer"),
        "explanation": record.reason,
        "metadata": {"checks": record.checks, "votes": record.votes},
    }


def _usage(record: SampleRecord, model: str) -> JsonObject:
    used = record.usage.get("agent")
    if used is None:
        return {}
    return {
        model: {
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "total_tokens": used.input_tokens + used.output_tokens,
            "input_tokens_cache_read": used.cached_tokens,
        }
    }
