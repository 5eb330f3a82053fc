"""What a call costs through each door, beside servers that do nothing, on the same libraries in the same run.

    python -m benchmarks.doors [--calls 400] [--times 5] [--open 1000]

Figures are milliseconds of the server process's CPU for a call, and least of several turns that the doors take one
after the other; the median stands in brackets.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import psutil
from mcp.client.client import Client

import worktrial as wt
from benchmarks.inside import CALL, MS, SAMPLE, in_process, in_process_after_a_wait, observation
from benchmarks.machine import load, machine
from benchmarks.measured import ROOT, environment, measure
from benchmarks.rows import Row, at_most, exit_if_missed, plain, print_table, spread
from worktrial.interop.exchange import writer
from worktrial.results.tables import sources

Turn = Callable[[int], Awaitable[float]]
"""Makes so many calls through a door; milliseconds of the server's CPU a call."""


class Server:
    """A server process, and what it has used."""

    def __init__(self, words: list[str], lines: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.PIPE,
            text=True,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdout is not None
        self.said = [self._process.stdout.readline().strip() for _ in range(lines)]
        self._watched = psutil.Process(self._process.pid)

    @property
    def cpu(self) -> float:
        used = self._watched.cpu_times()
        return float(used.user + used.system)

    @property
    def megabytes(self) -> float:
        return float(self._watched.memory_info().rss) / 1e6

    def end(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()


@contextlib.contextmanager
def server(words: list[str], lines: int = 1) -> Iterator[Server]:
    up = Server(words, lines)
    try:
        yield up
    finally:
        up.end()


class Suite:
    """`worktrial serve`, seen by a driver."""

    def __init__(self, up: Server, session: aiohttp.ClientSession) -> None:
        self.up = up
        self.url = up.said[0]
        self._session = session
        self._token = up.said[1].removeprefix("token ")

    async def open(self) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self._token}"}
        async with self._session.post(f"{self.url}/episodes", json={}, headers=headers) as answer:
            assert answer.status == 201, await answer.text()
            opened: dict[str, Any] = await answer.json()
            return opened

    async def finish(self, episode: str) -> None:
        async with self._session.post(f"{self.url}/episodes/{episode}/finish", json={"answer": ""}) as answer:
            assert answer.status == 200, await answer.text()


async def http_calls(session: aiohttp.ClientSession, address: str, calls: int) -> None:
    tool, arguments = CALL
    for _ in range(calls):
        async with session.post(address, json={"tool": tool, "arguments": arguments}) as answer:
            assert answer.status == 200
            await answer.read()


async def mcp_calls(address: str, age: str, up: Server, calls: int) -> float:
    """Milliseconds of the server's CPU a call, the beginning of the connection left out."""
    async with Client(address, mode=age) as client:
        await client.list_tools()
        before = up.cpu
        for _ in range(calls):
            seen = await client.call_tool(*CALL)
            assert not seen.is_error
        return (up.cpu - before) / calls * MS


@contextlib.asynccontextmanager
async def doors(folder: Path) -> AsyncIterator[dict[str, Turn]]:
    with contextlib.ExitStack() as stack:
        words = ["worktrial", "serve", "starter", "--tasks", SAMPLE, "--repeats", "500", "-o", str(folder)]
        ours = stack.enter_context(server(words, 2))
        seen = json.dumps(await observation())
        echo = stack.enter_context(server(["benchmarks.echo_door", "http", seen]))
        echo_mcp = stack.enter_context(server(["benchmarks.echo_door", "mcp", seen]))
        async with aiohttp.ClientSession() as session:
            suite = Suite(ours, session)

            async def http(calls: int) -> float:
                opened = await suite.open()
                address = f"{suite.url}/episodes/{opened['episode']}/calls"
                await http_calls(session, address, 5)
                before = ours.cpu
                await http_calls(session, address, calls)
                used = ours.cpu - before
                await suite.finish(opened["episode"])
                return used / calls * MS

            async def http_echo(calls: int) -> float:
                address = f"{echo.said[0]}/episodes/e/calls"
                await http_calls(session, address, 5)
                before = echo.cpu
                await http_calls(session, address, calls)
                return (echo.cpu - before) / calls * MS

            def mcp(age: str) -> Turn:
                async def turn(calls: int) -> float:
                    opened = await suite.open()
                    used = await mcp_calls(opened["mcp"], age, ours, calls)
                    await suite.finish(opened["episode"])
                    return used

                return turn

            def mcp_echo(age: str) -> Turn:
                return lambda calls: mcp_calls(f"{echo_mcp.said[0]}/mcp", age, echo_mcp, calls)

            yield {
                "in process": in_process,
                "in process, after a wait": in_process_after_a_wait,
                "http": http,
                "http echo": http_echo,
                "mcp, of today": mcp("auto"),
                "mcp, of today, echo": mcp_echo("auto"),
                "mcp, with a handshake": mcp("legacy"),
                "mcp, with a handshake, echo": mcp_echo("legacy"),
            }


async def cost_of_calls(folder: Path, calls: int, times: int) -> list[Row]:
    found: dict[str, list[float]] = {}
    async with doors(folder) as turns:
        for _ in range(times):
            for name, turn in turns.items():
                found.setdefault(name, []).append(await turn(calls))
    inside = min(found["in process, after a wait"])
    beyond = [value - inside for value in found["http"]]
    echo = found["http echo"]
    rows = [
        at_most("in process", found["in process"], 0.20, "ms"),
        plain("in process, after a wait for each", found["in process, after a wait"], "ms"),
        plain("HTTP, all of it", found["http"], "ms", bare=echo),
        within("HTTP beyond the call in process", beyond, echo, 1.3),
        at_most("HTTP beyond the call in process, at most", beyond, 0.8, "ms"),
    ]
    return rows + [
        within(f"MCP, {age}", found[f"mcp, {age}"], found[f"mcp, {age}, echo"], 1.25)
        for age in ("of today", "with a handshake")
    ]


def within(name: str, values: list[float], bare: list[float], limit: float) -> Row:
    ratio = min(values) / min(bare)
    return Row(name, spread(values, "ms"), f"{spread(bare, 'ms')}, x{ratio:.2f}", f"<= x{limit}", ratio <= limit)


async def open_episodes(folder: Path, many: int) -> list[Row]:
    words = ["worktrial", "serve", "starter", "--repeats", str(many // 53 + 2), "-o", str(folder)]
    with server([*words, "--episodes", str(many)], 2) as up:
        async with aiohttp.ClientSession() as session:
            suite = Suite(up, session)
            # What is loaded with the first episode belongs to the server, not to the episodes.
            await suite.finish((await suite.open())["episode"])
            before = up.megabytes
            for _ in range(many):
                opened = await suite.open()
                tool = opened["tools"][0]["function"]["name"]
                address = f"{suite.url}/episodes/{opened['episode']}/calls"
                for _ in range(5):
                    async with session.post(address, json={"tool": tool, "arguments": {}}) as answer:
                        assert answer.status == 200
            after = up.megabytes
    return [
        at_most(f"{many} open episodes with 5 calls each", [after - before], 60, "MB"),
        at_most("the server with all of them", [after], 160, "MB"),
    ]


def exports(times: int) -> list[Row]:
    """What a sample, or a call, costs in the formats of others; of runs under all faults."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        wt.run("starter", "plan", faults="all", out=folder)
        [source] = sources([folder])
        records = [*source.records()]
        calls = sum(record.calls for record in records)
        rows = []
        for form, what, units, limit in (("atif", "sample", len(records), 1.0), ("inspect", "call", calls, 0.4)):
            found = []
            # The first one loads what the format is written with.
            for n in range(times + 1):
                began = time.process_time()
                writer(form)([source], Path(place) / f"{form}-{n}", force=False)
                found.append((time.process_time() - began) / units * MS)
            rows.append(at_most(f"export {form}, a {what}", found[1:], limit, "ms"))
    return rows


def start(times: int) -> list[Row]:
    code = "import time; t = time.process_time(); import worktrial; print(time.process_time() - t)"
    imports = [float(measure([sys.executable, "-c", code]).out) * MS for _ in range(times)]
    once = "import worktrial as wt; wt.run('starter', 'plan', tasks=['lab-01'], out={!r})"
    with tempfile.TemporaryDirectory() as out:
        first = [
            measure([sys.executable, "-c", once.format(str(Path(out) / str(n)))]).cpu
            - measure([sys.executable, "-c", "pass"]).cpu
            for n in range(times)
        ]
    helps = [measure([sys.executable, "-m", "worktrial", "--help"]).cpu for _ in range(times)]
    return [
        at_most("import worktrial", imports, 20, "ms"),
        at_most("first sample of wt.run", first, 0.6, "s"),
        at_most("worktrial --help", helps, 0.3, "s"),
    ]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--calls", type=int, default=400)
    asked.add_argument("--times", type=int, default=5)
    asked.add_argument("--open", type=int, default=1000)
    options = asked.parse_args()
    title = f"{machine()}, load {load():.1f}; {options.calls} calls a turn, {options.times} turns"
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as out:
        parts: list[Callable[[], list[Row]]] = [
            lambda: asyncio.run(cost_of_calls(Path(out) / "calls", options.calls, options.times)),
            lambda: asyncio.run(open_episodes(Path(out) / "open", options.open)),
            lambda: exports(options.times),
            lambda: start(options.times),
        ]
        for part in parts:
            found = part()
            for row in found:
                print(f"{row.name}: {row.figure} {row.bare} {row.verdict}", file=sys.stderr, flush=True)
            rows += found
    print_table(title, rows)
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
