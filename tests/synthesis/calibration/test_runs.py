import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.rig import client_at
from tests.support.behaviours import RefusesKey, Status
from tests.support.happy import HappyJudge, verdict
from tests.support.judge_behaviours import Verdict
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import completion
from tests.synthesis.drafts import slot, task, workplace

from worktrial.engine.client import Client
from worktrial.engine.roles import Role
from worktrial.errors import StopRun
from worktrial.synthesis.artifacts import JobSpec, SlotRun, TaskDraft, WorkplaceDraft
from worktrial.synthesis.calibration.rules import rules_of
from worktrial.synthesis.calibration.runs import CalibrationSettings, SlotRunner, runner_for
from worktrial.synthesis.calibration.sampling import calibrate
from worktrial.synthesis.files import content_hash

SPEC = JobSpec(role="parcel clerk")


def with_runner(
    url: str,
    work: Callable[[SlotRunner], Awaitable[Any]],
    cache: Path | None = None,
    home: WorkplaceDraft | None = None,
    given: TaskDraft | None = None,
) -> Any:
    """What `work` returns, given a runner for the small slot."""

    async def run() -> Any:
        async with AsyncExitStack() as stack:
            clients: dict[str, Client] = {
                role.value: await stack.enter_async_context(client_at(url, role=role, cache=cache))
                for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE)
            }
            make = runner_for(SPEC, clients, CalibrationSettings())
            return await work(make(slot(), home or workplace(), given or task()))

    return asyncio.run(run())


def one(url: str, kind: str = "free", number: int = 0, **more: Any) -> SlotRun:
    async def work(runner: SlotRunner) -> SlotRun:
        return await runner("parcels-2", kind, number)  # type: ignore[arg-type]

    row = with_runner(url, work, **more)
    assert isinstance(row, SlotRun)
    return row


def test_a_run_is_made_and_judged_by_majority() -> None:
    with ScriptedServer(Script(judge=Verdict())) as server:
        row = one(server.url)
        assert (row.outcome, row.kind, row.number, row.slot) == ("pass", "free", 0, "parcels-2")
        assert row.content == content_hash(workplace(), task())
        assert row.calls == 2
        assert row.tokens > 0
        # Of three votes two equal ones decide.
        assert [vote.is_correct for vote in row.votes] == [True, True]
        assert row.trajectory is not None
        assert [call["tool"] for call in row.trajectory["calls"]] == ["get_parcel", "hand_out"]
        assert server.count(Role.JUDGE) == 2
        # A row survives its file.
        assert msgspec.json.decode(msgspec.json.encode(row), type=SlotRun).votes == row.votes
    with ScriptedServer(Script(judge=Verdict(False, "P-1 was not looked up."))) as server:
        assert one(server.url).outcome == "fail"


def test_only_runs_of_its_kind_see_the_plan() -> None:
    with ScriptedServer() as server:
        one(server.url, "plan")
        one(server.url, "free")
        first, *_ = server.of(Role.AGENT)
        asked = [json.dumps(request.messages) for request in server.of(Role.AGENT)]
    assert "Is it on the shelf?" in asked[0]
    assert "hand_out" in json.dumps(first.messages)
    free = [text for text in asked if "Is it on the shelf?" not in text]
    assert len(free) == len(asked) // 2
    assert not any("A plan that leads there" in text for text in free)
    # The judge holds both to the same rubric.
    judged = {json.dumps(r.messages).count("was looked up with get_parcel") for r in server.of(Role.JUDGE)}
    assert judged == {1}


def test_a_run_made_before_is_replayed_and_any_other_is_a_new_draw(tmp_path: Path) -> None:
    changed = msgspec.structs.replace(task(), rubric="1. P-1 is handed_out.")
    with ScriptedServer() as server:
        first = one(server.url, "plan", 0, cache=tmp_path)
        paid = server.count()
        again = one(server.url, "plan", 0, cache=tmp_path)
        assert server.count() == paid
        assert (again.outcome, again.votes, again.tokens) == (first.outcome, first.votes, first.tokens)
        assert again.trajectory is not None
        assert first.trajectory is not None
        assert again.trajectory["messages"] == first.trajectory["messages"]
        one(server.url, "plan", 1, cache=tmp_path)
        assert server.count() == 2 * paid
        one(server.url, "free", 0, cache=tmp_path)
        assert server.count() == 3 * paid
        # A repair is not judged by the very runs that it was made to suit.
        one(server.url, "plan", 0, cache=tmp_path, given=changed)
        assert server.count() == 4 * paid


def test_trouble_makes_a_run_invalid_and_never_failed() -> None:
    with ScriptedServer(Script(simulator=Status(500))) as server:
        row = one(server.url)
        assert row.outcome == "invalid"
        assert row.reason.startswith("endpoint_unavailable")
        assert row.trajectory is not None
    twice = msgspec.structs.replace(workplace(), tools=[*workplace().tools, workplace().tools[0]])
    no_plan = msgspec.structs.replace(task(), plan=[])
    with ScriptedServer() as server:
        row = one(server.url, home=twice)
        assert (row.outcome, row.reason.split(":")[0]) == ("invalid", "task_data")
        assert "get_parcel" in row.reason
        assert one(server.url, "plan", given=no_plan).reason == "task_data: the plan has no step"
        assert server.count() == 0
        assert one(server.url, "free", given=no_plan).outcome == "pass"


def test_what_no_file_can_hold_makes_a_run_invalid() -> None:
    def broken(request: ScriptedRequest) -> Any:
        return b'{"choices":[{"message":{"role":"assistant","content":"\\ud800"},"finish_reason":"stop"}]}'

    def as_reply(request: ScriptedRequest) -> Any:
        from tests.support.wire import Reply

        return Reply(broken(request))

    with ScriptedServer(Script(agent=as_reply)) as server:
        row = one(server.url)
    assert row.outcome == "invalid"
    msgspec.json.encode(row)


def test_a_refusal_ends_everything() -> None:
    with ScriptedServer(Script(agent=RefusesKey())) as server:
        with pytest.raises(StopRun):
            one(server.url)


def test_another_slot_is_a_defect() -> None:
    with ScriptedServer() as server:
        with pytest.raises(ValueError, match="for parcels-2, not for letters-1"):
            with_runner(server.url, lambda runner: runner("letters-1", "free", 0))


def _says_whether_it_had_the_plan(request: ScriptedRequest) -> Any:
    had = "A plan that leads there" in json.dumps(request.messages)
    return completion("Done by the plan." if had else "Done without any.")


def _passes_with_plan(request: ScriptedRequest) -> Any:
    return verdict(True, "As planned.") if "Done by the plan." in json.dumps(request.messages) else None


def test_calibrated_over_the_wire() -> None:
    judge = HappyJudge(pass_share=0.5, key=lambda request: request.number_in_role)
    agent = _says_whether_it_had_the_plan

    async def work(runner: SlotRunner) -> Any:
        async def run(kind: Any, number: int) -> SlotRun:
            return await runner("parcels-2", kind, number)

        content = content_hash(workplace(), task())
        return await calibrate("parcels-2", content, run, [], rules_of(SPEC))

    with ScriptedServer(Script(agent=agent, judge=[_passes_with_plan, judge])) as server:
        found = with_runner(server.url, work)
        assert server.count(Role.JUDGE) >= 2 * (found.plan.n + found.free.n)
    assert (found.plan.passed, found.plan.n) == (3, 3)
    assert found.free.n >= 3
    with ScriptedServer(Script(agent=lambda request: completion("I will not."), judge=Verdict(False))) as server:
        found = with_runner(server.url, work)
    assert (found.verdict, found.plan.n, found.free.n) == ("unsolvable", 5, 0)
