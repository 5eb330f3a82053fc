"""The tables that stored work fills: nearly all of a run's bytes, so they are read only when asked for."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from worktrial.engine.record import SampleLine
from worktrial.results.tables.rows import key_columns
from worktrial.results.tables.schema import RunTable, columns_of, text_or_none
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import CallsLine, StoredCall, StoredObservation, calls_of

_NOTHING = msgspec.Raw(b"null")

Fields = dict[str, msgspec.Raw]


class _Work(SampleLine):
    instruction: object = None
    answer: object = None
    final_state: msgspec.Raw = _NOTHING


class _Function(msgspec.Struct, frozen=True):
    name: str | None = None
    arguments: object = None


class _Asked(msgspec.Struct):
    function: _Function = _Function()


class _Answer(msgspec.Struct):
    """A domain agent's answer at one step of a recorded history."""

    step_id: object = None
    agent_id: str | None = None
    tool_calls: list[_Asked] | None = None


class _Calls(CallsLine):
    sub_agent_history: tuple[_Answer, ...] = ()


class _Team(msgspec.Struct):
    agent: str | None = None
    messages: tuple[Fields, ...] = ()


class _Turn(msgspec.Struct):
    work: tuple[_Team, ...] = ()


class _Messages(SampleLine):
    messages: tuple[Fields, ...] = ()
    main_agent_history: tuple[Fields, ...] = ()
    sub_agent_history: tuple[Fields, ...] = ()
    turns: tuple[_Turn, ...] = ()


class _LineRow(NamedTuple):
    source: RunSource
    line: SampleLine
    row: object


@dataclass(slots=True)
class WorkRow:
    """The work on one sample, as the table `trajectories` shows it."""

    line: _Work

    @property
    def instruction(self) -> str | None:
        """Instruction that the agent was given."""
        return text_or_none(self.line.instruction)

    @property
    def answer(self) -> str | None:
        """Final answer of the agent."""
        return text_or_none(self.line.answer)

    @property
    def final_state(self) -> msgspec.Raw:
        """State of the workplace at the end, where code keeps it."""
        return self.line.final_state


@dataclass(slots=True)
class MessageRow:
    """One message, as the table `messages` shows it."""

    index: int
    """Place of the message in the sample, from 0."""
    agent: str | None
    """Domain agent that the message belongs to, where a team works."""
    user_turn: int | None
    """Turn of the user that a free-running team answers, from 0."""
    fields: Fields

    @property
    def role(self) -> str | None:
        """Role that speaks: system, user, assistant, tool."""
        return _decoded(self.fields.get("role"))

    @property
    def content(self) -> str | None:
        """Content as text; a list of parts as JSON."""
        return _decoded(self.fields.get("content"))

    @property
    def tool_calls(self) -> msgspec.Raw | None:
        """Tool calls that the message asks for."""
        return self.fields.get("tool_calls")

    @property
    def tool_call_id(self) -> str | None:
        """Call that a tool's message answers."""
        return _decoded(self.fields.get("tool_call_id"))

    @property
    def step(self) -> str | None:
        """Step of the recorded history."""
        return _decoded(self.fields.get("step_id"))

    @property
    def rest(self) -> msgspec.Raw | None:
        """Every other field, such as reasoning."""
        rest = {name: value for name, value in self.fields.items() if name not in _SAID}
        return msgspec.Raw(msgspec.json.encode(rest)) if rest else None


_SAID = ("role", "content", "tool_calls", "tool_call_id", "agent_id", "step_id")


def _works(source: RunSource) -> Iterator[_LineRow]:
    return (_LineRow(source, line, WorkRow(line)) for line in source.trajectories(_Work))


def _calls(source: RunSource) -> Iterator[_LineRow]:
    for line in source.trajectories(_Calls):
        found = calls_of(source.folder, line)
        for call, turn in zip(found.calls, found.turns, strict=True):
            call.turn = turn
            yield _LineRow(source, line, call)
        for call in () if found.calls else _of_team(line.sub_agent_history):
            yield _LineRow(source, line, call)


def _of_team(answers: Sequence[_Answer]) -> list[StoredCall]:
    asked_of = [(turn, asked) for turn, answer in enumerate(answers) for asked in answer.tool_calls or ()]
    return [
        StoredCall(
            index=number,
            turn=turn,
            tool=asked.function.name,
            arguments=_as_json(asked.function.arguments),
            agent=answers[turn].agent_id,
            step=None if answers[turn].step_id is None else str(answers[turn].step_id),
        )
        for number, (turn, asked) in enumerate(asked_of)
    ]


def _as_json(arguments: object) -> msgspec.Raw:
    """Arguments as their JSON; a text of a model that is no JSON as a JSON string."""
    if isinstance(arguments, str):
        with contextlib.suppress(msgspec.MsgspecError, UnicodeError):
            arguments = msgspec.json.decode(arguments)
    return msgspec.Raw(msgspec.json.encode(arguments))


def _messages(source: RunSource) -> Iterator[_LineRow]:
    for line in source.trajectories(_Messages):
        number = 0
        for agent, user_turn, messages in _conversations(line):
            for fields in messages:
                said_by = _decoded(fields.get("agent_id")) if agent is None else agent
                yield _LineRow(source, line, MessageRow(number, said_by, user_turn, fields))
                number += 1


def _conversations(line: _Messages) -> Iterator[tuple[str | None, int | None, Sequence[Fields]]]:
    yield None, None, line.messages
    yield None, None, line.main_agent_history
    yield None, None, line.sub_agent_history
    for number, turn in enumerate(line.turns):
        for team in turn.work:
            yield team.agent, number, team.messages


def _decoded(raw: msgspec.Raw | None) -> str | None:
    return None if raw is None else text_or_none(msgspec.json.decode(raw))


TRAJECTORIES = RunTable(
    "trajectories",
    "one row for each sample that has a trajectory: task, answer, state",
    [*key_columns("line"), *columns_of(WorkRow, within="row", apart=("line",))],
    _works,
)

CALLS = RunTable(
    "calls",
    "one row for each tool call",
    [
        *key_columns("line"),
        *columns_of(StoredCall, within="row"),
        *columns_of(StoredObservation, within="row.observation", named={"content": "observation"}),
    ],
    _calls,
)

MESSAGES = RunTable(
    "messages",
    "one row for each message of the agent's conversation",
    [*key_columns("line"), *columns_of(MessageRow, within="row", apart=("fields",))],
    _messages,
)
