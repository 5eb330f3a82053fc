"""Reports of programs on their own work: events in JSON, a line each, read by the rules of each program's preset.

Programs change what they print. So nothing is taken for granted: what is not there, or not of the expected kind, is
passed over, and the figure that it would have told is unknown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from pydantic import BaseModel

from worktrial.agents.printed import MOST_PRINTED
from worktrial.language import JsonObject, Usage
from worktrial.sandbox.inside.worker import HeadTail

MOST_LINE = 16 << 20
"""Bytes of one event; a longer line is passed over."""
MOST_KEPT = 2_000_000
"""Characters of a program's own trajectory that are kept; what comes later is left out, with a mark."""
_MOST_TEXT = 20_000


class TokensAt(BaseModel, extra="forbid", frozen=True):
    """Places of tokens, by kind; those of one kind are added up, the cached ones among those of the input."""

    input: tuple[str, ...]
    output: tuple[str, ...]
    cached: tuple[str, ...]
    stored: tuple[str, ...] = ()


class Rule(BaseModel, extra="forbid", frozen=True):
    """Meaning of events of one kind, by places in them: keys with dots between the levels, `message.content`."""

    when: dict[str, Any] = {}
    """Place to the value that it has, to several, or to `any`. The first rule that fits is followed."""
    each: "dict[str, tuple[Rule, ...]]" = {}
    """Place of a list, or of an object, to the rules for each of its parts."""
    model: str = ""
    answer: str = ""
    error_in_answer: str = ""
    """Pattern of an error that the program takes for the end of the work."""
    text: str = ""
    goes_on: str = ""
    """Place that says whether the text goes on with that of the event before."""
    thinking: str = ""
    call: tuple[str, ...] = ()
    """Places of its id, of its arguments, and of the names that make its tool's."""
    result: tuple[str, ...] = ()
    """Places of a call's id, and of what came of it; the first that is there counts. So for the next two."""
    failure: tuple[str, ...] = ()
    """Places of the same, for a call that failed: words of the program's."""
    trouble: tuple[str, ...] = ()
    """Places of words of the program's own."""
    denied: str = ""
    """Tool that the program kept from its model."""
    usage: TokensAt | None = None
    cost: str = ""
    """US dollars, which are added to those told before; 0 tells nothing."""
    turns: str = ""
    ends_turn: bool = False
    """Whether such an event ends a turn; then these are counted."""


@dataclass(slots=True)
class ProgramReport:
    """A program's report, read as it comes."""

    rules: Sequence[Rule]
    """Meaning of its events."""
    answer: str | None = None
    """Text that it said last."""
    usage: Usage | None = None
    """Tokens of all its models; None where it has not told them."""
    cost: float | None = None
    """US dollars as the program reckons them; None where it tells none."""
    model: str = ""
    """Model that it names; "" where it names none."""
    turns: int = 0
    """Messages of its model, as it counts them, or as its calls and their results set them apart."""
    messages: list[JsonObject] = field(default_factory=list)
    """Its own trajectory, as chat completions: what it said, thought and called, and what came of it."""
    troubles: list[str] = field(default_factory=list)
    """Words of its own for what it refused or could not do; nothing that its model said."""
    broke_off: bool = False
    """Whether it took an error of its model's address for the end of the work."""
    other: HeadTail = field(default_factory=lambda: HeadTail(MOST_PRINTED))
    """Lines that are no events."""
    _speaks: bool = False
    _open: bool = False
    """Whether the last event was a text that may go on."""
    _ended: int = 0
    """Turns whose end was told."""
    _rest: bytearray = field(default_factory=bytearray)
    _skips: bool = False
    _kept: int = 0

    def hear(self, data: bytes) -> None:
        """Read on."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            if not self._skips:
                self._rest += line
                self._line(bytes(self._rest))
            self._rest.clear()
            self._skips = False
        if not self._skips:
            self._rest += rest
        if len(self._rest) > MOST_LINE:
            self._rest.clear()
            self._skips = True

    def end(self) -> None:
        """Read the last line, which may have no end."""
        self.hear(b"\n")

    def _line(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            event = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            event = None
        if not isinstance(event, dict):
            self.other.write(line + b"\n")
            return
        self._follow(self.rules, event, goes_on=self._open)

    def _follow(self, rules: Sequence[Rule], event: Any, *, goes_on: bool = False) -> None:
        rule = next((one for one in rules if _fits(one, event)), Rule())
        self.model = _str(event, rule.model) or self.model
        self._open = bool(rule.goes_on)
        text, call = _str(event, rule.text), _called(event, rule.call)
        if goes_on and _at(event, rule.goes_on) and self.messages:
            self.answer = f"{self.answer or ''}{text}"
            self.messages[-1]["content"] = _cut(self.answer)
        else:
            self._say(text, _str(event, rule.thinking), call)
        if come := rule.failure or rule.result:
            self._result(_str(event, come[0]), _first(event, come[1:]), failed=bool(rule.failure))
        self._trouble(_first(event, rule.trouble))
        if denied := _str(event, rule.denied):
            self._trouble(f"permission denied: {denied}")
        for place, inner in rule.each.items():
            parts = _at(event, place)
            for part in parts.values() if isinstance(parts, dict) else parts if isinstance(parts, list) else ():
                self._follow(inner, part)
        if isinstance(answer := _at(event, rule.answer), str):
            self.answer = answer
            if rule.error_in_answer and (error := re.search(rule.error_in_answer, answer)):
                self.broke_off = True
                self._trouble(error[0])
        self._ended += rule.ends_turn
        self.turns = _int(event, rule.turns) or self._ended or self.turns
        if rule.usage is not None:
            self._use(event, rule.usage)
        if isinstance(cost := _at(event, rule.cost), int | float) and cost > 0:
            self.cost = (self.cost or 0.0) + cost

    def _use(self, event: Any, at: TokensAt) -> None:
        kinds = (at.input, at.output, at.cached, at.stored)
        if any(_at(event, place) is not None for places in kinds for place in places):
            used = Usage(0, *(sum(_int(event, place) for place in places) for places in kinds))
            self.usage = used if self.usage is None else self.usage + used

    def _say(self, text: str, thinking: str, call: JsonObject | None) -> None:
        """Keep what its model said, thought, and called."""
        if not (text or thinking or call):
            return
        message: JsonObject = {"role": "assistant", "content": _cut(text) or None}
        if thinking:
            message["reasoning_content"] = _cut(thinking)
        if call:
            message["tool_calls"] = [call]
        self._keep(message)
        self.turns += not self._speaks
        self._speaks = True
        if text.strip():
            self.answer = text

    def _result(self, call_id: str, content: Any, *, failed: bool) -> None:
        """Keep what came of a call; where it failed, in the program's words, that is a trouble, too."""
        text, self._speaks = _as_text(content), False
        self._keep({"role": "tool", "tool_call_id": call_id, "content": _cut(text)})
        if failed:
            self._trouble(text)

    def _trouble(self, said: Any) -> None:
        """Keep words of the program's own for what went wrong."""
        text = _as_text(said).strip()
        if text:
            self.troubles = [*self.troubles[-9:], _cut(text)]

    def _keep(self, message: JsonObject) -> None:
        if self._kept > MOST_KEPT:
            return
        self._kept += len(msgspec.json.encode(message))
        full = {"role": "assistant", "content": "[… what came later is left out …]"}
        self.messages.append(message if self._kept <= MOST_KEPT else full)


def _at(event: Any, place: str) -> Any:
    """Value at a place; None where nothing does, or where no place is named."""
    for name in place.split("."):
        event = event.get(name) if isinstance(event, dict) else None
    return event if place else None


def _first(event: Any, places: Sequence[str]) -> Any:
    return next((found for place in places if (found := _at(event, place))), None)


def _str(event: Any, place: str) -> str:
    found = _at(event, place)
    return found if isinstance(found, str) else ""


def _int(event: Any, place: str) -> int:
    found = _at(event, place)
    return found if isinstance(found, int) and found > 0 else 0


def _fits(rule: Rule, event: Any) -> bool:
    found = ((_at(event, place), wanted) for place, wanted in rule.when.items())
    return all(
        one is not None if wanted == "any" else one in wanted if isinstance(wanted, list) else one == wanted
        for one, wanted in found
    )


def _called(event: Any, at: Sequence[str]) -> JsonObject | None:
    call_id, arguments, *names = at or ("", "")
    tool = ".".join(filter(None, (_str(event, name) for name in names)))
    function: JsonObject = {"name": tool, "arguments": _cut(_as_text(_at(event, arguments)))}
    return {"id": _str(event, call_id), "type": "function", "function": function} if tool else None


def _as_text(value: Any) -> str:
    """A text, the texts of a list of parts, or JSON."""
    if isinstance(value, str) or value is None:
        return value or ""
    texts = [_str(part, "text") for part in value] if isinstance(value, list) else []
    return "\n".join(texts) if any(texts) else msgspec.json.encode(value).decode()


def _cut(text: str) -> str:
    if len(text) <= _MOST_TEXT:
        return text
    half = _MOST_TEXT // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
