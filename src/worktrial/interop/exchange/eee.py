"""Runs for the store of Every Eval Ever (schema 0.3): an aggregate for each run, its samples as agentic instances.

Nothing of that package is needed to write them; `every_eval_ever validate` checks them.
"""

import datetime as dt
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import model_of
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.interop.exchange.standing import in_words, standing, version_of, who
from worktrial.interop.exchange.work import Turn, WorkedSample, json_line, turns, worked_samples
from worktrial.language import JsonObject, JsonValue
from worktrial.results.completion import CompletionEstimate
from worktrial.results.exports.files import Exported, new_folder
from worktrial.results.tables.source import RunSource

VERSION = "0.3.0"
_MODEL = re.compile(r"[\w.+-]+/[\w.+-]+")
_UNKNOWN = "not stated"
_EPOCH = "1970-01-01T00:00:00+00:00"
_METHOD = "Agresti-Coull, by scenario; see the page on statistics"


def export_eee(
    sources: Sequence[RunSource],
    out: Path,
    *,
    force: bool = False,
    model_id: str | None = None,
    organization: str | None = None,
) -> Exported:
    """Write each run as the store holds it: `OUT/data/worktrial-SUITE/DEVELOPER/MODEL/UUID.json` and its samples.

    Args:
        sources: Runs of agents that call tools in workplaces.
        out: The folder.
        force: Whether files there may be replaced.
        model_id: Name of the agent's model as ORG/NAME, where the run's own is not of that form.
        organization: Name of whoever provides the data.

    Raises:
        SettingError: a model has no such name, or there is something at the place, and not `force`.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    lost: Counter[str] = Counter()
    written = 0
    with new_folder(out, force=force) as folder:
        for source in sources:
            written += _write(source, folder, _identity(source, model_id), organization or _UNKNOWN, lost)
    return Exported(written, [f"{count:,} {what}" for what, count in lost.items()])


def _identity(source: RunSource, given: str | None) -> str:
    agent, model = who(source)
    # Agents without a model are ours, or a user's function.
    name = given or (f"worktrial/{agent}" if model is None else model)
    if not _MODEL.fullmatch(name):
        raise SettingError(
            f"{source.folder}: {name} does not say whose model it is; name it as ORG/NAME with {option('model_id')}"
        )
    return name


def _write(source: RunSource, folder: Path, model: str, organization: str, lost: Counter[str]) -> int:
    manifest = source.manifest
    when = _end(manifest)
    evaluation = f"worktrial-{manifest.suite}/{model}/{when.timestamp():.0f}"
    digest = sha256(f"{evaluation}/{source.name}/{manifest.data.get('fingerprint')}".encode()).digest()
    name = uuid.UUID(bytes=digest[:16], version=4)
    place = f"data/worktrial-{manifest.suite}/{model}/{name}_samples.jsonl"
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    checksum, rows = sha256(), 0
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for sample in worked_samples(source):
            line = json_line(_instance(sample, evaluation, model, manifest.suite, lost))
            file.write(line)
            checksum.update(line)
            rows += 1
    detailed = {
        "format": "jsonl",
        "file_path": place,
        "hash_algorithm": "sha256",
        "checksum": checksum.hexdigest(),
        "total_rows": rows,
    }
    aggregate = {
        "schema_version": VERSION,
        "evaluation_id": evaluation,
        "evaluation_timestamp": when.isoformat(),
        "retrieved_timestamp": f"{when.timestamp():.0f}",
        "source_metadata": {
            "source_name": "Worktrial",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": "worktrial", "version": version_of(source)},
        "model_info": _model_info(model),
        "evaluation_results": [
            _result(source, condition, done, when) for condition, done in standing(source).items()
        ],
        **({"detailed_evaluation_results": detailed} if rows else {}),
    }
    if not rows:
        path.unlink()
    aggregate_path = path.with_name(f"{name}.json")
    aggregate_path.write_bytes(msgspec.json.format(encoder.encode(aggregate), indent=2) + b"\n")
    return rows


def _end(manifest: Manifest) -> dt.datetime:
    """End of the run, or the beginning of its last session."""
    last = manifest.sessions[-1] if manifest.sessions else None
    return dt.datetime.fromisoformat(_EPOCH if last is None else last.ended or last.started)


def _model_info(model: str) -> JsonObject:
    return {
        "name": model.partition("/")[2],
        "id": model,
        "developer": model.partition("/")[0],
        "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
    }


def _result(source: RunSource, condition: str, done: CompletionEstimate, when: dt.datetime) -> JsonObject:
    manifest = source.manifest
    counts = done.counts
    details = {"passed": counts.passed, "failed": counts.failed, "invalid": counts.invalid}
    said = {name: str(count) for name, count in details.items()}
    if done.of_valid is not None:
        said["completion_rate_of_valid"] = repr(done.of_valid.value)
    if (judge := model_of(manifest, "judge")) is not None:
        said["judge"] = judge
    if (simulator := model_of(manifest, "simulator")) is not None:
        said["simulator"] = simulator
    score: JsonObject = {"score": 0.0, "details": said}
    if done.of_all is not None:
        low, high = done.of_all.interval.low, done.of_all.interval.high
        interval = {"lower": low, "upper": high, "confidence_level": 0.95, "method": _METHOD}
        score["score"] = done.of_all.value
        score["uncertainty"] = {"confidence_interval": interval, "num_samples": counts.of_all.n}
    return {
        "evaluation_result_id": _result_id(condition),
        "evaluation_name": f"worktrial-{manifest.suite}-{condition}",
        "evaluation_timestamp": when.isoformat(),
        "source_data": {
            "dataset_name": manifest.suite,
            "source_type": "other",
            "additional_details": {"fingerprint": str(manifest.data.get("fingerprint", ""))},
        },
        "metric_config": {
            "evaluation_description": in_words(condition, done),
            "metric_id": "completion_rate",
            "metric_name": "Completion rate",
            "metric_kind": "pass_rate",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
            "additional_details": {"condition": condition, "denominator": "all samples, invalid ones too"},
        },
        "score_details": score,
        "generation_config": {"additional_details": {"condition": condition}},
    }


def _result_id(condition: str) -> str:
    return f"completion_rate/{condition}"


def _instance(sample: WorkedSample, evaluation: str, model: str, suite: str, lost: Counter[str]) -> JsonObject:
    record = sample.record
    instruction = sample.text("instruction")
    messages = [*_messages(sample, lost)]
    answer = sample.text("answer")
    last = len(messages) - 1
    passed = record.outcome is Outcome.PASS
    invalid = record.outcome is Outcome.INVALID
    attribution = {
        "turn_idx": last,
        "source": f"messages[{last}].content",
        "extracted_value": answer,
        "extraction_method": "whole message",
        "is_terminal": True,
    }
    return {
        "schema_version": VERSION,
        "evaluation_id": evaluation,
        "model_id": model,
        "evaluation_name": f"worktrial-{suite}-{record.condition}",
        "evaluation_result_id": _result_id(record.condition),
        "sample_id": record.sample,
        "sample_hash": sha256(instruction.encode()).hexdigest(),
        "interaction_type": "agentic",
        "input": {"raw": instruction, "reference": []},
        "messages": messages,
        "answer_attribution": [attribution] if answer and messages else [],
        "evaluation": {
            "score": float(passed),
            "is_correct": passed,
            # Null rather than none: the format counts from 1.
            "num_turns": record.turns or None,
            "tool_calls_count": record.calls,
        },
        **_usage(record),
        "performance": {"latency_ms": record.seconds * 1000},
        **({"error": record.reason} if invalid else {}),
        "metadata": _metadata(record),
    }


def _metadata(record: SampleRecord) -> dict[str, str]:
    tags = {name: _text(value) for name, value in record.tags.items()}
    said = {"outcome": record.outcome.value, "reason": record.reason, "condition": record.condition}
    faults = {"faults": _text(record.fault_ledger)} if record.fault_ledger else {}
    return {**tags, **said, "repeat": str(record.repeat), **faults}


def _usage(record: SampleRecord) -> JsonObject:
    used = record.usage.get("agent")
    if used is None:
        return {}
    return {
        "token_usage": {
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "total_tokens": used.input_tokens + used.output_tokens,
            "input_tokens_cache_read": used.cached_tokens,
        }
    }


def _messages(sample: WorkedSample, lost: Counter[str]) -> Iterator[JsonObject]:
    number = 0
    for turn in turns(sample):
        yield {"turn_idx": number, **_said(turn, lost)}
        number += 1
        for part in turn.calls:
            if part.shown is not None:
                yield {"turn_idx": number, "role": "tool", "content": part.shown, "tool_call_id": [part.id]}
                number += 1


def _said(turn: Turn, lost: Counter[str]) -> JsonObject:
    said: JsonObject = {"role": turn.role, "content": turn.text}
    if turn.reply is not None and turn.reply.thinking:
        said["reasoning_trace"] = turn.reply.thinking
    if turn.calls:
        said["tool_calls"] = [
            {"id": part.id, "name": part.tool, "arguments": _arguments(part.arguments, lost)} for part in turn.calls
        ]
    return said


def _arguments(given: JsonValue, lost: Counter[str]) -> dict[str, str]:
    if not isinstance(given, Mapping):
        lost["calls have arguments that are no object: they are under the name arguments"] += 1
        return {"arguments": _text(given)}
    if any(not isinstance(value, str) for value in given.values()):
        lost["calls have arguments that are no texts: the format has them as JSON in texts"] += 1
    return {name: _text(value) for name, value in given.items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
