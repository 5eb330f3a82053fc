"""Runs as ATIF, the Agent Trajectory Interchange Format (v1.8): one JSON file for each sample.

The format: RFC 0001 of the Harbor project, and the package `atif`. What it has no field for goes into `extra`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.interop.exchange.standing import in_words, of_condition, version_of, who
from worktrial.interop.exchange.tools import tools_of
from worktrial.language import JsonObject, JsonValue, Message
from worktrial.results.exports.files import Exported, new_folder
from worktrial.results.shown import tally_shown
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import CallPart, Turn, WorkedSample, turns, worked_samples

VERSION = "ATIF-v1.8"

_PICTURE = re.compile(r"data:(image/(?:jpeg|png|gif|webp));")


def export_atif(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> Exported:
    """Write a file for each sample into the folder `out`; of several runs, each into a folder of its own in it.

    Args:
        sources: Runs of agents that call tools in workplaces.
        out: The folder.
        force: Whether files there may be replaced.

    Raises:
        SettingError: a run's samples have no such form, or there is something at the place, and not `force`.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    encoder = msgspec.json.Encoder()
    lost: Counter[str] = Counter()
    written = 0
    with new_folder(out, force=force) as folder:
        for source in sources:
            own = folder / source.name if len(sources) > 1 else folder
            own.mkdir(parents=True, exist_ok=True)
            for name, document in _documents(source, lost):
                (own / f"{name}.json").write_bytes(encoder.encode(document))
                written += 1
    return Exported(written, [f"{count:,} {what}" for what, count in lost.items()])


def _documents(source: RunSource, lost: Counter[str]) -> Iterator[tuple[str, JsonObject]]:
    figures = tally_shown(source.folder).figures()
    tools = tools_of(source)
    name, model = who(source)
    version = version_of(source)
    for sample in worked_samples(source.folder):
        record = sample.record
        offered = tools(record.sample)
        if offered is None:
            lost["samples are without the definitions of their tools, which the run does not hold"] += 1
        agent: JsonObject = {"name": name, "version": version}
        if model is not None:
            agent["model_name"] = model
        if offered is not None:
            agent["tool_definitions"] = offered
        steps = steps_of(sample, lost)
        yield (
            _file_name(record),
            {
                "schema_version": VERSION,
                "session_id": source.name,
                "trajectory_id": f"{source.name}/{record.sample}/{record.condition}/{record.repeat}",
                "agent": agent,
                "steps": steps,
                "notes": in_words(figures, record.condition),
                "final_metrics": _metrics(record, len(steps)),
                "extra": {
                    "outcome": record.outcome,
                    "reason": record.reason,
                    "suite": record.suite,
                    "condition": record.condition,
                    "checks": record.checks,
                    "votes": record.votes,
                    "figures": of_condition(figures, record.condition),
                },
            },
        )


def _file_name(record: SampleRecord) -> str:
    """Name of a sample that any file system takes, without an ending; no other sample of the run has it."""
    name = f"{record.sample}.{record.condition.replace('/', '-')}.r{record.repeat}"
    plain = re.sub(r"[^\w.+-]+", "-", name).lstrip(".-")[:100]
    return plain if plain == name else f"{plain}.{sha256(name.encode()).hexdigest()[:8]}"


def _metrics(record: SampleRecord, steps: int) -> JsonObject:
    metrics: JsonObject = {"total_steps": steps}
    agent = record.usage.get("agent")
    if agent is not None:
        metrics |= {
            "total_prompt_tokens": agent.input_tokens,
            "total_completion_tokens": agent.output_tokens,
            "total_cached_tokens": agent.cached_tokens,
        }
    if record.cost is not None:
        metrics["total_cost_usd"] = record.cost
    return metrics | {"extra": {"seconds": record.seconds, "turns": record.turns, "calls": record.calls}}


def steps_of(sample: WorkedSample, lost: Counter[str]) -> list[JsonObject]:
    """The steps of a sample.

    Args:
        sample: A sample and its work.
        lost: Counts what the format has no place for.
    """
    return list(_steps(sample, lost))


def _steps(sample: WorkedSample, lost: Counter[str]) -> Iterator[JsonObject]:
    number = 0
    for number, turn in enumerate(turns(sample), 1):
        yield {"step_id": number, **_step(turn, lost)}
    if not number:
        # Readers take no trajectory without a step.
        lost["samples have no work on record"] += 1
        said = f"No work is on record: {sample.record.reason}"
        yield {"step_id": 1, "source": "system", "message": said, "extra": {"no_work": True}}


def _step(turn: Turn, lost: Counter[str]) -> JsonObject:
    if turn.role != "assistant":
        message = _content(turn.messages[0], lost) if turn.messages else turn.text
        step: JsonObject = {"source": turn.role, "message": message}
    else:
        step = {"source": "agent", "message": turn.text}
        if turn.reply is not None and turn.reply.thinking:
            step["reasoning_content"] = turn.reply.thinking
    if turn.calls:
        step["tool_calls"] = [_call(part, lost) for part in turn.calls]
    results = [result for part in turn.calls if (result := _result(part)) is not None]
    if results:
        step["observation"] = {"results": results}
    if not turn.messages:
        step["extra"] = {"conversation": False}
    return step


def _call(part: CallPart, lost: Counter[str]) -> JsonObject:
    given = part.arguments
    call: JsonObject = {"tool_call_id": part.id, "function_name": part.tool}
    extra: JsonObject = {}
    if isinstance(given, dict):
        call["arguments"] = given
    else:
        lost["calls have arguments that are no object: they are in the call's extra"] += 1
        call["arguments"] = {}
        extra["arguments"] = given
    if part.call is not None:
        extra |= {"index": part.call.index, "turn": part.call.turn, "seconds": part.call.seconds}
    return call | {"extra": extra} if extra else call


def _result(part: CallPart) -> JsonObject | None:
    """The result of a call, with what the workplace really answered where a fault made something else of it."""
    result: JsonObject = {"source_call_id": part.id}
    if part.shown is not None:
        result["content"] = part.shown
    if part.call is None:
        return result if part.shown is not None else None
    seen = part.call.observation
    extra: JsonObject = {"origin": seen.origin}
    if seen.fault is not None:
        extra["fault"] = seen.fault
    if seen.clean is not None:
        extra["clean"] = seen.clean
    return result | {"extra": extra}


def _content(message: Message, lost: Counter[str]) -> JsonValue:
    """A message's content: a text, or parts where there is a picture among them."""
    content = message.get("content")
    if isinstance(content, list):
        return [*_content_parts(content, lost)]
    return content if isinstance(content, str) else ""


def _content_parts(content: Iterable[JsonValue], lost: Counter[str]) -> Iterator[JsonObject]:
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        address = part.get("image_url") if kind == "image_url" else None
        url = address.get("url") if isinstance(address, dict) else None
        found = _PICTURE.match(url) if isinstance(url, str) else None
        if isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str)):
            yield {"type": "text", "text": part if isinstance(part, str) else part["text"]}
        elif found is not None:
            yield {"type": "image", "source": {"media_type": found[1], "path": url}}
        else:
            lost["parts of messages are of no kind that the format has: they are in the step's extra"] += 1
            yield {"type": "text", "text": f"[{kind or 'a part'} left out]"}
