"""Runs that calibrate: worked on and judged as in the finished suite."""

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.rig import client_at
from tests.support.behaviours import RefusesKey, Status
from tests.support.judge_behaviours import Verdict
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.drafts import place, task

from worktrial.agents.candidates import Candidate
from worktrial.engine.client import Client
from worktrial.engine.roles import Role
from worktrial.errors import StopRun
from worktrial.suites.simulated.tasks import TaskSet
from worktrial.suites.simulated.trial import SimulatedSettings, simulated_trial
from worktrial.synthesis.artifacts import JobSpec, SlotRun, TaskDraft
from worktrial.synthesis.calibration.runs import calibration_run
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.simulated.session import run_task

SPEC = JobSpec(role="parcel clerk")


def one(
    url: str, kind: Any = "free", number: int = 0, *, cache: Path | None = None, given: TaskDraft | None = None
) -> SlotRun:
    draft = given or task()
    work = run_task(draft, "en", SPEC, place())
    data = TaskSet(Path(), [work], {"parcels": playable(place().whole)}, "content")
    settings = SimulatedSettings(with_plan=kind == "plan")
    trial = simulated_trial("synthesis", data, [work], Candidate("model", "agent-1"), settings)
    content = str(hash(draft.rubric))

    async def run() -> SlotRun:
        async with AsyncExitStack() as stack:
            clients: dict[str, Client] = {
                role.value: await stack.enter_async_context(client_at(url, role=role, cache=cache))
                for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE)
            }
            made = await calibration_run(draft.id, kind, number, content, trial, clients)
            return msgspec.json.decode(msgspec.json.encode(made), type=SlotRun)  # as it comes back from its file

    return asyncio.run(run())


def test_a_run_is_made_and_judged_by_majority() -> None:
    with ScriptedServer(Script(judge=Verdict())) as server:
        row = one(server.url)
        assert (row.outcome, row.kind, row.number, row.slot) == ("pass", "free", 0, "parcels-02")
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
