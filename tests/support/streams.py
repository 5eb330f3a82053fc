"""Completions as server-sent events, as endpoints stream them, well and badly."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from aiohttp import web
from tests.support.wire import Body


@dataclass(frozen=True)
class Streaming:
    """Manner in which an endpoint streams."""

    characters: int = 7
    """Characters of a text in one event."""
    piece: int | None = None
    """Bytes that are sent at a time, wherever that cuts; None for an event at a time."""
    pause: float = 0.0
    """Seconds between two pieces."""
    comments: bool = False
    """Whether comments stand between the events, as some gateways send them to keep the line open."""
    line_end: str = "\n"
    done: bool = True
    """Whether the last event is `[DONE]`."""
    cut_after: int | None = None
    """Events after which the connection closes."""
    hang_after: int | None = None
    """Events after which nothing comes any more but comments."""
    fails_after: int | None = None
    """Events after which an error comes instead of the next, on wires other than chat completions."""
    failure: Body = field(default_factory=lambda: {"status": 529, "message": "Overloaded"})
    """Status and words of that error."""
    repeats_names: bool = False
    """Whether every event of a call repeats its id and the function's name."""


def events(whole: Body, how: Streaming) -> list[bytes]:
    """The events of a completion, each with its blank line."""
    choice = whole["choices"][0]
    shell = {"id": whole.get("id"), "object": "chat.completion.chunk", "model": whole.get("model")}
    made = [
        {**shell, "choices": [{"index": 0, "delta": delta, "finish_reason": None, **more}], "usage": None}
        for delta, more in _deltas(choice, how)
    ]
    ending = {"index": 0, "delta": {}, "finish_reason": choice.get("finish_reason")}
    made.append({**shell, "choices": [ending], "usage": None})
    if whole.get("usage"):
        made.append({**shell, "choices": [], "usage": whole["usage"]})
    texts = [msgspec.json.encode(event).decode() for event in made] + ["[DONE]"] * how.done
    end = how.line_end
    before = f": PROCESSING{end}{end}" if how.comments else ""
    return [f"{before}data: {text}{end}{end}".encode() for text in texts]


def _deltas(choice: Mapping[str, Any], how: Streaming) -> Iterator[tuple[Body, Body]]:
    message = choice["message"]
    yield {"role": message["role"], "content": ""}, {}
    logprobs = choice.get("logprobs")
    if logprobs:
        yield {"content": ""}, {"logprobs": logprobs}
    for name, value in message.items():
        if name in ("role", "tool_calls"):
            continue
        if isinstance(value, str):
            for part in _parts(value, how.characters):
                yield {name: part}, {}
        elif isinstance(value, list):
            for part in value:
                yield {name: [part]}, {}
        elif value is not None:
            yield {name: value}, {}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        rest = {k: v for k, v in call.items() if k != "function"}
        yield {"tool_calls": [{"index": index, **rest, "function": {**function, "arguments": ""}}]}, {}
        named = {**rest, "name": function["name"]} if how.repeats_names else {}
        for part in _parts(function["arguments"], how.characters):
            delta = {"index": index, "function": {"arguments": part}}
            if named:
                delta = {"index": index, **rest, "function": {"name": function["name"], "arguments": part}}
            yield {"tool_calls": [delta]}, {}


def _parts(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def parts_of(text: str, how: Streaming) -> Iterator[str]:
    """A text as it is streamed."""
    return _parts(text, how.characters)


def framed(event: Body, how: Streaming) -> bytes:
    """An event of a wire whose events have a type, or none."""
    end = how.line_end
    before = f": PROCESSING{end}{end}" if how.comments else ""
    name = f"event: {event['type']}{end}" if "type" in event else ""
    return f"{before}{name}data: {msgspec.json.encode(event).decode()}{end}{end}".encode()


async def send(http: web.BaseRequest, made: list[bytes], how: Streaming) -> web.StreamResponse:
    """Stream events to a client."""
    response = web.StreamResponse()
    response.content_type = "text/event-stream"
    response.enable_chunked_encoding()
    await response.prepare(http)
    stop = min((n for n in (how.cut_after, how.hang_after) if n is not None), default=len(made))
    data = made[:stop]
    pieces = data
    if how.piece is not None:
        joined = b"".join(data)
        pieces = [joined[at : at + how.piece] for at in range(0, len(joined), how.piece)]
    for piece in pieces:
        await response.write(piece)
        if how.pause:
            await asyncio.sleep(how.pause)
    if how.hang_after is not None:
        while True:
            await response.write(b': still here\n\nevent: ping\ndata: {"type": "ping"}\n\n')
            await asyncio.sleep(0.05)
    if how.cut_after is not None and http.transport is not None:
        http.transport.close()
        return response
    await response.write_eof()
    return response
