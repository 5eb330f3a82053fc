"""Limits of pace: requests and tokens a minute, and as many requests at a time as the process has files for."""

import asyncio
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import HELLO, QUICK, role_settings, with_client
from tests.support.cli import at, samples_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion

from worktrial.engine import connect
from worktrial.engine.admission import Admission
from worktrial.engine.client import Client
from worktrial.engine.connect import affordable
from worktrial.engine.roles import Role
from worktrial.engine.spend import Budget, Meter, Spend
from worktrial.errors import StopRun
from worktrial.secrets import Redactor

SLOW_JUDGE: dict[Role, dict[str, Any]] = {Role.AGENT: {}, Role.JUDGE: {"rpm": 1.0}}


def test_tokens_per_minute_are_bounded() -> None:
    async def four(client: Client) -> None:
        for _ in range(4):
            await client.model(Meter())(HELLO)

    # 60,600 tokens before the fourth request, of which all but 60,000 have to wait for the next seconds' thousands.
    said = completion("x" * 4 * 20_200)
    with ScriptedServer(Script(agent=lambda request: said)) as server:
        with_client(server.url, four, tpm=60_000)
    arrived = [r.arrived for r in server.requests]
    assert arrived[3] - arrived[0] > 0.5


def paced(tpm: int) -> Admission:
    return Admission(role_settings("http://localhost:9/v1", tpm=tpm), Spend(Budget()))


def test_what_an_answer_took_is_owed_by_the_next_request() -> None:
    async def waits() -> list[bool]:
        pace = paced(600)
        first = await pace.enter(400)
        assert first == 101
        pace.book(first, 601)
        # Now 500 are owed: with a hundred more, ten seconds' worth more than there is.
        in_time = []
        for size in (4, 4):
            try:
                await asyncio.wait_for(pace.enter(size), 0.05)
                in_time.append(True)
            except TimeoutError:
                in_time.append(False)
        return in_time

    assert asyncio.run(waits()) == [False, True]


def test_what_was_held_too_much_is_given_back() -> None:
    async def many() -> None:
        pace = paced(1000)
        for _ in range(50):
            held = await asyncio.wait_for(pace.enter(2000), 0.5)
            pace.book(held, 1)

    asyncio.run(many())


def test_a_request_larger_than_a_minute_is_sent_all_the_same() -> None:
    async def one() -> int:
        return await asyncio.wait_for(paced(100).enter(4000), 0.5)

    assert asyncio.run(one()) == 1001


def test_requests_per_minute_are_spread() -> None:
    async def four(client: Client) -> None:
        await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(4)))

    with ScriptedServer() as server:
        begun = time.monotonic()
        with_client(server.url, four, rpm=600)
    arrived = sorted(r.arrived for r in server.requests)
    # A busy machine may hold any of them up, and lets none set out before its time.
    assert all(at - begun > 0.1 * number - 0.02 for number, at in enumerate(arrived))


def test_a_role_that_waits_for_its_pace_keeps_no_place_from_another() -> None:
    async def work(url: str) -> None:
        roles = {role: role_settings(url, role, **more).resolved() for role, more in SLOW_JUDGE.items()}
        async with connect.connect(
            roles, connect.Wiring(4, QUICK), spend=Spend(Budget()), redactor=Redactor()
        ) as to:
            votes = [asyncio.create_task(to[Role.JUDGE].model(Meter())(HELLO)) for _ in range(8)]
            while not server.requests:
                await asyncio.sleep(0.01)
            await to[Role.AGENT].model(Meter())(HELLO)
            # Seven votes wait for a minute each: none is due before the agent is answered.
            assert sum(vote.done() for vote in votes) <= 1
            for vote in votes:
                vote.cancel()

    with ScriptedServer() as server:
        asyncio.run(asyncio.wait_for(work(server.url), 30))
    assert sorted(request.body["model"] for request in server.requests) == ["agent-1", "judge-1"]


def test_a_process_with_few_files_sends_fewer_requests_and_says_so(tmp_path: Path) -> None:
    """64 file descriptors and 256 samples in flight."""
    run = tmp_path / "run"
    with ScriptedServer(Script(latency=0.02)) as server:
        words = ["run", "starter", *at(server.url, agent="agent-1")[:4], "--repeats", "3", "--concurrency", "256"]
        command = [sys.executable, "-m", "worktrial", *words, "-o", str(run)]
        limited = ["bash", "-c", 'ulimit -n 64; exec "$@"', "-", *command]
        ran = subprocess.run(limited, capture_output=True, text=True, timeout=250, check=False)
        peak = server.stats()["connections_peak"]
    records = samples_of(run)
    assert ran.returncode == 0, ran.stderr
    assert len(records) == 3 * 53
    assert {r["outcome"] for r in records} <= {"pass", "fail"}
    assert "may open 64 files" in ran.stderr
    assert ran.stderr.count("requests are sent at a time instead of 260") == 1
    assert 1 <= peak < 64


def test_the_limit_is_raised_where_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(resource, "getrlimit", lambda what: (32, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: asked.append(limits))
    assert affordable(300, pytest.fail) == 300
    assert asked[0][0] > 300
    assert asked[0][1] == 4096


def test_without_any_file_left_the_run_stops_with_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda what: (10, 10))
    monkeypatch.setattr(resource, "setrlimit", lambda what, limits: None)
    with pytest.raises(StopRun, match=r"may open 10 files, .*ulimit -n"):
        affordable(4, pytest.fail)
    # A system that knows no such limit.
    monkeypatch.setattr(connect, "resource", None)
    assert affordable(4, pytest.fail) == 4
