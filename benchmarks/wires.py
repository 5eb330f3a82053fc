"""Measure a call over each wire beside a bare aiohttp loop, and a streamed answer beside a whole one.

`python -m benchmarks.wires` prints the CPU per call of each subject, and its ratio to the bare loop beside it
(of the same repetition). Each subject is a process of its own; the scripted server is another.
"""

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

import aiohttp
import msgspec
from tests.support.scripted_process import ScriptedProcess

from benchmarks import child
from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from worktrial.engine.client import Client
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, Meter, Spend
from worktrial.engine.wire import Endpoint
from worktrial.secrets import Redactor

CHUNKS = 500
# The scripted server streams seven characters an event.
LONG = "x" * 7 * CHUNKS
CONCURRENCY = 16
# A conversation of a usual length: rules, a task, six calls with their results.
CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"id": 1}'}}
TURN: list[dict[str, Any]] = [
    {"role": "assistant", "content": "I look at the next one.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": json.dumps({"found": ["a row of a table"] * 20})},
]
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "r" * 2000},
    {"role": "user", "content": "t" * 1000},
    *TURN * 6,
]
PLAIN = [m for m in MESSAGES if "tool_calls" not in m and m["role"] != "tool"] + [
    {"role": "user", "content": "u" * 3600}
]


@dataclass(frozen=True)
class Subject:
    """What is measured."""

    wire: str | None = None
    stream: Literal["auto", "on", "off"] = "off"
    bare: bool = False
    is_long: bool = False


SUBJECTS = {
    "bare loop": Subject(bare=True),
    "chat completions": Subject(),
    "anthropic": Subject("anthropic"),
    "gemini": Subject("gemini"),
    "responses": Subject("responses"),
    f"bare loop, {len(LONG):,} characters": Subject(bare=True, is_long=True),
    f"bare loop, the same in {CHUNKS} chunks, read and not decoded": Subject(bare=True, stream="on", is_long=True),
    f"chat completions, {len(LONG):,} characters": Subject(is_long=True),
    f"chat completions, the same in {CHUNKS} chunks": Subject(stream="on", is_long=True),
    "anthropic, as long": Subject("anthropic", is_long=True),
    "anthropic, the same in chunks": Subject("anthropic", stream="on", is_long=True),
    "gemini, as long": Subject("gemini", is_long=True),
    "gemini, the same in chunks": Subject("gemini", stream="on", is_long=True),
    "responses, as long": Subject("responses", is_long=True),
    "responses, the same in chunks": Subject("responses", stream="on", is_long=True),
}


def main() -> None:
    """Measure every subject in turn, several times, and print the least and the median."""
    if len(sys.argv) == 2 and sys.argv[1].startswith("{"):
        given = json.loads(sys.argv[1])
        print(asyncio.run(_measure(Subject(**given["subject"]), given["url"], given["calls"])))
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wires", description=__doc__)
    parser.add_argument("--calls", type=positive, default=1000, metavar="N", help="of each subject")
    parser.add_argument("--repetitions", type=positive, default=5, metavar="N", help="of everything")
    options = parser.parse_args()
    before = load()
    taken: dict[str, list[float]] = {name: [] for name in SUBJECTS}
    with ScriptedProcess() as short, ScriptedProcess(script=[f"agent:Says({LONG!r})"]) as long:
        for _ in range(options.repetitions):
            for name, subject in SUBJECTS.items():
                url = (long if subject.is_long else short).url
                order = {"subject": msgspec.to_builtins(subject), "url": url, "calls": options.calls}
                taken[name].append(1000 * float(child.order("benchmarks.wires", order)))
    print(f"{machine()}; load {before:.1f} before; {options.calls} calls, {options.repetitions} repetitions\n")
    print("| CPU per call | least (median), ms | times the bare loop beside it, median |")
    print("|---|---|---|")
    for name, subject in SUBJECTS.items():
        base = [
            taken[n] for n, s in SUBJECTS.items() if s.bare and s.stream == "off" and s.is_long == subject.is_long
        ]
        ratio = statistics.median(own / other for own, other in zip(taken[name], base[0], strict=True))
        print(f"| {name} | {min(taken[name]):.3f} ({statistics.median(taken[name]):.3f}) | {ratio:.2f} |")
    plain = [taken[name] for name, subject in SUBJECTS.items() if subject.is_long and subject.wire is None]
    sent, read, whole, streamed = plain
    more = [a - b for a, b in zip(streamed, whole, strict=True)]
    socket = [a - b for a, b in zip(read, sent, strict=True)]
    ours = [a - b for a, b in zip(streamed, read, strict=True)]
    print(
        f"\n{CHUNKS} chunks cost {min(more):.3f} ({statistics.median(more):.3f}) ms more than the whole answer; "
        f"{min(socket):.3f} ({statistics.median(socket):.3f}) ms of it is reading them off the socket. More "
        f"than the loop that reads the same stream and decodes nothing: {min(streamed) - min(read):.3f} "
        f"({statistics.median(ours):.3f}) ms, everything that a call does included."
    )


async def _measure(subject: Subject, url: str, calls: int) -> float:
    """Seconds of CPU per call, after some calls to warm up."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=CONCURRENCY)) as session:
        ask = _bare(subject, url, session) if subject.bare else _client(subject, url, session)
        await _many(ask, max(50, calls // 10))
        started = time.process_time()
        await _many(ask, calls)
        return (time.process_time() - started) / calls


async def _many(ask: Callable[[], Awaitable[Any]], calls: int) -> None:
    waiting = iter(range(calls))

    async def work() -> None:
        for _ in waiting:
            await ask()

    await asyncio.gather(*(work() for _ in range(CONCURRENCY)))


def _messages(subject: Subject) -> list[Any]:
    # Other wires refuse calls whose thoughts they did not think; as much text says the same for the measure.
    return PLAIN if subject.wire else MESSAGES


def _bare(subject: Subject, url: str, session: aiohttp.ClientSession) -> Callable[[], Awaitable[Any]]:
    body: dict[str, Any] = {"model": "agent-1", "messages": MESSAGES}
    if subject.stream == "on":
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    data = msgspec.json.encode(body)

    async def ask() -> None:
        headers = {"Content-Type": "application/json"}
        async with session.post(f"{url}/chat/completions", data=data, headers=headers) as response:
            answer = await response.read()
            if subject.stream == "off":
                msgspec.json.decode(answer)

    return ask


def _client(subject: Subject, url: str, session: aiohttp.ClientSession) -> Callable[[], Awaitable[Any]]:
    settings = RoleSettings(
        role=Role.AGENT, model="agent-1", base_url=url, wire=subject.wire, stream=subject.stream, price=(1, 1)
    ).resolved()
    client = Client(
        settings, Endpoint(url, "agent-1"), session, spend=Spend(Budget()), redactor=Redactor(), retry=RetryPolicy()
    )
    model = client.model(Meter())
    messages = _messages(subject)
    return lambda: model(messages)


if __name__ == "__main__":
    main()
