"""Twins beside simulators that play by other rules."""

import asyncio
import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonpatch
import msgspec
import pytest
from tests.engine.rig import client_at
from tests.support.behaviours import Status
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, json_text
from tests.synthesis.drafts import task, workplace
from tests.synthesis.twin.twins import GOOD, needs_sandbox, twin

from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.errors import InvalidSample
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.twin.agreement import TwinAgreement, agreement, read_record
from worktrial.synthesis.twin.session import UnfitTwin, calls_of, replay

pytestmark = needs_sandbox

PLACE = playable(workplace())
CALLS = calls_of(PLACE, task().plan)


@dataclass(frozen=True)
class Counter(Behaviour):
    """The parcel counter, with a ledger; `more` goes into what it answers and into what it makes of the state."""

    more: dict[str, Any] = field(default_factory=dict)
    in_state: dict[str, Any] = field(default_factory=dict)
    unknown: dict[str, Any] = field(default_factory=lambda: {"error": "no such parcel in this house"})

    def answer(self, request: ScriptedRequest) -> Body:
        lines = request.last_user_text.splitlines()
        before = json.loads(lines[lines.index("State:") + 1])
        call = json.loads(lines[lines.index("Call to answer:") + 1])
        state, key = copy.deepcopy(before), call["arguments"]["parcel_id"]
        parcel = state["parcels"].get(key)
        if parcel is None:
            said = self.unknown
        elif call["name"] == "get_parcel":
            said = {"parcel_id": key, **parcel, **self.more}
        else:
            parcel |= {"status": "handed_out", **self.in_state}
            said = {"parcel_id": key, "status": "handed_out", **self.more}
        return completion(json_text({"observation": said, "patch": jsonpatch.make_patch(before, state).patch}))


def compared(simulator: Any, source: str = GOOD, prompt: str = "full") -> TwinAgreement:
    async def run(url: str) -> TwinAgreement:
        async with client_at(url, role=Role.SIMULATOR) as client:
            line = client.model(Meter(), "face")
            replayed = await replay(PLACE, source, CALLS)
            clock = "2026-01-15T09:00:00"
            return await agreement(PLACE, replayed, line, prompt=prompt, clock=clock, instruction="Hand it out.")

    with ScriptedServer(Script(simulator=simulator)) as server:
        return asyncio.run(run(server.url))


def test_the_plan_and_ids_that_nobody_has_are_called() -> None:
    made = {kind: [(c.tool.name, c.arguments["parcel_id"]) for c in calls] for kind, calls in CALLS.items()}
    both = ["get_parcel", "hand_out"]
    assert made == {"plan": [(name, "P-1") for name in both], "errors": [(name, "P-19") for name in both]}


@pytest.mark.parametrize("prompt", ["full", "compact"])
def test_both_agree_where_they_play_by_the_same_rules(prompt: str) -> None:
    found = compared(Counter(), prompt=prompt)
    assert (found.agreed, found.of, found.holds) == (4, 4, True)
    assert [call.kind for call in found.calls] == ["read", "write", "error", "error"]
    assert found.calls[0].equal == 3
    assert not any(call.differences for call in found.calls)


def test_another_value_is_a_disagreement_and_a_free_text_is_none() -> None:
    found = compared(Counter(more={"status": "gone"}))
    assert (found.agreed, found.holds) == (2, False)
    [first] = found.calls[0].differences
    assert (first.at, first.status, first.twin, first.simulator) == ("/status", "wrong", "shelved", "gone")
    says = GOOD.replace(
        '"status": parcel["status"]}', '"status": parcel["status"], "said": "It is on its way to you"}'
    )
    assert compared(Counter(more={"said": "Handed over, have a nice day"}), says).calls[1].agrees
    assert not compared(Counter(), says).calls[1].agrees


def test_the_state_after_a_write_counts() -> None:
    found = compared(Counter(in_state={"log": "out"}))
    assert (found.agreed, found.holds) == (3, False)
    [only] = found.calls[1].differences
    assert (only.at, only.status, only.simulator, only.in_state) == ("/parcels/P-1/log", "extra", "out", True)


def test_errors_are_worded_as_anybody_likes_but_must_be_errors() -> None:
    assert compared(Counter(unknown={"error": {"type": "missing", "message": "What?"}})).holds
    found = compared(Counter(unknown={"status": "handed_out"}))
    assert [call.agrees for call in found.calls] == [True, True, False, False]


def test_a_simulator_without_form_agrees_on_nothing() -> None:
    found = compared(lambda request: completion("I would rather not say."))
    assert (found.agreed, found.of) == (0, 4)
    assert all("simulator_format" in call.unusable for call in found.calls)


def test_an_endpoint_that_is_down_decides_nothing() -> None:
    with pytest.raises(InvalidSample, match="endpoint_unavailable"):
        compared(Status(503))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return {'error': 'closed'}", "call 1 of the plan, get_parcel, ends in an error"),
        ("import time\nreturn {'at': time.monotonic_ns()}", "answers the same call differently"),
        ("import random\nreturn {'at': random.random()}", "answers the same call differently"),
    ],
)
def test_what_cannot_be_the_truth(body: str, said: str) -> None:
    with pytest.raises(UnfitTwin, match=said):
        asyncio.run(replay(PLACE, twin(body), CALLS))


def test_the_record_of_an_earlier_release_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    call = (
        '{"stay":"plan","number":0,"tool":"get_parcel","arguments":{"parcel_id":"P-1"},"kind":"read","agrees":false,'
        '"equal":2,"free":0,"differences":[{"at":"/status","status":"wrong","face":"shelved","simulator":"gone",'
        '"in_state":false}],"unusable":""}'
    )
    (tmp_path / "face.json").write_text(
        '{"format":1,"slot":"s-1","kept":false,"why":"agrees with the simulator on 0 of 1 calls","content":"c",'
        '"workplace":"w","settings":"x","hash":"","model":"m","simulator":"n","notes":[],'
        f'"agreement":{{"agreed":0,"of":1,"threshold":0.9,"calls":[{call}]}}}}'
    )
    record = read_record(tmp_path)
    assert record is not None and record.agreement is not None
    [read] = record.agreement.calls
    assert (read.episode, read.differences[0].twin) == ("plan", "shelved")
    assert msgspec.json.encode(record) == (tmp_path / "face.json").read_bytes()
