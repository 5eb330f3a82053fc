"""Runs on the caller's event loop: several at once, cancelled ones, and who is told of their progress."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_own_callable import assignment
from tests.engine.rig import QUICK, TinyTrial, ask_once, role_settings
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.agents.assignment import Assignment
from worktrial.agents.own_callable import OwnCallable
from worktrial.engine.manifest import read_manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.run import RunEnd, run_trial, run_trials_async
from worktrial.engine.run_plan import RunPlan, RunSettings
from worktrial.engine.stored import open_run
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError
from worktrial.grading.ballot import in_parallel


async def run_trial_async(trial: TinyTrial, roles: Any, settings: RunSettings, **more: Any) -> RunEnd:
    return (await run_trials_async([RunPlan(trial, roles, settings)], **more))[0]


def settings(folder: Path) -> RunSettings:
    return RunSettings(folder=folder, concurrency=2, retry=QUICK)


def test_several_runs_share_a_loop(tmp_path: Path) -> None:
    running: set[str] = set()
    together: list[set[str]] = []

    async def run(name: str, url: str) -> RunEnd:
        async def do(job: Job, context: SampleContext) -> SampleResult:
            running.add(name)
            together.append(set(running))
            result = await ask_once(job, context)
            running.discard(name)
            return result

        roles = {Role.AGENT: role_settings(url)}
        return await run_trial_async(TinyTrial(6, do), roles, settings(tmp_path / name))

    async def both(url: str) -> list[RunEnd]:
        return await asyncio.gather(run("one", url), run("other", url))

    with ScriptedServer(Script(latency=0.02)) as server:
        ends = asyncio.run(both(server.url))
    assert [len(end.records) for end in ends] == [6, 6]
    assert {"one", "other"} in together
    with ScriptedServer() as server:
        [again, refused] = asyncio.run(twice_in_one_folder(tmp_path / "third", server.url))
    assert isinstance(again, RunEnd)
    assert isinstance(refused, SettingError)


async def twice_in_one_folder(folder: Path, url: str) -> list[RunEnd | BaseException]:
    roles = {Role.AGENT: role_settings(url)}
    runs = [run_trial_async(TinyTrial(3), roles, settings(folder)) for _ in range(2)]
    return await asyncio.gather(*runs, return_exceptions=True)


def test_a_cancelled_run_stops_cleanly(tmp_path: Path) -> None:
    enough = asyncio.Event()

    async def cancel_in_the_middle(url: str) -> None:
        run = run_trial_async(
            TinyTrial(40),
            {Role.AGENT: role_settings(url)},
            settings(tmp_path),
            progress=lambda tally: enough.set() if tally.done >= 5 else None,
        )
        task = asyncio.create_task(run)
        await enough.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The loop is the caller's and goes on.
        await asyncio.sleep(0)

    with ScriptedServer(Script(latency=0.01)) as server:
        asyncio.run(cancel_in_the_middle(server.url))
    stored = open_run(tmp_path)
    assert 5 <= len(stored.records) < 40
    [session] = read_manifest(tmp_path / "manifest.json").sessions
    assert (session.end, session.ended is not None) == ("interrupted", True)
    assert session.tokens >= 5 * len(stored.records)
    with ScriptedServer() as server:
        run_trial(TinyTrial(40), {Role.AGENT: role_settings(server.url)}, settings(tmp_path))
        assert server.count() == 40 - len(stored.records)


def test_progress_is_told_at_the_start_and_after_each_sample(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seen: list[tuple[int, int]] = []
    with ScriptedServer() as server:
        for count in (3, 3):
            roles = {Role.AGENT: role_settings(server.url)}
            run_trial(
                TinyTrial(count),
                roles,
                settings(tmp_path),
                progress=lambda tally: seen.append((tally.done, tally.total)),
            )
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert capfd.readouterr() == ("", "")


def test_signals_are_left_alone_unless_they_are_asked_for(tmp_path: Path) -> None:
    met: list[bool] = []

    async def look(job: Job, context: SampleContext) -> SampleResult:
        met.append(signal.getsignal(signal.SIGTERM) is before)
        return await ask_once(job, context)

    before = signal.getsignal(signal.SIGTERM)
    with ScriptedServer() as server:
        for folder, wanted in (("without", False), ("with", True)):
            roles = {Role.AGENT: role_settings(server.url)}
            run_trial(TinyTrial(1, look), roles, settings(tmp_path / folder), signals=wanted)
    assert met == [True, False]
    assert signal.getsignal(signal.SIGTERM) is before


def test_who_cancels_itself_after_a_failed_vote_ends_only_its_sample(tmp_path: Path) -> None:
    async def vote(number: int) -> None:
        await asyncio.sleep(0)
        raise InvalidSample(InvalidReason.BAD_REPLY, f"vote {number}")

    async def cancels_itself(assignment: Assignment) -> str:
        raise asyncio.CancelledError("the agent's own")

    async def do(job: Job, context: SampleContext) -> SampleResult:
        if job.sample == "0":
            await in_parallel(vote, 2)
        if job.sample == "1":
            raise asyncio.CancelledError("its own")
        if job.sample == "2":
            await OwnCallable(cancels_itself)(assignment())
        return await ask_once(job, context)

    with ScriptedServer() as server:
        alone = RunSettings(folder=tmp_path, concurrency=1, retry=QUICK)
        end = run_trial(TinyTrial(4, do), {Role.AGENT: role_settings(server.url)}, alone)
    outcomes = [record.outcome.value for record in end.records.values()]
    assert outcomes == ["invalid", "invalid", "invalid", "pass"]
    assert end.records["1", 0, "E0"].reason.startswith("internal: CancelledError: its own")
    assert end.records["2", 0, "E0"].reason.startswith("agent_crash: CancelledError: the agent's own")
