"""Server-sent events, put together to the answer that they stand for: of chat completions, and of any wire."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from worktrial.engine.wire import NotACompletion, reported
from worktrial.language import JsonObject


class _Choice(msgspec.Struct, gc=False):
    delta: JsonObject | None = None
    message: JsonObject | None = None
    index: int | None = None
    finish_reason: str | None = None
    logprobs: JsonObject | None = None
    error: Any = None


class _Event(msgspec.Struct, gc=False):
    choices: list[_Choice] | None = None
    usage: JsonObject | None = None
    error: Any = None


_read_one = msgspec.json.Decoder(_Event).decode
_read_text = msgspec.json.Decoder(str).decode
_read_all = msgspec.json.Decoder(list[_Event]).decode
_data_lines = re.compile(rb"^data:(.*)$", re.MULTILINE).findall
# An event in one line that says something: what stands before its text, the key of that, the text, and the rest.
_event_with_text = re.compile(
    rb'^(data:[^\r\n]*?("(content|reasoning_content|reasoning)": ?"))([^"\\\r\n]+)("[^\r\n]*\r?\n\r?\n)',
    re.MULTILINE,
).search


def chat_completion(data: bytes) -> bytes:
    """Body of the completion that a stream of chunks spells out, in the form of one that came whole.

    Texts are joined, tool calls by their `index`; any other field of a delta is kept: texts are joined, lists are
    appended to, of the rest the last value counts.

    Raises:
        ConnectionError: the stream breaks off.
        ReportedFailure: it reports an error.
        NotACompletion: it is no stream of chunks.
    """
    try:
        # An event is a line nearly everywhere, and its end, of whatever kind, is white space to JSON.
        events, is_done = _events(_data_lines(_condensed(data)))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        try:
            events, is_done = _events([*_payloads(data)])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NotACompletion("a stream of events that are no chunks of a completion") from None
    parts: dict[str, list[Any]] = {}
    calls: dict[Any, JsonObject] = {}
    finish, usage = None, None
    tokens: list[Any] = []
    for event in events:
        if event.error:
            raise reported(event.error)
        usage = event.usage or usage
        for choice in event.choices or ():
            if choice.error or choice.finish_reason == "error":
                raise reported(choice.error)
            if choice.index:
                continue
            if choice.finish_reason:
                finish = choice.finish_reason
            if choice.logprobs:
                tokens += choice.logprobs.get("content") or ()
            # Some send the message whole in the last chunk instead.
            for name, value in (choice.delta or choice.message or {}).items():
                if name == "tool_calls":
                    _add_calls(calls, value)
                elif value is not None and value != "":
                    if name in parts:
                        parts[name].append(value)
                    else:
                        parts[name] = [value]
    if finish is None and not is_done:
        raise ConnectionError("the stream broke off")
    message: JsonObject = {"role": "assistant", "content": None if calls else ""}
    message.update((name, _joined(name, values)) for name, values in parts.items())
    if calls:
        message["tool_calls"] = list(calls.values())
    whole = {"index": 0, "message": message, "finish_reason": finish}
    if tokens:
        whole["logprobs"] = {"content": tokens}
    return msgspec.json.encode({"object": "chat.completion", "choices": [whole], "usage": usage})


def _condensed(data: bytes) -> bytes:
    """The stream with fewer events: those in a row that differ in nothing but their text are one with all of it.

    Nearly all events of a long answer differ in nothing else, and to decode them all takes several times as long.
    """
    # Thoughts, if any, come first.
    for quarters in (1, 3):
        event = _event_with_text(data, len(data) * quarters // 4)
        if event is not None and _says_nothing_else(event):
            data = _with_texts_joined(data, event[1], event[2], event[5])
    return data


def _says_nothing_else(event: re.Match[bytes]) -> bool:
    """Whether an event says nothing but the text that was found in it."""
    try:
        read = _read_one(event[0][len(b"data:") :])
        said = {event[3].decode(): event[4].decode()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    if read.error or read.usage or read.choices is None or len(read.choices) != 1:
        return False
    choice = read.choices[0]
    if choice.error or choice.finish_reason or choice.logprobs or choice.message or choice.index:
        return False
    return {name: value for name, value in (choice.delta or {}).items() if value and name != "role"} == said


def _with_texts_joined(data: bytes, head: bytes, key: bytes, tail: bytes) -> bytes:
    """The stream with the first events in a row that are `head`, a text and `tail` as one event.

    Args:
        data: The stream.
        head: All of an event before its text.
        key: End of `head`: the field's name, and the quote that opens the text.
        tail: All after the text.
    """
    first = data.find(head) + len(head)
    between = tail + head[: -len(key)]
    pieces = data[first:].split(key)
    alike = 0
    while alike < len(pieces) and pieces[alike].endswith(between):
        alike += 1
    texts = [piece[: -len(between)] for piece in pieces[:alike]]
    joined = b"".join(texts)
    # A lone backslash at the end of one would take the next one's first letter along.
    if b"\\" in joined and any(text.endswith(b"\\") for text in texts):
        return data
    try:
        _read_text(b'"%b"' % joined)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return data
    return b"".join([data[:first], joined, key.join(pieces[alike:])])


def _events(payloads: list[bytes]) -> tuple[list[_Event], bool]:
    """Chunks in the data of events, and whether the end is marked."""
    is_done = bool(payloads) and payloads[-1].strip() == b"[DONE]"
    return _read_all(b"[" + b",".join(payloads[:-1] if is_done else payloads) + b"]"), is_done


def _payloads(data: bytes) -> Iterator[bytes]:
    """Data of the events, in order; comments and other fields are passed over."""
    pending: list[bytes] = []
    for line in data.splitlines():
        if line.startswith(b"data:"):
            pending.append(line[5:].strip())
        elif not line and pending:
            yield b"\n".join(pending)
            pending = []
    if pending:
        yield b"\n".join(pending)


def put_together(events: bytes, together: Callable[[list[JsonObject]], JsonObject]) -> bytes:
    """Body of the answer that a stream of events spells out; see `wire.ModelWire.whole`.

    Args:
        events: The stream.
        together: Makes a whole body of the events of one.
    """
    try:
        body = together(_objects(events))
    except (KeyError, TypeError, AttributeError) as e:
        raise NotACompletion(f"a stream whose events do not fit together ({type(e).__name__}: {e})") from None
    return msgspec.json.encode(body)


def _objects(data: bytes) -> list[JsonObject]:
    """Events in order, decoded; the mark of the end is none of them."""
    payloads = [payload for payload in _payloads(data) if payload and payload != b"[DONE]"]
    objects: list[JsonObject] = []
    for number, payload in enumerate(payloads, 1):
        try:
            value = msgspec.json.decode(payload)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            if number == len(payloads):
                raise ConnectionError("the stream broke off") from None
            raise NotACompletion("a stream of events that are no JSON") from None
        if not isinstance(value, dict):
            raise NotACompletion("a stream of events that are no objects")
        objects.append(value)
    return objects


def _joined(name: str, values: list[Any]) -> Any:
    if name != "role" and all(isinstance(value, str) for value in values):
        return "".join(values)
    if all(isinstance(value, list) for value in values):
        return [one for value in values for one in value]
    return values[-1]


def _add_calls(calls: dict[Any, JsonObject], deltas: Any) -> None:
    for delta in deltas if isinstance(deltas, list) else ():
        if not isinstance(delta, dict):
            continue
        # Without an index a new id begins a new call, and what has none goes on with the last.
        place = delta.pop("index", None)
        if place is None:
            place = delta.get("id") or next(reversed(calls), 0)
        function = delta.pop("function", None)
        call = calls.setdefault(place, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}})
        call.update((name, value) for name, value in delta.items() if value is not None and value != "")
        for name, value in (function if isinstance(function, dict) else {}).items():
            if not isinstance(value, str):
                call["function"][name] = value
            elif name == "name":
                # Some repeat the whole name in every delta; none was seen to split it.
                call["function"]["name"] = call["function"]["name"] or value
            else:
                call["function"][name] = call["function"].get(name, "") + value
