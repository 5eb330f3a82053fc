"""The tables that `manifest.json` and `samples.jsonl` fill."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.results.tables.columns import Column, Kind, Table
from worktrial.results.tables.source import RunSource


class _Finished(NamedTuple):
    source: RunSource
    record: SampleRecord


class _Part(NamedTuple):
    """One of a list's rows within a record."""

    source: RunSource
    record: SampleRecord
    number: int
    row: JsonObject


class _Used(NamedTuple):
    source: RunSource
    record: SampleRecord
    role: str
    usage: RoleUsage


def json_text(value: object) -> str:
    """`value` as JSON columns hold it."""
    return msgspec.json.encode(value).decode()


def whose_columns(record: Callable[[Any], Any]) -> list[Column]:
    """The four columns by which tables are joined.

    Args:
        record: From a row to what has the fields `sample`, `repeat` and `condition`; a row has a `source`.
    """
    return [
        Column("run", Kind.TEXT, "name of the run: the end of its folder's path", lambda r: r.source.name),
        Column("sample", Kind.TEXT, "the task's id", lambda r: record(r).sample),
        Column("repeat", Kind.INTEGER, "from 0", lambda r: record(r).repeat),
        Column("condition", Kind.TEXT, "under which faults: E0, E1, … or E2/3x2", lambda r: record(r).condition),
    ]


_WHOSE = whose_columns(lambda r: r.record)


def _finished(source: RunSource) -> Iterator[_Finished]:
    return (_Finished(source, record) for record in source.records())


def _parts(field: str) -> Callable[[RunSource], Iterator[_Part]]:
    def rows(source: RunSource) -> Iterator[_Part]:
        for record in source.records():
            for number, row in enumerate(getattr(record, field)):
                yield _Part(source, record, number, row)

    return rows


def _used(source: RunSource) -> Iterator[_Used]:
    for record in source.records():
        for role, usage in record.usage.items():
            yield _Used(source, record, role, usage)


def _field(name: str, kind: Kind, meaning: str, key: str | None = None) -> Column:
    """A column that is a field of a stored row."""
    stored = key or name
    if kind is Kind.JSON:
        return Column(name, kind, meaning, lambda r: json_text(r.row[stored]) if stored in r.row else None)
    if kind is Kind.TEXT:
        # Whatever a row says there, the column is text.
        return Column(name, kind, meaning, lambda r: text_or_none(r.row.get(stored)))
    return Column(name, kind, meaning, lambda r: r.row.get(stored))


def text_or_none(value: object) -> str | None:
    """A value as text; what is no text as JSON."""
    return value if value is None or isinstance(value, str) else json_text(value)


def _of_record(name: str, kind: Kind, meaning: str) -> Column:
    return Column(name, kind, meaning, lambda r: getattr(r.record, name))


def _tag(name: str, meaning: str) -> Column:
    return Column(name, Kind.TEXT, meaning, lambda r: text_or_none(r.record.tags.get(name)))


def _list(name: str, meaning: str) -> Column:
    return Column(name, Kind.JSON, meaning, lambda r: json_text(getattr(r.record, name)))


def _tokens(name: str, meaning: str) -> Column:
    return Column(name, Kind.INTEGER, meaning, lambda r: sum(getattr(u, name) for u in r.record.usage.values()))


def _passed(finished: _Finished) -> bool | None:
    return None if finished.record.outcome is Outcome.INVALID else finished.record.outcome is Outcome.PASS


def _invalid_reason(finished: _Finished) -> str | None:
    record = finished.record
    return record.reason.partition(":")[0] if record.outcome is Outcome.INVALID else None


def _finish(finished: _Finished) -> datetime | None:
    return time_or_none(finished.record.finished, f"{finished.source.folder}: sample {finished.record.sample}")


def time_or_none(text: str | None, where: object) -> datetime | None:
    """A stored time, in UTC and without a zone.

    Raises:
        DataError: it is not in ISO 8601.
    """
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise DataError(where, f"{text!r} is no time", "Write it in ISO 8601") from None
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


SAMPLES = Table(
    "samples",
    "one row for each finished sample",
    [
        *_WHOSE,
        Column("suite", Kind.TEXT, "which suite the sample is from", lambda r: r.record.suite),
        Column(
            "mode", Kind.TEXT, "the condition's mode: E0, E1, E2, E3", lambda r: r.record.condition.split("/")[0]
        ),
        Column("outcome", Kind.TEXT, "pass, fail or invalid", lambda r: r.record.outcome.value),
        Column("passed", Kind.BOOLEAN, "whether it passed; null where invalid", _passed),
        _of_record("reason", Kind.TEXT, "the verdict's ground, or why the sample is invalid"),
        Column("invalid_reason", Kind.TEXT, "the kind of that reason; null unless invalid", _invalid_reason),
        _of_record("stop_reason", Kind.TEXT, "why the agent's work ended"),
        _tag("category", "industry, or the kind of task"),
        _tag("domain", "field within the industry"),
        _tag("scenario", "what the task is a case of"),
        _tag("difficulty", "as the suite names it, as text"),
        _tag("language", "of the task"),
        _of_record("cost", Kind.NUMBER, "US dollars; null where a price is unknown"),
        _of_record("seconds", Kind.NUMBER, "wall clock"),
        _of_record("calls", Kind.INTEGER, "tool calls"),
        _of_record("turns", Kind.INTEGER, "assistant messages"),
        _tokens("requests", "to models, of all roles"),
        _tokens("input_tokens", "of all roles"),
        _tokens("output_tokens", "of all roles"),
        _tokens("cached_tokens", "of the input tokens, those the endpoint had cached"),
        _of_record("replayed", Kind.INTEGER, "requests answered from the request cache"),
        Column("faults_planned", Kind.INTEGER, "events planned", lambda r: len(r.record.fault_plan)),
        Column("faults_met", Kind.INTEGER, "degraded calls", lambda r: len(r.record.fault_ledger)),
        _of_record("clock", Kind.TEXT, "date and time at the workplace"),
        Column("finished", Kind.TIME, "when, in UTC", _finish),
        _list("tags", "everything the sample can be grouped by"),
        _list("measures", "what the suite measured beside the outcome"),
    ],
    _finished,
)

USAGE = Table(
    "usage",
    "one row for each role of each sample",
    [
        *_WHOSE,
        Column("role", Kind.TEXT, "agent, simulator, judge, …", lambda r: r.role),
        Column("requests", Kind.INTEGER, "to the role's model", lambda r: r.usage.requests),
        Column("input_tokens", Kind.INTEGER, "as reported", lambda r: r.usage.input_tokens),
        Column("output_tokens", Kind.INTEGER, "as reported", lambda r: r.usage.output_tokens),
        Column("cached_tokens", Kind.INTEGER, "of the input tokens", lambda r: r.usage.cached_tokens),
        Column("cost", Kind.NUMBER, "US dollars; null where the price is unknown", lambda r: r.usage.cost),
    ],
    _used,
)

VOTES = Table(
    "votes",
    "one row for each vote of a judge",
    [
        *_WHOSE,
        Column("vote", Kind.INTEGER, "in the order cast, from 0", lambda r: r.number),
        _field("is_correct", Kind.BOOLEAN, "null is no vote"),
        _field("probability", Kind.NUMBER, "of yes, by the log-probability method"),
        _field("feedback", Kind.TEXT, "the judge's grounds"),
        _field("attempts", Kind.INTEGER, "replies until the vote could be read"),
        _field("problem", Kind.TEXT, "why there is no vote, or what was wrong with the first reply"),
        _field("reason", Kind.TEXT, "the endpoint's trouble, where that is why there is no vote"),
        _field("raw", Kind.JSON, "the replies as received"),
    ],
    _parts("votes"),
)

CHECKS = Table(
    "checks",
    "one row for each check of the state or the answer",
    [
        *_WHOSE,
        Column("number", Kind.INTEGER, "from 0", lambda r: r.number),
        # CHECK is a word of SQL, so a column of that name would need quotes.
        _field("claim", Kind.TEXT, "what was checked (`check` in the record)", "check"),
        _field("passed", Kind.BOOLEAN, "whether it is so"),
        _field("why", Kind.TEXT, "what was found"),
    ],
    _parts("checks"),
)

FAULT_EVENTS = Table(
    "fault_events",
    "one row for each planned stretch of faults",
    [
        *_WHOSE,
        _field("event", Kind.INTEGER, "from 0"),
        _field("mode", Kind.TEXT, "E1 or E2"),
        _field("kind", Kind.TEXT, "what goes wrong"),
        _field("first", Kind.INTEGER, "call or turn that it begins with, from 0"),
        _field("length", Kind.INTEGER, "how many"),
        _field("unit", Kind.TEXT, "call or turn"),
    ],
    _parts("fault_plan"),
)

FAULTS = Table(
    "faults",
    "one row for each call that was degraded",
    [
        *_WHOSE,
        _field("event", Kind.INTEGER, "of fault_events"),
        _field("call", Kind.INTEGER, "`index` in calls"),
        _field("turn", Kind.INTEGER, "the agent's message that made the call"),
        _field("tool", Kind.TEXT, "which was called"),
        _field("arguments", Kind.JSON, "as the agent gave them"),
        _field("mode", Kind.TEXT, "E1 or E2"),
        _field("kind", Kind.TEXT, "what went wrong"),
        _field("clean", Kind.TEXT, "hash of the true answer; null where the workplace was not asked"),
        _field("degraded", Kind.TEXT, "hash of what the agent saw"),
        _field("fields", Kind.JSON, "JSON pointers of what was touched"),
    ],
    _parts("fault_ledger"),
)

FAULT_MISSES = Table(
    "fault_misses",
    "one row for each part of the plan that did not happen",
    [
        *_WHOSE,
        _field("event", Kind.INTEGER, "of fault_events"),
        _field("call", Kind.INTEGER, "`index` in calls; null where the event was never reached"),
        _field("turn", Kind.INTEGER, "of that call"),
        _field("tool", Kind.TEXT, "of that call"),
        _field("why", Kind.TEXT, "refusal, error, nothing_to_degrade, not_an_object or not_reached"),
    ],
    _parts("fault_misses"),
)
