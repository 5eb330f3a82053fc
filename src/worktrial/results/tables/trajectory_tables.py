"""The tables that `trajectories.jsonl` fills: nearly all of a run's bytes, so they are read only when asked for."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from worktrial.results.tables.columns import Column, Kind, Table
from worktrial.results.tables.record_tables import text_or_none, whose_columns
from worktrial.results.tables.source import OfSample, RunSource

_NOTHING = msgspec.Raw(b"null")
_UNSAID = msgspec.Raw(b"")


class _Work(OfSample):
    instruction: object = None
    answer: object = None
    final_state: msgspec.Raw = _NOTHING


class _Observation(msgspec.Struct, frozen=True):
    content: msgspec.Raw = _UNSAID
    origin: str | None = None
    clean: msgspec.Raw = _NOTHING
    fault: str | None = None


class _Call(msgspec.Struct):
    index: int | None = None
    turn: int | None = None
    tool: str | None = None
    arguments: msgspec.Raw = _NOTHING
    observation: _Observation = _Observation()
    seconds: float | None = None
    agent: str | None = None
    workflow: str | None = None
    user_turn: int | None = None
    step: str | None = None


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: object = None


class _Asked(msgspec.Struct):
    function: _Function = _Function()


class _Answer(msgspec.Struct):
    """A domain agent's answer at one step of a turn-by-turn orchestration run."""

    step_id: object = None
    agent_id: str | None = None
    tool_calls: list[_Asked] | None = None


class _Calls(OfSample):
    calls: tuple[_Call, ...] = ()
    sub_agent_history: tuple[_Answer, ...] = ()


class _Team(msgspec.Struct):
    agent: str | None = None
    messages: tuple[dict[str, msgspec.Raw], ...] = ()


class _Turn(msgspec.Struct):
    work: tuple[_Team, ...] = ()


class _Messages(OfSample):
    messages: tuple[dict[str, msgspec.Raw], ...] = ()
    main_agent_history: tuple[dict[str, msgspec.Raw], ...] = ()
    sub_agent_history: tuple[dict[str, msgspec.Raw], ...] = ()
    turns: tuple[_Turn, ...] = ()


class _OfLine(NamedTuple):
    source: RunSource
    line: OfSample
    number: int
    row: object


class _Message(NamedTuple):
    source: RunSource
    line: OfSample
    number: int
    agent: str | None
    fields: dict[str, msgspec.Raw]
    user_turn: int | None = None


_WHOSE = whose_columns(lambda r: r.line)


def _works(source: RunSource) -> Iterator[_OfLine]:
    return (_OfLine(source, line, 0, line) for line in source.trajectories(_Work))


def _calls(source: RunSource) -> Iterator[_OfLine]:
    for line in source.trajectories(_Calls):
        calls: Sequence[_Call] = line.calls or _of_team(line.sub_agent_history)
        for number, call in enumerate(calls):
            yield _OfLine(source, line, number, call)


def _of_team(answers: Sequence[_Answer]) -> list[_Call]:
    return [
        _Call(
            tool=asked.function.name,
            arguments=_as_json(asked.function.arguments),
            agent=answer.agent_id,
            step=None if answer.step_id is None else str(answer.step_id),
        )
        for answer in answers
        for asked in answer.tool_calls or ()
    ]


def _as_json(arguments: object) -> msgspec.Raw:
    """Arguments as their JSON; what a model wrote that is no JSON, as a JSON string."""
    if isinstance(arguments, str):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError):
            arguments = msgspec.json.decode(arguments)
    return msgspec.Raw(msgspec.json.encode(arguments))


def _messages(source: RunSource) -> Iterator[_Message]:
    for line in source.trajectories(_Messages):
        number = 0
        for agent, user_turn, messages in _conversations(line):
            for fields in messages:
                said_by = _decoded(fields.get("agent_id")) if agent is None else agent
                yield _Message(source, line, number, said_by, fields, user_turn)
                number += 1


def _conversations(line: _Messages) -> Iterator[tuple[str | None, int | None, Sequence[dict[str, msgspec.Raw]]]]:
    yield None, None, line.messages
    yield None, None, line.main_agent_history
    yield None, None, line.sub_agent_history
    for number, turn in enumerate(line.turns):
        for team in turn.work:
            yield team.agent, number, team.messages


def _decoded(raw: msgspec.Raw | None) -> str | None:
    return None if raw is None else text_or_none(msgspec.json.decode(raw))


def _raw(raw: msgspec.Raw | None) -> str | None:
    """The text of a JSON value; None where nothing is said, or null."""
    if raw is None:
        return None
    text = bytes(raw)
    return None if text in (b"", b"null") else text.decode()


def _said(name: str, kind: Kind, meaning: str) -> Column:
    if kind is Kind.JSON:
        return Column(name, kind, meaning, lambda r: _raw(r.fields.get(name)))
    return Column(name, kind, meaning, lambda r: _decoded(r.fields.get(name)))


_SAID = ("role", "content", "tool_calls", "tool_call_id", "agent_id", "step_id")


def _rest(message: _Message) -> str | None:
    rest = {name: value for name, value in message.fields.items() if name not in _SAID}
    return msgspec.json.encode(rest).decode() if rest else None


TRAJECTORIES = Table(
    "trajectories",
    "one row for each sample that has a trajectory: task, answer, state",
    [
        *_WHOSE,
        Column(
            "instruction", Kind.TEXT, "what the agent was asked to do", lambda r: text_or_none(r.row.instruction)
        ),
        Column("answer", Kind.TEXT, "the agent's final answer", lambda r: text_or_none(r.row.answer)),
        Column(
            "final_state", Kind.JSON, "of the workplace, where code keeps it", lambda r: _raw(r.row.final_state)
        ),
    ],
    _works,
)

CALLS = Table(
    "calls",
    "one row for each tool call",
    [
        *_WHOSE,
        Column("index", Kind.INTEGER, "from 0", lambda r: r.number if r.row.index is None else r.row.index),
        Column("turn", Kind.INTEGER, "the agent's message that made the call, from 0", lambda r: r.row.turn),
        Column("tool", Kind.TEXT, "which was called", lambda r: r.row.tool),
        Column("arguments", Kind.JSON, "as the agent gave them", lambda r: _raw(r.row.arguments)),
        Column("observation", Kind.JSON, "what the agent saw", lambda r: _raw(r.row.observation.content)),
        Column(
            "origin",
            Kind.TEXT,
            "who produced it: executable, simulator, ledger, recorded, fault, refusal",
            lambda r: r.row.observation.origin,
        ),
        Column("fault", Kind.TEXT, "the kind of fault in it; null where none", lambda r: r.row.observation.fault),
        Column(
            "clean", Kind.JSON, "the true answer beside a degraded one", lambda r: _raw(r.row.observation.clean)
        ),
        Column("seconds", Kind.NUMBER, "until the observation was there", lambda r: r.row.seconds),
        Column("agent", Kind.TEXT, "the domain agent (orchestration)", lambda r: r.row.agent),
        Column("workflow", Kind.TEXT, "of the plan (orchestration)", lambda r: r.row.workflow),
        Column("user_turn", Kind.INTEGER, "from 0 (free-running orchestration)", lambda r: r.row.user_turn),
        Column("step", Kind.TEXT, "of the recorded history (turn-by-turn orchestration)", lambda r: r.row.step),
    ],
    _calls,
)

MESSAGES = Table(
    "messages",
    "one row for each message of the agent's conversation",
    [
        *_WHOSE,
        Column("index", Kind.INTEGER, "from 0", lambda r: r.number),
        _said("role", Kind.TEXT, "system, user, assistant, tool"),
        _said("content", Kind.TEXT, "as text; a list of parts as JSON"),
        _said("tool_calls", Kind.JSON, "that the message asks for"),
        _said("tool_call_id", Kind.TEXT, "which call a tool's message answers"),
        Column("agent", Kind.TEXT, "the domain agent that it belongs to (orchestration)", lambda r: r.agent),
        Column("user_turn", Kind.INTEGER, "of a domain agent's message (free-running)", lambda r: r.user_turn),
        Column("step", Kind.TEXT, "of the recorded history", lambda r: _decoded(r.fields.get("step_id"))),
        Column("rest", Kind.JSON, "every other field, such as reasoning", _rest),
    ],
    _messages,
)
