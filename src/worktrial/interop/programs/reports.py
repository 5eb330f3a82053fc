"""Reports of programs on their own work: events in JSON, a line each, in the dialect of each program.

Programs change what they print. So nothing is taken for granted: what is not there, or not of the expected kind, is
passed over, and the figure that it would have told is unknown.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from worktrial.agents.printed import MOST_PRINTED
from worktrial.language import JsonObject, Usage
from worktrial.sandbox.inside.worker import HeadTail

MOST_LINE = 16 << 20
"""Bytes of one event; a longer line is passed over."""
MOST_KEPT = 2_000_000
"""Characters of a program's own trajectory that are kept; what comes later is left out, with a mark."""
_MOST_TEXT = 20_000

_API_ERROR = re.compile(r"\[API Error: [^\n]*\]\s*$")

Event = Mapping[str, Any]


@dataclass(slots=True)
class ProgramReport:
    """A program's report, read as it comes."""

    dialect: str
    """Name of one of `DIALECTS`."""
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
    _rest: bytearray = field(default_factory=bytearray)
    _skips: bool = False
    _kept: int = 0
    _seen: dict[str, Any] = field(default_factory=dict)

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
        DIALECTS[self.dialect](self, event)

    def say(self, text: str = "", *, thinking: str = "", calls: tuple[tuple[str, str, Any], ...] = ()) -> None:
        """Keep what its model said, thought, and called: id, tool and arguments."""
        message: JsonObject = {"role": "assistant", "content": _cut(text) or None}
        if thinking:
            message["reasoning_content"] = _cut(thinking)
        if calls:
            message["tool_calls"] = [
                {"id": call_id, "type": "function", "function": {"name": tool, "arguments": _cut(_as_text(given))}}
                for call_id, tool, given in calls
            ]
        if not (text or thinking or calls):
            return
        self._keep(message)
        self.turns += not self._speaks
        self._speaks = True
        if text.strip():
            self.answer = text

    def result(self, call_id: str, content: Any, *, failed: bool = False) -> None:
        """Keep what came of a call; where it failed, in the program's words, that is a trouble, too."""
        text, self._speaks = _as_text(content), False
        self._keep({"role": "tool", "tool_call_id": call_id, "content": _cut(text)})
        if failed:
            self.trouble(text)

    def trouble(self, said: Any) -> None:
        """Keep words of the program's own for what went wrong."""
        text = _as_text(said).strip()
        if text:
            self.troubles = [*self.troubles[-9:], _cut(text)]

    def add(self, usage: Usage) -> None:
        """Add tokens of a turn to those told before."""
        self.usage = usage if self.usage is None else self.usage + usage

    def _keep(self, message: JsonObject) -> None:
        if self._kept > MOST_KEPT:
            return
        self._kept += len(msgspec.json.encode(message))
        full = {"role": "assistant", "content": "[… what came later is left out …]"}
        self.messages.append(message if self._kept <= MOST_KEPT else full)


def _claude(report: ProgramReport, event: Event, *, counts_cached: bool = False) -> None:
    """Claude Code's `stream-json`, which Qwen Code speaks, too."""
    kind, message = event.get("type"), _dict(event.get("message"))
    if kind == "system" and event.get("subtype") == "init":
        report.model = _str(event.get("model"))
    elif kind == "assistant":
        for block in _dicts(message.get("content")):
            called = (_str(block.get("id")), _str(block.get("name")), block.get("input"))
            calls = (called,) if block.get("type") == "tool_use" else ()
            report.say(_str(block.get("text")), thinking=_str(block.get("thinking")), calls=calls)
    elif kind == "user":
        for block in _dicts(message.get("content")):
            if block.get("type") == "tool_result":
                failed = block.get("is_error") is True
                report.result(_str(block.get("tool_use_id")), _texts(block.get("content")), failed=failed)
    elif kind == "result":
        if event.get("is_error"):
            report.trouble(event.get("result") or event.get("error") or event.get("subtype"))
        elif isinstance(event.get("result"), str):
            report.answer = event["result"]
        for denied in _dicts(event.get("permission_denials")):
            report.trouble(f"permission denied: {_str(denied.get('tool_name'))}")
        report.turns = _int(event.get("num_turns")) or report.turns
        used = [_claude_tokens(one, counts_cached) for one in _dict(event.get("modelUsage")).values()]
        for usage in used or [_claude_tokens(event.get("usage"), counts_cached)]:
            report.add(usage)
        report.cost = _float(event.get("total_cost_usd"))


def _claude_tokens(told: Any, counts_cached: bool) -> Usage:
    told = _dict(told)

    def tokens(*names: str) -> int:
        return next((_int(told[name]) for name in names if name in told), 0)

    cached = tokens("cacheReadInputTokens", "cache_read_input_tokens")
    stored = tokens("cacheCreationInputTokens", "cache_creation_input_tokens")
    fresh = tokens("inputTokens", "input_tokens")
    whole = fresh if counts_cached else fresh + cached + stored
    return Usage(0, whole, tokens("outputTokens", "output_tokens"), cached, stored)


def _qwen(report: ProgramReport, event: Event) -> None:
    """Qwen Code's `stream-json`: Claude Code's, with the cached tokens among those of the input."""
    _claude(report, event, counts_cached=True)
    if event.get("type") == "result" and (error := _API_ERROR.search(report.answer or "")):
        # It puts the error behind what it was told of the answer, and ends well.
        report.broke_off = True
        report.trouble(error[0])


def _codex(report: ProgramReport, event: Event) -> None:
    """Codex's `--json`."""
    kind, item = event.get("type"), _dict(event.get("item"))
    if kind == "turn.completed":
        told = _dict(event.get("usage"))
        read, written = _int(told.get("cached_input_tokens")), _int(told.get("cache_write_input_tokens"))
        report.add(Usage(0, _int(told.get("input_tokens")), _int(told.get("output_tokens")), read, written))
    elif kind in ("turn.failed", "error"):
        report.trouble(_dict(event.get("error")).get("message") or event.get("message"))
    elif kind == "item.completed":
        number = _str(item.get("id"))
        match item.get("type"):
            case "agent_message":
                report.say(_str(item.get("text")))
            case "reasoning":
                report.say(thinking=_str(item.get("text")))
            case "error":
                report.trouble(item.get("message"))
            case "command_execution":
                report.say(calls=((number, "command_execution", item.get("command")),))
                report.result(number, item.get("aggregated_output"))
            case "mcp_tool_call":
                error = _dict(item.get("error")).get("message")
                report.say(calls=((number, f"{item.get('server')}.{item.get('tool')}", item.get("arguments")),))
                result = error or _texts(_dict(item.get("result")).get("content"))
                report.result(number, result, failed=error is not None)
            case other if isinstance(other, str):
                rest = {name: value for name, value in item.items() if name not in ("id", "type", "status")}
                report.say(calls=((number, other, rest),))


def _gemini(report: ProgramReport, event: Event) -> None:
    """Gemini CLI's `stream-json`, whose messages come in pieces."""
    kind = event.get("type")
    if kind == "message" and event.get("role") == "assistant":
        piece = _str(event.get("content"))
        if report._seen.get("open") and event.get("delta") and report.messages:
            last = report.messages[-1]
            report.answer = f"{report.answer or ''}{piece}"
            last["content"] = _cut(report.answer)
        else:
            report.say(piece)
        report._seen["open"] = True
        return
    if kind == "tool_use":
        call = (_str(event.get("tool_id")), _str(event.get("tool_name")), event.get("parameters"))
        report.say(calls=(call,))
    elif kind == "tool_result":
        said = event.get("output") or _dict(event.get("error")).get("message") or ""
        report.result(_str(event.get("tool_id")), said, failed=event.get("status") == "error")
    elif kind == "error":
        report.trouble(event.get("message"))
    elif kind == "init":
        report.model = _str(event.get("model"))
    elif kind == "result":
        if event.get("status") == "error":
            report.trouble(_dict(event.get("error")).get("message"))
        told = _dict(event.get("stats"))
        usage = [_int(told.get(name)) for name in ("input_tokens", "output_tokens", "cached")]
        if told:
            report.add(Usage(0, *usage))
    report._seen["open"] = False


def _opencode(report: ProgramReport, event: Event) -> None:
    """`opencode run --format json`."""
    part = _dict(event.get("part"))
    match event.get("type"):
        case "text":
            report.say(_str(part.get("text")))
        case "reasoning":
            report.say(thinking=_str(part.get("text")))
        case "tool_use":
            state, number = _dict(part.get("state")), _str(part.get("callID"))
            report.say(calls=((number, _str(part.get("tool")), state.get("input")),))
            failed = state.get("status") == "error"
            report.result(number, state.get("error") if failed else state.get("output"), failed=failed)
        case "step_finish":
            told, cost = _dict(part.get("tokens")), _float(part.get("cost"))
            cache = _dict(told.get("cache"))
            read, written = _int(cache.get("read")), _int(cache.get("write"))
            said = _int(told.get("output")) + _int(told.get("reasoning"))
            report.turns = report._seen["steps"] = report._seen.get("steps", 0) + 1
            report.add(Usage(0, _int(told.get("input")) + read + written, said, read, written))
            # A model that it has no price of costs it 0.
            report.cost = (report.cost or 0.0) + cost if cost else report.cost
        case "error":
            error = _dict(event.get("error"))
            report.trouble(_dict(error.get("data")).get("message") or error.get("name"))


DIALECTS: Mapping[str, Callable[[ProgramReport, Event], None]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
    "qwen": _qwen,
}
"""Readers of one event each, by the name of the dialect."""


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _str(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and value >= 0 else None


def _texts(content: Any) -> Any:
    """Text of content that may be a list of parts."""
    return "\n".join(_str(part.get("text")) for part in _dicts(content)) if isinstance(content, list) else content


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else msgspec.json.encode(value).decode()


def _cut(text: str) -> str:
    if len(text) <= _MOST_TEXT:
        return text
    half = _MOST_TEXT // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
