"""Episodes over MCP, with the SDK's own client, at both ages of the protocol."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from mcp.client.client import Client
from mcp_types import TextContent
from tests.support.served import ServedSuite, served

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
