"""Server-sent events of chat completions, put together to the answer that they stand for."""

from collections.abc import Iterator
from typing import Any

import msgspec

from worktrial.engine.wire import NotACompletion
from worktrial.language import JsonObject


class _Event(msgspec.Struct):
    choices: list[JsonObject] | None = None
    usage: JsonObject | None = None
    error: Any = None


_read_all = msgspec.json.Decoder(list[_Event]).decode


def chat_completion(data: bytes) -> bytes:
    """Body of the completion that a stream of chunks spells out, in the form of one that came whole.

    Texts are joined, tool calls by their `index`; any other field of a delta is kept: texts are joined, lists are
    appended to, of the rest the last value counts.

    Raises:
        ConnectionError: the stream breaks off.
        NotACompletion: it reports an error, or is no stream of chunks.
    """
    payloads = list(_payloads(data))
    is_done = bool(payloads) and payloads[-1] == b"[DONE]"
    try:
        events = _read_all(b"[" + b",".join(payloads[:-1] if is_done else payloads) + b"]")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotACompletion("a stream of events that are no chunks of a completion") from None
    parts: dict[str, list[Any]] = {}
    calls: dict[Any, JsonObject] = {}
    finish, usage = None, None
    tokens: list[Any] = []
    for event in events:
        if event.error:
            raise NotACompletion("the provider behind the endpoint failed in the middle of its stream")
        usage = event.usage or usage
        for choice in event.choices or ():
            if choice.get("index"):
                continue
            finish = choice.get("finish_reason") or finish
            logprobs = choice.get("logprobs")
            if isinstance(logprobs, dict):
                tokens += logprobs.get("content") or ()
            # Some send the message whole in the last chunk instead.
            delta = choice.get("delta") or choice.get("message") or {}
            for name, value in delta.items():
                if name == "tool_calls":
                    _add_calls(calls, value)
                elif value is not None and value != "":
                    parts.setdefault(name, []).append(value)
    if finish is None and not is_done:
        raise ConnectionError("the stream broke off")
    message: JsonObject = {"role": "assistant", "content": None if calls else ""}
    message.update((name, _joined(name, values)) for name, values in parts.items())
    if calls:
        message["tool_calls"] = list(calls.values())
    choice = {"index": 0, "message": message, "finish_reason": finish}
    if tokens:
        choice["logprobs"] = {"content": tokens}
    return msgspec.json.encode({"object": "chat.completion", "choices": [choice], "usage": usage})


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
