"""Answers that cannot be right are asked for again, with the reason; honest ones are not."""

import asyncio
from typing import Any

import jsonpatch
import pytest
from tests.workplaces.scripted import Scripted, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.audits.sequences import plan_sequences
from worktrial.suites.starter import load_tasks
from worktrial.workplaces import LanguageSimulator, Tool, Workplace
from worktrial.workplaces.faults import FaultEvent, FaultKind, FaultMode, FaultPlan, FaultySession
from worktrial.workplaces.records import KnownState
from worktrial.workplaces.simulator.answers import GivenAnswer, doubts
from worktrial.workplaces.watch import WatchedSession

ANY: dict[str, Any] = {"type": "object"}
STATE = {
    "stock": {"P-7": {"count": 450, "place": "hall B"}},
    "requests": {"R-1": {"status": "PENDING", "count": 90}},
}
PLANT = Workplace(
    "plant",
    "Requests are approved or refused. A sounding may name its `remark`.",
    (
        Tool("get_stock", "Shows the stock of a part.", ANY, {"part": "X-1", "count": 1, "place": "hall A"}),
        Tool("decide_request", "Decides a request.", ANY, {"status": "APPROVED"}, writes=True),
        Tool("sound", "Sounds depths.", ANY, {"soundings": [{"depth": 1, "value": 2.5}]}),
        Tool("read_sensor", "Reads a sensor.", ANY, {"sensor_id": "S-0", "temperature": 1.5}),
        Tool("file_operation", "Reads or writes files.", ANY, {"content": "text"}, writes=True),
    ),
    STATE,
)
APPROVED = {"op": "replace", "path": "/requests/R-1/status", "value": "APPROVED"}
TAKEN = {"op": "replace", "path": "/stock/P-7/count", "value": 360}
STOCK = {"part": "P-7", "count": 450, "place": "hall B"}
SOUNDED = {"soundings": [{"depth": d, "value": 1.5} for d in (5, 10, 15, 20, 25)]}


@pytest.mark.parametrize(
    ("call", "wrong", "right", "said"),
    [
        (
            ("get_stock", {"part": "P-7"}),
            patched({**STOCK, "count": 448}),
            patched(STOCK),
            "/count: 448, but 450 in the state",
        ),
        (
            ("decide_request", {"request_id": "R-1"}),
            patched({"status": "REFUSED"}, APPROVED, TAKEN),
            patched({"status": "APPROVED"}, APPROVED, TAKEN),
            "refused in the answer, but approved in the patch",
        ),
        (
            ("sound", {"depths": [5, 10, 15, 20, 25, 30, 35]}),
            patched(SOUNDED),
            patched({"soundings": [*SOUNDED["soundings"], {"depth": 30, "value": 2}, {"depth": 35, "value": 2}]}),
            "5 of 7 `depths` answered; without [30,35]",
        ),
        (
            ("get_stock", {"part": "P-7"}),
            patched({**STOCK, "hint": "You should ask for fewer than 90."}),
            patched(STOCK),
            "nothing says that get_stock returns `hint`",
        ),
        (
            ("read_sensor", {"sensor_id": "S-1"}),
            patched({"sensor_id": "S-2", "temperature": 3}),
            patched({"sensor_id": "S-1", "temperature": 3}),
            '/sensor_id: "S-2", but "S-1" in the call',
        ),
    ],
)
def test_an_answer_that_cannot_be_right_is_asked_for_again_with_the_reason(
    call: tuple[str, Any], wrong: Any, right: Any, said: str
) -> None:
    model = Scripted([wrong, right])
    session = WatchedSession(LanguageSimulator(PLANT, model, memory="ledger", clock=CLOCK).open(), PLANT)
    answer = asyncio.run(session.call(*call))
    assert answer.content == right["observation"]
    assert said in model.requests[1][-1]["content"] and len(model.requests) == 2
    assert session.health.contradictions == 0
    # Twice is enough; then it stands, and is on record.
    stubborn = Scripted([wrong])
    session = WatchedSession(LanguageSimulator(PLANT, stubborn, memory="ledger", clock=CLOCK).open(), PLANT)
    assert asyncio.run(session.call(*call)).content == wrong["observation"]
    assert len(stubborn.requests) == 3 and stubborn.draws == [0, 1, 2]
    assert any(said in told for finding in session.findings for told in finding.evidence)
    health = session.health
    assert (health.contradictions, health.misshapen) == ((0, 1) if "nothing says" in said else (1, 0))


def test_what_is_on_record_of_a_thing_is_answered_so() -> None:
    call = ("read_sensor", {"sensor_id": "S-1"})
    first = patched({"sensor_id": "S-1", "temperature": 71.2}, facts={"S-1 temperature": 71.2})
    other = {"sensor_id": "S-1", "temperature": 64}
    written = patched({"status": "APPROVED"}, APPROVED)
    model = Scripted([first, written, patched(other), patched(other, facts={"S-1 temperature": 64})])
    session = LanguageSimulator(PLANT, model, memory="ledger", clock=CLOCK).open()

    async def work() -> None:
        await session.call(*call)
        await session.call("decide_request", {"request_id": "R-1"})
        assert (await session.call(*call)).content == other

    asyncio.run(work())
    assert "64, but 71.2 on record as 'S-1 temperature'" in model.requests[3][-1]["content"]
    # A reading may move, and then the record moves with it.
    assert len(model.requests) == 4 and session.facts == {"S-1 temperature": 64}


@pytest.mark.parametrize(
    ("tool", "arguments", "content"),
    [
        ("get_stock", {"part": "P-7"}, {**STOCK, "remark": "Counted by hand."}),  # the rules name it
        ("get_stock", {"part": "P-7"}, {"error": "no such part", "reason": "It was scrapped."}),
        ("get_stock", {"part": "P-7"}, {**STOCK, "place": "Hall b"}),
        ("decide_request", {"request_id": "R-1", "decision": "REFUSED"}, {"status": "REFUSED"}),
        ("sound", {"depths": [5, 10]}, {"soundings": []}),
    ],
)
def test_what_may_be_right_is_not_doubted(tool: str, arguments: Any, content: Any) -> None:
    known = PLANT.tool(tool)
    assert known is not None
    assert doubts(GivenAnswer(PLANT, known, arguments, content, PLANT.start)) == []


def test_an_honest_simulator_is_never_asked_again() -> None:
    """The starter suite's own code is a simulator without a fault: every plan, and what the rules forbid."""
    looked_at = 0

    async def played() -> None:
        nonlocal looked_at
        for sequence in plan_sequences(load_tasks()):
            session = sequence.task.open()
            for tool, arguments in await sequence.calls():
                before = dict(session.state)
                answer = await session.call(tool.name, arguments)
                patch = jsonpatch.make_patch(before, session.state).patch
                state = KnownState(session.state)
                given = GivenAnswer(sequence.task.artifact, tool, arguments, answer.content, state, patch)
                assert doubts(given) == [], (sequence.id, tool.name, arguments)
                looked_at += 1

    asyncio.run(played())
    assert looked_at > 700


def test_a_delivery_that_is_taken_back_is_in_no_prompt() -> None:
    """The simulator answered from a call that the agent never made."""
    refund = {"op": "replace", "path": "/orders/0/status", "value": "refunded"}
    seen = {"order_id": "A-1", "status": "refunded", "total": 20}
    for memory in ("ledger", "history"):
        said = [patched({"status": "refunded"}, refund), patched({"error": "refunded already"}), patched(seen)]
        model = Scripted(said if memory == "ledger" else [reply["observation"] for reply in said])
        inner = LanguageSimulator(SHOP, model, memory=memory, clock=CLOCK).open(position=lambda: 7)
        event = FaultEvent(0, FaultMode.E2, FaultKind.DUPLICATE_DELIVERY, 0, 1, instead=("list_cut",))
        watched = WatchedSession(inner, SHOP)
        session = FaultySession(watched, FaultPlan((event,), key="k"), SHOP)

        async def work(session: FaultySession = session) -> None:
            await session.call("refund", {"order_id": "A-1"})
            await session.call("get_order", {"order_id": "A-1"})

        asyncio.run(work())
        assert len(model.requests) == 3
        assert "refunded already" not in str(model.requests[2])
        assert watched.health.observations == 2 and session.ledger == []
        if memory == "ledger":
            assert [entry.call for entry in inner.ledger] == [7, 7]  # type: ignore[union-attr]


@pytest.mark.parametrize("arguments", [{"operation": "read", "path": "a"}, {"command": "cat a"}])
def test_a_read_by_a_tool_that_writes_leaves_no_binding_record(arguments: Any) -> None:
    model = Scripted([patched({"content": "v1"}), patched({"content": "ok"})])
    session = LanguageSimulator(PLANT, model, memory="ledger", clock=CLOCK).open()

    async def work() -> None:
        await session.call("file_operation", arguments)
        assert session.facts == {}
        for deed in ({"operation": "write", "path": "a"}, {"command": "cat a > b"}):
            await session.call("file_operation", deed)

    asyncio.run(work())
    assert list(session.facts) == ["call 1: file_operation", "call 2: file_operation"]


def test_in_a_conversation_the_state_is_known_until_something_is_written() -> None:
    taken = {**STOCK, "count": 360}
    model = Scripted([{**STOCK, "count": 448}, STOCK, {"status": "APPROVED"}, taken])
    session = LanguageSimulator(PLANT, model, memory="history", clock=CLOCK).open()

    async def work() -> None:
        assert (await session.call("get_stock", {"part": "P-7"})).content == STOCK
        await session.call("decide_request", {"request_id": "R-1"})
        assert (await session.call("get_stock", {"part": "P-7"})).content == taken

    asyncio.run(work())
    assert "/count: 448, but 450 in the state" in model.requests[1][-1]["content"] and len(model.requests) == 4
