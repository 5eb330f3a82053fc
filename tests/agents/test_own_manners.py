"""What a user's own function does to everybody else: prints, blocks the loop, goes on after its end."""

import asyncio
import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.agents.test_own_callable import assignment, crash_of

import worktrial as wt
from worktrial.agents import stubborn
from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.block_watch import BlockWatch
from worktrial.agents.own_callable import OwnCallable
from worktrial.workplaces import StopReason


async def says(given: Assignment) -> str:
    print("to out")
    await asyncio.sleep(0)
    print("to err", file=sys.stderr)
    await asyncio.to_thread(print, "in a thread")
    return given.instruction


def says_plainly(given: Any) -> str:
    print("to out")
    print("to err", file=sys.stderr)
    print("in a thread")
    return str(given.instruction)


@pytest.mark.parametrize("agent", [says, says_plainly])
def test_what_an_agent_prints_is_in_its_samples_record(
    agent: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.stdout
    ran = wt.run("starter", agent, tasks=["lab-01-03"], out=tmp_path / "run")
    assert capsys.readouterr() == ("", "")
    assert sys.stdout is before
    for record in ran.run.records:
        assert ran.trajectory(*record.key)["printed"] == "to out\nto err\nin a thread\n"
    silent = wt.run("starter", "plan", tasks=["lab-01"], out=tmp_path / "plan")
    assert "printed" not in silent.trajectory("lab-01")


def test_trajectory_shows_it(tmp_path: Path) -> None:
    from tests.support.cli import command

    wt.run("starter", says, tasks=["lab-01"], out=tmp_path / "run")
    shown = command("trajectory", str(tmp_path / "run"), "lab-01").out
    assert "printed by the agent" in shown
    assert "in a thread" in shown


def test_prints_of_samples_side_by_side_are_kept_apart() -> None:
    async def chats(given: Assignment) -> str:
        for _ in range(50):
            print(given.instruction)
            await asyncio.sleep(0)
        return ""

    async def both() -> list[Assignment]:
        given = [assignment(), assignment()]
        given[1].instruction = "Another."
        await asyncio.gather(*(OwnCallable(chats)(one) for one in given))
        return given

    for one in asyncio.run(both()):
        assert one.trajectory.printed == f"{one.instruction}\n" * 50


def test_what_the_engine_says_meanwhile_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.agents.test_tool_loop import Desk

    class Loud(Desk):
        async def call(self, tool: str, arguments: Any) -> Any:
            print("the endpoint is slow", file=sys.stderr)
            return await super().call(tool, arguments)

    async def works(given: Assignment) -> str:
        await given.call("look", {"id": 7})
        print("mine")
        return "done"

    given = assignment(Loud())
    asyncio.run(OwnCallable(works)(given))
    assert capsys.readouterr().err == "the endpoint is slow\n"
    assert given.trajectory.printed == "mine\n"


async def blocks(given: Assignment) -> str:
    time.sleep(2)
    return "late"


def test_an_agent_that_blocks_the_loop_is_named_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ran = wt.run("starter", blocks, tasks=["lab-01-02"], out=tmp_path / "run")
    warnings = re.findall("worktrial: .*", capsys.readouterr().err)
    (warning,) = warnings
    assert "python:tests.agents.test_own_manners:blocks" in warning
    assert f"{Path(__file__).name}:{blocks.__code__.co_firstlineno + 1}" in warning
    assert "--isolate" in warning
    assert {r.stop_reason for r in ran.run.records} == {"answered"}


def test_who_waits_and_who_works_in_a_thread_does_not_block(capsys: pytest.CaptureFixture[str]) -> None:
    async def waits(given: Assignment) -> str:
        await asyncio.sleep(2)
        return ""

    def sleeps(given: Any) -> str:
        time.sleep(2)
        return ""

    async def both() -> None:
        await asyncio.gather(
            *(OwnCallable(agent, BlockWatch("python:mine:it"))(assignment()) for agent in (waits, sleeps))
        )

    asyncio.run(both())
    assert capsys.readouterr().err == ""


def test_an_answer_after_the_limit_of_time_does_not_count() -> None:
    async def blocks_for_long(given: Assignment) -> str:
        time.sleep(0.3)
        return "late"

    given = assignment(limits=Limits(seconds=0.1))
    asyncio.run(OwnCallable(blocks_for_long)(given))
    assert (given.trajectory.stop_reason, given.trajectory.answer) == (StopReason.TIME_LIMIT, "")


@pytest.mark.parametrize("how", ["swallows", "swallows everything", "answers all the same"])
def test_who_swallows_the_end_of_its_time_is_dismissed(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stubborn, "GRACE_SECONDS", 0.05)

    async def goes_on(given: Assignment) -> str:
        kind = BaseException if how == "swallows everything" else asyncio.CancelledError
        while True:
            try:
                await asyncio.sleep(600)
            except kind:
                if how == "answers all the same":
                    return "late"

    given = assignment(limits=Limits(seconds=0.1))
    asyncio.run(OwnCallable(goes_on)(given))
    assert (given.trajectory.stop_reason, given.trajectory.answer) == (StopReason.TIME_LIMIT, "")


def test_limits_of_time_of_its_own_are_its_own_concern(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stubborn, "GRACE_SECONDS", 0.05)

    async def tries(given: Assignment) -> str:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await asyncio.sleep(600)
        await asyncio.sleep(0.2)
        with pytest.raises(ExceptionGroup):
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.sleep(600))
                group.create_task(_fails())
        await asyncio.sleep(0.2)
        return "whole"

    given = assignment()
    asyncio.run(OwnCallable(tries)(given))
    assert given.trajectory.answer == "whole"


async def _fails() -> None:
    raise ValueError("it")


def test_what_is_left_running_makes_no_more_calls() -> None:
    refused: list[str] = []

    async def leaves_a_task(given: Assignment) -> str:
        async def later() -> None:
            await asyncio.sleep(0.01)
            try:
                await given.call("close", {})
            except RuntimeError as e:
                refused.append(str(e))

        left.append(asyncio.create_task(later()))
        return "done"

    left: list[asyncio.Task[None]] = []
    given = assignment()

    async def whole() -> None:
        await OwnCallable(leaves_a_task)(given)
        await left[0]

    asyncio.run(whole())
    assert refused == ["the work has ended: no more calls are made"]
    assert given.trajectory.calls == []


def test_call_sync_from_a_thread_and_not_from_the_loop() -> None:
    async def mixed(given: Assignment) -> str:
        with pytest.raises(RuntimeError, match="await call"):
            given.call_sync("look", {"id": 7})
        seen: list[Any] = []
        thread = threading.Thread(target=lambda: seen.append(given.call_sync("look", {"id": 7})))
        thread.start()
        while thread.is_alive():
            await asyncio.sleep(0.01)
        return str(seen[0]["n"])

    given = assignment()
    asyncio.run(OwnCallable(mixed)(given))
    assert (given.trajectory.answer, len(given.trajectory.calls)) == ("1", 1)


@pytest.mark.parametrize("answer", ["half \ud83d", "\udfff"])
def test_half_a_surrogate_pair_is_no_answer(answer: str) -> None:
    async def answers(given: Assignment) -> str:
        return answer

    assert "no text" in crash_of(answers).detail


def test_a_name_of_a_tool_that_nobody_can_store() -> None:
    async def calls(given: Assignment) -> str:
        await given.call("\ud800", {})
        return "never"

    assert "Unstorable" in crash_of(calls).detail


def test_strings_of_a_frameworks_own_kind(tmp_path: Path) -> None:
    class Text(str):
        def __str__(self) -> str:
            return "something else"

    async def works(given: Assignment) -> str:
        await given.call(Text("get_sample"), {Text("sample_id"): Text("S-203")})
        return Text("done")

    ran = wt.run("starter", works, tasks=["lab-01"], out=tmp_path / "run")
    line = ran.trajectory("lab-01")
    assert (line["answer"], line["calls"][0]["arguments"]) == ("done", {"sample_id": "S-203"})
