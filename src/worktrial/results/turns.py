"""Stored work of a sample, turn by turn: the one reader of its calls and messages.

A turn is one message of the agent with every call that it makes: none of these is a reaction to another. Of an
agent whose conversation is not on record (a Python function, a program, whoever comes through a door) each call is
a turn of its own.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from worktrial.engine.record import SampleLine, SampleRecord
from worktrial.engine.records import Records, WorkReader
from worktrial.engine.segments import WORK
from worktrial.errors import DataError, SettingError
from worktrial.language import JsonObject, JsonValue, Message, ModelReply, read_reply, tools_called
from worktrial.workplaces import ToolCall
from worktrial.workplaces.simulator.json_text import question

_NOTHING = msgspec.Raw(b"null")
_NONE = msgspec.Raw(b"[]")


class StoredObservation(msgspec.Struct, frozen=True):
    """An observation of a stored call."""

    content: msgspec.Raw = msgspec.Raw(b"")
    """Observation that the agent saw."""
    origin: str | None = None
    """Producer of the observation: executable, simulator, ledger, recorded, fault, refusal."""
    fault: str | None = None
    """Kind of the fault in the observation; null where there is none."""
    clean: msgspec.Raw = _NOTHING
    """Clean observation beside a degraded one."""


class StoredCall(msgspec.Struct):
    """A stored call, with values as their JSON; the full form is `ToolCall`."""

    index: int = 0
    """Place of the call in the trajectory, from 0."""
    turn: int = 0
    """Turn that the call belongs to, from 0: the agent's message that made it, or of an agent without messages the
    call itself."""
    tool: str | None = None
    """Tool that was called."""
    arguments: msgspec.Raw = _NOTHING
    """Arguments as the agent gave them."""
    observation: StoredObservation = StoredObservation()
    seconds: float | None = None
    """Seconds until the observation was there."""
    agent: str | None = None
    """Domain agent that made the call, where a team works."""
    workflow: str | None = None
    """Workflow of the team's plan that the call belongs to."""
    user_turn: int | None = None
    """Turn of the user that a free-running team answers, from 0."""
    step: str | None = None
    """Step of the recorded history that the call belongs to."""


class CallsLine(SampleLine):
    """A sample's line of work as far as its calls need it; see `calls_of`."""

    calls: msgspec.Raw = _NONE
    messages: msgspec.Raw = _NONE


class _Speaker(msgspec.Struct):
    role: object = None


class SampleCalls(NamedTuple):
    """The calls of a sample in order, as they were stored."""

    calls: list[StoredCall]
    turns: list[int]
    """Number of the turn that each belongs to."""


_CALLS = msgspec.json.Decoder(list[StoredCall])
_SPEAKERS = msgspec.json.Decoder(list[_Speaker])


def calls_of(folder: Path, line: CallsLine) -> SampleCalls:
    """The calls in a sample's line of work.

    Args:
        folder: Folder of the run, which is named where the line is damaged.
        line: Line of work.

    Raises:
        DataError: the trajectory is damaged.
    """
    try:
        calls = _CALLS.decode(line.calls)
        turns = [call.turn for call in calls]
        # Whoever has a second turn speaks: only of others the conversation is looked into.
        if not any(turns) and not any(one.role == "assistant" for one in _SPEAKERS.decode(line.messages)):
            turns = [*range(len(calls))]
    except msgspec.MsgspecError as e:
        what = f"the trajectory of sample {line.sample!r}, repeat {line.repeat} is damaged: {e}"
        raise DataError(folder / WORK, what, "Run the sample again") from None
    return SampleCalls(calls, turns)


def question_of(call: StoredCall) -> str:
    """Question that a call asks; see `worktrial.workplaces.simulator.json_text.question`."""
    return question(call.tool or "", msgspec.json.decode(call.arguments))


# Fields of a line that the record has, too.
_ON_RECORD = frozenset({"suite", "sample", "repeat", "condition", "outcome", "reason"})
_RESULT_ROLES = ("tool", "function")


@dataclass(frozen=True, slots=True)
class WorkedSample:
    """A finished sample and the work on it."""

    record: SampleRecord
    messages: list[Message] = field(default_factory=list)
    """The agent's conversation as it was stored; [] for agents that hold none."""
    calls: list[ToolCall] = field(default_factory=list)
    rest: dict[str, msgspec.Raw] = field(default_factory=dict)
    """Other fields of the trajectory, as their JSON; {} for a sample without a trajectory."""

    @property
    def has_conversation(self) -> bool:
        """Whether a model spoke: the agents of Python functions only call."""
        return any(message.get("role") == "assistant" for message in self.messages)

    def text(self, name: str) -> str:
        """A text field of the trajectory, such as `instruction`; "" where it is none."""
        value = msgspec.json.decode(self.rest[name]) if name in self.rest else None
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class CallPart:
    """One call within a turn."""

    id: str
    """Name of the call, which no other call of the sample has."""
    tool: str
    arguments: JsonValue
    """Arguments as the agent gave them; a text where they are no JSON."""
    call: ToolCall | None
    """Call as it is on record; None for one that never reached the workplace, such as a note to oneself."""
    shown: str | None
    """Result that the agent was shown, as text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation with what it led to, or what stands for one where there was none."""

    role: str
    """Speaker: system, user or assistant."""
    text: str
    """Words of the message, without thinking and without calls."""
    messages: Sequence[Message]
    """The message and the results of its calls, as stored; () where the agent held no conversation."""
    reply: ModelReply | None = None
    """The assistant's message, taken apart."""
    calls: Sequence[CallPart] = ()


def worked_samples(folder: Path) -> Iterator[WorkedSample]:
    """Every finished sample of the run in `folder` with its work, one in memory at a time.

    Raises:
        SettingError: the samples are not one agent's calls in one workplace.
        DataError: a record or a trajectory is damaged.
    """
    with WorkReader(folder, dict[str, msgspec.Raw]) as work:
        for record in Records(folder, SampleRecord):
            yield WorkedSample(record) if record.work is None else _worked(folder, record, work.at(record.work))


def _worked(folder: Path, record: SampleRecord, line: dict[str, msgspec.Raw]) -> WorkedSample:
    if "instruction" not in line or "calls" not in line:
        raise SettingError(
            f"{folder}: samples of {record.suite} are not one agent's calls in one workplace; "
            "export them as csv, parquet or jsonl"
        )
    try:
        messages = msgspec.json.decode(line.pop("messages", _NONE), type=list[JsonObject])
        calls = msgspec.json.decode(line.pop("calls"), type=list[ToolCall])
    except msgspec.MsgspecError as e:
        where = f"{folder}: sample {record.sample}, repeat {record.repeat}, {record.condition}"
        raise DataError(where, f"not a trajectory: {e}", "Run the sample again") from None
    return WorkedSample(
        record, messages, calls, {name: value for name, value in line.items() if name not in _ON_RECORD}
    )


def as_text(content: JsonValue) -> str:
    """A result as an agent is shown it: compact JSON."""
    return msgspec.json.encode(content).decode()


def turns(sample: WorkedSample) -> Iterator[Turn]:
    """The turns of a sample in order. Every call on record is in exactly one of them.

    Where the agent held no conversation, the instruction, each call and the answer are a turn of their own.
    """
    if not sample.has_conversation:
        yield from _without_replies(sample)
        return
    offered = tools_called([call.tool for call in sample.calls])
    waiting: dict[int, deque[ToolCall]] = {}
    for call in sample.calls:
        waiting.setdefault(call.turn, deque()).append(call)
    spoken = _with_results(sample.messages)
    last = sum(message.get("role") == "assistant" for message, _ in spoken) - 1
    ids: set[str] = set()
    number = -1
    for message, results in spoken:
        if message.get("role") != "assistant":
            yield _told(message, results)
            continue
        number += 1
        reply = read_reply(message, offered)
        own = waiting.pop(number, deque())
        parts = [*_parts(reply, own, results, ids)]
        if number == last:
            own.extend(call for rest in waiting.values() for call in rest)
        parts += [_part(call, ids) for call in own]
        yield Turn("assistant", reply.text, [message, *results], reply, parts)


def _without_replies(sample: WorkedSample) -> Iterator[Turn]:
    ids: set[str] = set()
    for message in sample.messages:
        yield _told(message)
    if not sample.messages and (instruction := sample.text("instruction")):
        yield Turn("user", instruction, ())
    for call in sample.calls:
        yield Turn("assistant", "", (), None, [_part(call, ids)])
    if answer := sample.text("answer"):
        yield Turn("assistant", answer, ())


def _told(message: Message, results: Sequence[Message] = ()) -> Turn:
    role = "system" if message.get("role") in ("system", "developer") else "user"
    return Turn(role, _words(message), [message, *results])


def _with_results(messages: Sequence[Message]) -> list[tuple[Message, list[Message]]]:
    """Every message that is no result of a tool, with the results that follow it."""
    found: list[tuple[Message, list[Message]]] = []
    for message in messages:
        if message.get("role") in _RESULT_ROLES and found:
            found[-1][1].append(message)
        else:
            found.append((message, []))
    return found


def _parts(
    reply: ModelReply, own: deque[ToolCall], results: Sequence[Message], ids: set[str]
) -> Iterator[CallPart]:
    """Calls that a message asks for, each with its record, which is taken from `own`."""
    # Some endpoints give every call the same id; the results then come in the order of the calls.
    shown: dict[str, deque[str]] = {}
    for result in results:
        shown.setdefault(str(result.get("tool_call_id", "")), deque()).append(_words(result))
    for asked in reply.calls:
        function = asked.get("function")
        function = function if isinstance(function, dict) else {}
        name = function.get("name")
        name = name if isinstance(name, str) else ""
        own_id = asked.get("id")
        given = own_id if isinstance(own_id, str) else ""
        said = shown.get(given) or shown.get("")
        text = said.popleft() if said else None
        if own and own[0].tool == name:
            yield _part(own.popleft(), ids, given, text)
        else:
            yield CallPart(_free(given or "call", ids), name, _read(function.get("arguments")), None, text)


def _part(call: ToolCall, ids: set[str], given: str = "", text: str | None = None) -> CallPart:
    shown = as_text(call.observation.content) if text is None else text
    return CallPart(_free(given or f"call_{call.index}", ids), call.tool, call.arguments, call, shown)


def _free(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}-{number}"
    taken.add(name)
    return name


def _read(arguments: JsonValue) -> JsonValue:
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return arguments


def _words(message: Message) -> str:
    """A message's content as text: pictures and other parts that are none are left out."""
    content = message.get("content")
    if isinstance(content, str) or content is None:
        return content or ""
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else part.get("text") for part in parts if isinstance(part, str | dict))
    return "".join(text for text in texts if isinstance(text, str))
