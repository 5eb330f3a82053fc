"""Episodes over MCP, with the SDK's own client, at both ages of the protocol."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import TextContent
from tests.support.served import ServedSuite, served

import worktrial as wt

AGES = ["legacy", "auto"]
_ACCEPT = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSuite]:
    folder = tmp_path_factory.mktemp("served") / "run"
    with served(folder, "--tasks", "lab-01", "--repeats", "60") as up:
        yield up


def with_client(address: str, age: str, work: Callable[[Client], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with Client(address, mode=age) as client:
            await work(client)

    asyncio.run(whole())


@pytest.mark.parametrize("age", AGES)
def test_the_tools_and_the_task_come_as_they_are(server: ServedSuite, age: str) -> None:
    episode = server.open()

    async def work(client: Client) -> None:
        assert client.instructions == episode["instruction"]
        listed = (await client.list_tools()).tools
        assert [
            {"name": tool.name, "description": tool.description, "parameters": tool.input_schema} for tool in listed
        ] == [tool["function"] for tool in episode["tools"]]

    with_client(episode["mcp"], age, work)
    server.finish(episode)


@pytest.mark.parametrize("age", AGES)
def test_observations_and_errors(server: ServedSuite, age: str) -> None:
    episode = server.open()

    async def work(client: Client) -> None:
        seen = await client.call_tool("get_sample", {"sample_id": "S-203"})
        (block,) = seen.content
        assert isinstance(block, TextContent)
        assert not seen.is_error
        assert json.loads(block.text) == seen.structured_content
        wrong = await client.call_tool("get_sample", {"sample_id": "S-999"})
        (block,) = wrong.content
        assert isinstance(block, TextContent)
        assert wrong.is_error
        assert json.loads(block.text) == wrong.structured_content
        assert wrong.structured_content["error"]["type"] == "unknown_sample"
        unknown = await client.call_tool("no_such_tool", {})
        assert unknown.is_error
        no_answer = await client.call_tool("finish_work", {})
        assert no_answer.is_error
        handed_in = await client.call_tool("finish_work", {"answer": "done"})
        assert not handed_in.is_error
        late = await client.call_tool("get_sample", {"sample_id": "S-203"})
        (block,) = late.content
        assert isinstance(block, TextContent)
        assert (late.is_error, "the episode is over" in block.text) == (True, True)

    with_client(episode["mcp"], age, work)
    status, verdict = server.finish(episode)
    assert (status, verdict["answered_by"], verdict["calls"]) == (200, "tool", 3)

    async def afterwards(client: Client) -> None:
        late = await client.call_tool("get_sample", {"sample_id": "S-203"})
        assert late.is_error

    if age == "auto":
        return
    with pytest.raises(BaseExceptionGroup):
        with_client(episode["mcp"], age, afterwards)


@pytest.mark.parametrize("age", AGES)
def test_the_address_is_the_episode_and_not_the_session(server: ServedSuite, age: str) -> None:
    """An agent that connects anew for each call, or twice at once, is in the same episode."""
    episode, other = server.open(), server.open()

    async def call(client: Client) -> None:
        await client.call_tool("get_sample", {"sample_id": "S-203"})

    async def both() -> None:
        async with Client(episode["mcp"], mode=age) as one, Client(episode["mcp"], mode=age) as two:
            await asyncio.gather(call(one), call(two), call(one))

    for _ in range(2):
        with_client(episode["mcp"], age, call)
    asyncio.run(both())
    assert server.state(episode)["calls"] == 5
    assert server.state(other)["calls"] == 0
    server.finish(episode)
    server.finish(other)


def _request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {"a": NaN}}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\ud800", "arguments": {}}}',
        b"[" * 200_000 + b"]" * 200_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_message(server: ServedSuite, raw: bytes) -> None:
    episode = server.open()
    status, said = server.ask("POST", f"/episodes/{episode['episode']}/mcp", raw=raw, headers=_ACCEPT)
    assert (status, said["error"]["code"]) == (400, -32700)
    assert server.finish(episode)[1]["calls"] == 0


def test_what_cannot_be_done_over_mcp(server: ServedSuite) -> None:
    episode = server.open()
    path = f"/episodes/{episode['episode']}/mcp"
    assert server.ask("GET", path, headers={"Accept": "text/event-stream"})[0] == 405
    assert server.ask("DELETE", path)[0] == 405
    assert server.ask("POST", path, raw=b" " * 50_000_000, headers=_ACCEPT)[0] == 413
    nested: Any = 1
    for _ in range(100):
        nested = [nested]
    body = _request("tools/call", name="get_sample", arguments={"sample_id": nested})
    status, said = server.ask("POST", path, body, headers=_ACCEPT)
    assert (status, said["result"]["isError"]) == (200, True)
    assert "deeper than 64" in said["result"]["content"][0]["text"]
    assert server.ask("POST", path, _request("no/such"), headers=_ACCEPT)[1]["error"]["code"] == -32601
    assert server.ask("POST", path, _request("tools/call"), headers=_ACCEPT)[1]["error"]["code"] == -32602
    assert server.ask("POST", path, [], headers=_ACCEPT)[0] == 400
    assert server.ask("POST", path, {}, headers={**_ACCEPT, "Origin": "https://evil.example"})[0] == 403
    assert server.finish(episode)[1]["calls"] == 0


# On the standard streams.


def over_stdio(folder: Path, age: str, work: Callable[[Client], Awaitable[None]], *options: str) -> str:
    """What the server says on standard error at the end of an episode."""
    words = ["-m", "worktrial", "serve", "starter", "-o", str(folder), "--stdio", *options]
    errors = folder.with_suffix(".err")

    async def whole() -> None:
        with errors.open("w") as log:
            parameters = StdioServerParameters(command=sys.executable, args=words, env=dict(os.environ))
            async with Client(stdio_client(parameters, errlog=log), mode=age) as client:
                await work(client)

    asyncio.run(whole())
    return errors.read_text()


async def one_call(client: Client) -> None:
    assert "finish_work" in (client.instructions or "")
    assert not (await client.call_tool("get_sample", {"sample_id": "S-203"})).is_error


async def no_call(client: Client) -> None:
    await client.list_tools()


async def handed_in(client: Client) -> None:
    await one_call(client)
    await client.call_tool("finish_work", {"answer": "done"})


@pytest.mark.parametrize(
    ("age", "work", "outcome", "reason", "answered_by", "calls"),
    [
        ("legacy", one_call, "fail", "", "end", 1),
        ("auto", one_call, "fail", "", "end", 1),
        ("auto", handed_in, "fail", "", "tool", 1),
        ("auto", no_call, "invalid", "abandoned: the agent went away without a call", None, 0),
    ],
)
def test_the_end_of_input_ends_the_episode(
    tmp_path: Path,
    age: str,
    work: Callable[[Client], Awaitable[None]],
    outcome: str,
    reason: str,
    answered_by: str | None,
    calls: int,
) -> None:
    said = over_stdio(tmp_path / "run", age, work, "--sample", "lab-02", "--limit", "20")
    (record,) = wt.load(tmp_path / "run").run.records
    found = (record.sample, record.outcome, record.answered_by, record.calls)
    assert found == ("lab-02", outcome, answered_by, calls)
    assert record.reason.startswith(reason)
    assert f"lab-02: {outcome}" in said
    assert (record.stop_reason == "empty_answer") == (answered_by == "end")


def test_a_client_that_ends_the_server_at_once_does_not_end_its_verdict(tmp_path: Path) -> None:
    words = ["-m", "worktrial", "serve", "starter", "-o", str(tmp_path / "run"), "--stdio", "--sample", "lab-02"]
    lines = [
        _request(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "c", "version": "1"}
        ),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {**_request("tools/call", name="get_sample", arguments={"sample_id": "S-203"}), "id": 2},
    ]
    with (tmp_path / "err").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    server.stdin.flush()
    for _ in range(2):
        assert b'"result"' in server.stdout.readline()
    # As clients do, only sooner.
    server.stdin.close()
    os.killpg(server.pid, signal.SIGKILL)
    # The end of output is that of all who could still write some.
    assert server.stdout.read() == b""
    assert server.wait() == -signal.SIGKILL
    (record,) = wt.load(tmp_path / "run").run.records
    assert (record.sample, record.outcome, record.answered_by, record.calls) == ("lab-02", "fail", "end", 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_the_end_of_input_stops_the_server(tmp_path: Path, number: signal.Signals) -> None:
    words = ["-m", "worktrial", "serve", "starter", "-o", str(tmp_path / "run"), "--stdio", "--sample", "lab-02"]
    server = subprocess.Popen(
        [sys.executable, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(json.dumps(_request("ping")).encode() + b"\n")
    server.stdin.flush()
    server.stdout.readline()
    server.send_signal(number)
    # The input stays open until the server has ended; its end would be an answer.
    server.wait(timeout=60)
    _, said = server.communicate()
    assert (server.returncode, b"interrupted" in said) == (130, True)
    assert not wt.load(tmp_path / "run").run.records
