"""The record of an agent's work as text for a judge: one line of JSON for each thing that happened."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from worktrial.language import JsonObject, JsonValue, said_in
from worktrial.language.untrusted import encodable

if TYPE_CHECKING:
    from worktrial.workplaces import ToolCall, Trajectory


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """One agent's finished work on one task, with the standard it is held to."""

    scenario: str
    workplace: str
    """Name of the workplace."""
    initial_state: JsonObject
    state_description: JsonObject
    instruction: str
    """The task as the agent was given it."""
    rubric: str
    trajectory: Trajectory
    clock: str = ""
    """The trial's date and time as the agent was told it; "" when the sample has none."""
    fault_ledger: Sequence[JsonObject] = ()
    """One row for each observation that was degraded on purpose."""
    final_state: JsonObject | None = None
    """The workplace's state at the end, where it is kept outside a model's conversation."""
    recorded_facts: JsonObject = field(default_factory=dict)
    """Facts recorded beside that state: effects that it has no field for, and what was made up on the way."""
    doubts: Sequence[JsonObject] = ()
    """One row for each answer of the workplace that cannot be right by what was known when it was given."""


LEAST_LIMIT = 4_000
_LEAST_OBSERVATION = 600  # characters; below this, other text is shortened as well
_LEAST_TEXT = 60
_LINE_BREAKS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}

_Line = Sequence[tuple[str, JsonValue, bool]]
"""One line as (field, value, whether it is what the workplace returned)."""


def evidence(case: JudgeCase, limit: int) -> str:
    """Everything in `case` that the agent or the workplace produced, at most `limit` characters.

    Each line is one JSON object, so text inside it, with its line breaks escaped, cannot pass for a line of
    its own. What is too long is shortened in the middle: `x` becomes `x_start`, `x_characters_cut` and
    `x_end`. Observations go first, all to the same length; then every other text; at last whole lines from
    the middle of the work. The beginning and the end always stay. A long text is told once.
    """
    lines: list[_Line] = [*_work(case.trajectory), *_after(case)]
    texts = [_text(line) for line in lines]
    # Where somebody says `_SAME` already, it would not tell whose words these are.
    if any(len(one) > _LONG for one in texts) and not any(_SAME in one for one in texts):
        lines = _told_once(lines)
        texts = [_text(line) for line in lines]
    text = "\n".join(texts)
    if len(text) <= limit:
        return text
    pieces = [[_Piece.of(*field) for field in line] for line in lines]

    def shortened(to: tuple[int, int]) -> list[str]:
        return [json_line({name: value for piece in line for name, value in piece.fields(*to)}) for line in pieces]

    def fits(to: tuple[int, int]) -> bool:
        return sum(len(line) + 1 for line in shortened(to)) <= limit

    ladder = list(_shorter_and_shorter(limit))
    rung = bisect_left(ladder, True, key=fits)
    if rung < len(ladder):
        return "\n".join(shortened(ladder[rung]))
    return "\n".join(_ends(shortened(ladder[-1]), limit))


def _text(line: _Line) -> str:
    return json_line({name: value for name, value, _ in line})


def plain_record(length: int) -> str:
    """A record of about `length` characters in which an agent says nothing but that it does its steps."""
    last = json_line({"final_answer": "All steps are done."})
    lines: list[str] = []
    room = length - len(last)
    while room > 0:
        lines.append(json_line({"agent_says": f"Step {len(lines) + 1} is done."}))
        room -= len(lines[-1]) + 1
    return "\n".join([*lines, last])


_LONG = 200  # characters
_SAME = "the same text as in "


def _told_once(lines: list[_Line]) -> list[_Line]:
    """The lines with each long text in its first place alone."""
    places: dict[str, str] = {}

    def once(value: JsonValue, place: str) -> JsonValue:
        if isinstance(value, dict):
            return {key: once(inner, place) for key, inner in value.items()}
        if isinstance(value, list):
            return [once(inner, place) for inner in value]
        if not isinstance(value, str) or len(value) < _LONG:
            return value
        first = places.get(value)
        places.setdefault(value, place)
        return value if first is None else f"({_SAME}{first})"

    return [
        [
            (name, once(value, f"call {line[0][1]}" if line[0][0] == "call" else name), seen)
            for name, value, seen in line
        ]
        for line in lines
    ]


def words_of_agent(trajectory: Trajectory) -> str:
    """Everything that the agent wrote: what it said, its calls, and its answer."""
    own = ({name: value for name, value, observed in line if not observed} for line in _work(trajectory))
    return "\n".join(map(json_line, own))


def _work(trajectory: Trajectory) -> Iterator[_Line]:
    texts = _said(trajectory)
    calls: dict[int, list[ToolCall]] = {turn: [] for turn in range(len(texts))}
    for call in trajectory.calls:
        calls.setdefault(call.turn, []).append(call)
    last = len(texts) - 1
    for turn in sorted(calls):
        text = texts[turn] if turn <= last else ""
        repeated = turn == last and not calls[turn] and text.strip() == trajectory.answer.strip()
        if text and not repeated:
            yield [("agent_says", text, False)]
        for call in calls[turn]:
            yield [
                ("call", call.index, False),
                ("tool", call.tool, False),
                ("arguments", call.arguments, False),
                ("observation", call.observation.content, True),
            ]
    yield [("final_answer", trajectory.answer, False)]


def _said(trajectory: Trajectory) -> list[str]:
    """The words of the assistant in each of its messages, in order; a message is read once."""
    known = trajectory.words
    places = [place for place, message in enumerate(trajectory.messages) if message.get("role") == "assistant"]
    if known.keys() >= set(places):
        return [known[place] for place in places]
    return said_in(trajectory.messages, [call.tool for call in trajectory.calls])


def _after(case: JudgeCase) -> Iterator[_Line]:
    for row in case.fault_ledger:
        yield [("fault", row, False)]
    for row in case.doubts:
        yield [("doubt", row, False)]
    if case.final_state is not None:
        yield [("final_state", case.final_state, True)]
    for key, value in case.recorded_facts.items():
        # A line each: what is too long is shortened by itself.
        yield [("recorded_fact", key, False), ("value", value, True)]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A field of a line with the text that is cut when it is too long."""

    name: str
    value: JsonValue
    text: str
    observed: bool

    @staticmethod
    def of(name: str, value: JsonValue, observed: bool) -> _Piece:
        return _Piece(name, value, value if isinstance(value, str) else json_line(value), observed)

    def fields(self, observation: int, other: int) -> list[tuple[str, JsonValue]]:
        most = observation if self.observed else other
        if len(self.text) <= most:
            return [(self.name, self.value)]
        head, tail = most - most // 2, most // 2
        return [
            (f"{self.name}_start", self.text[:head]),
            (f"{self.name}_characters_cut", len(self.text) - most),
            (f"{self.name}_end", self.text[-tail:]),
        ]


def _shorter_and_shorter(limit: int) -> Iterator[tuple[int, int]]:
    """Ever smaller limits for one observation and for one other text."""
    observation, other = limit, limit
    while observation > _LEAST_OBSERVATION:
        observation = max(observation * 4 // 5, _LEAST_OBSERVATION)
        yield observation, limit
    while other > _LEAST_TEXT:
        other = max(other * 4 // 5, _LEAST_TEXT)
        yield min(observation, other), other


def _ends(lines: Sequence[str], limit: int) -> list[str]:
    """First and last lines of a text, as many as fit, and between them how many were left out."""
    room = limit - len(json_line({"lines_cut": len(lines)})) - 1
    first: list[str] = []
    last: list[str] = []
    ahead, behind = 0, len(lines)
    while ahead < behind:
        # The end of the work decides more cases than its beginning, so it is served first.
        from_end = len(last) <= len(first)
        line = lines[behind - 1] if from_end else lines[ahead]
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        if from_end:
            last.insert(0, line)
            behind -= 1
        else:
            first.append(line)
            ahead += 1
    return [*first, json_line({"lines_cut": behind - ahead}), *last]


def json_line(value: JsonValue) -> str:
    """Compact JSON on one line; the line breaks that JSON allows as they are, and lone surrogates, escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _LINE_BREAKS.items():
        text = text.replace(character, escape)
    return encodable(text)
