"""Agents that are services: replies, good and bad, and what is sent again."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from tests.support.plan_driver import follow_plan, what_counts

import worktrial as wt
from worktrial.errors import SettingError
from worktrial.interop.programs import service
from worktrial.named_agents import resolve_agent
from worktrial.suites.starter import suite

SAMPLE = "returns-01"
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def tried(answer: Answer, out: Path, **options: Any) -> wt.Run:
    """Run of the sample with an agent that answers as `answer` does."""

    async def whole() -> wt.Run:
        app = web.Application()
        app.router.add_post("/agent", answer)
        # Who still waits for an answer would hold the end of the server up for a minute.
        runner = web.AppRunner(app, shutdown_timeout=1)
        await runner.setup()
        try:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            port = runner.addresses[0][1]
            return await wt.run_async(
                "starter", f"http://127.0.0.1:{port}/agent", out=out, tasks=[SAMPLE], **options
            )
        finally:
            await runner.cleanup()

    return asyncio.run(whole())


async def does_the_work(request: web.Request) -> web.Response:
    given = await request.json()
    assert given["episode"] + "/calls" == given["calls"]
    assert given["episode"] + "/mcp" == given["mcp"]
    assert given["finish_tool"] in {tool["function"]["name"] for tool in given["tools"]}
    async with aiohttp.ClientSession() as session:

        async def call(tool: str, arguments: Any) -> Any:
            async with session.post(given["calls"], json={"tool": tool, "arguments": arguments}) as answer:
                return (await answer.json())["observation"]

        return web.json_response({"answer": await follow_plan(SAMPLE, call)})


def test_the_same_verdict_calls_and_faults_as_the_plan_agent(tmp_path: Path) -> None:
    ran = tried(does_the_work, tmp_path / "run", faults="E0,E2")
    plan = wt.run("starter", "plan", out=tmp_path / "plan", tasks=[SAMPLE], faults="E0,E2")
    expected = {record.key: record for record in plan.run.records}
    for record in ran.run.records:
        theirs = what_counts(expected[record.key], plan.trajectory(*record.key))
        assert what_counts(record, ran.trajectory(*record.key)) == theirs
        assert record.answered_by == "driver"


def replies(status: int, body: bytes) -> Answer:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=status, body=body)

    return answer


async def breaks_off(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"answer": "')
    assert request.transport is not None
    request.transport.close()
    return response


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (replies(500, b"no model\nis loaded"), "replied 500: no model is loaded"),
        (replies(302, b""), "replied 302"),
        (replies(200, b"done"), "replied no JSON"),
        (replies(200, b"[" * 100_000), "replied no JSON"),
        (replies(200, b'{"answer": 7}'), 'reply {"answer": "…"}'),
        (replies(200, b'["answer"]'), 'reply {"answer": "…"}'),
        (replies(200, json.dumps({"answer": "x" * 2_000_000}).encode()), "more than 1,000,000 bytes"),
        (replies(200, b'{"answer": "half \\ud83d"}'), "replied no JSON"),
        (breaks_off, "broke off its reply"),
    ],
    ids=["error", "elsewhere", "text", "deep", "number", "list", "long", "half a pair", "breaks off"],
)
def test_a_bad_reply_makes_the_sample_invalid_and_nothing_is_sent_again(
    tmp_path: Path, answer: Answer, reason: str
) -> None:
    asked = []

    async def counted(request: web.Request) -> web.StreamResponse:
        asked.append(request)
        return await answer(request)

    (record,) = tried(counted, tmp_path / "run").run.records
    # No call of its has reached the workplace, so nobody knows what its model would have done.
    assert record.invalid_reason == "agent_never_reached"
    assert reason in record.reason
    assert len(asked) == 1


def test_nobody_there_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_PAUSE_SECONDS", 0.01)
    hung_up = []

    async def hangs_up(request: web.Request) -> web.StreamResponse:
        hung_up.append(request)
        if len(hung_up) == service.TRIES:
            return web.json_response({"answer": "At last."})
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    ran = tried(hangs_up, tmp_path / "run")
    assert ran.trajectory(SAMPLE)["answer"] == "At last."
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http:http://127.0.0.1:{free.getsockname()[1]}/"
    (record,) = wt.run("starter", address, out=tmp_path / "nobody", tasks=[SAMPLE]).run.records
    assert record.invalid_reason == "endpoint_unavailable"


def test_who_hangs_up_after_a_call_is_not_asked_again(tmp_path: Path) -> None:
    asked = []

    async def hangs_up(request: web.Request) -> web.StreamResponse:
        asked.append(request)
        given = await request.json()
        async with aiohttp.ClientSession() as session:
            async with session.post(given["calls"], json={"tool": "no_such_tool", "arguments": {}}) as answer:
                assert (await answer.json())["is_error"]
        assert request.transport is not None
        request.transport.close()
        return web.Response()

    (record,) = tried(hangs_up, tmp_path / "run").run.records
    assert (record.invalid_reason, record.calls, len(asked)) == ("agent_crash", 1, 1)


def test_who_hangs_is_ended_by_its_time(tmp_path: Path) -> None:
    async def hangs(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(600)
        return web.Response()

    (record,) = tried(hangs, tmp_path / "run", sample_seconds=2).run.records
    assert record.stop_reason == "time_limit"


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        ("http:", "write http:URL"),
        ("http:localhost", "write http:URL"),
        ("http:ftp://localhost/", "write http:URL"),
        ("http://localhost:99999/", "write http:URL"),
        ("https://name:word@host/agent", "no password and no query"),
        ("http://host/agent?key=1", "no password and no query"),
    ],
)
def test_what_is_no_address(agent: str, shown: str) -> None:
    with pytest.raises(SettingError, match=shown):
        resolve_agent(agent, suite)
