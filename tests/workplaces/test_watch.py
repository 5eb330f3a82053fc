"""Checks of a simulator's answers while it plays."""

import asyncio
from typing import Any

import pytest
from tests.workplaces.scripted import Scripted, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.workplaces import LanguageSimulator, Origin
from worktrial.workplaces.watch import SimulatorHealth, WatchedSession

ORDER = {"order_id": "A-1"}
SEEN = {"order_id": "A-1", "status": "new", "total": 20}
REFUNDED = {"status": "refunded"}


def watched(replies: list[Any], memory: str, *calls: tuple[str, Any]) -> WatchedSession:
    inner = LanguageSimulator(SHOP, Scripted(replies), memory=memory, clock=CLOCK).open()
    session = WatchedSession(inner, SHOP)

    async def work() -> None:
        for tool, arguments in calls:
            assert (await session.call(tool, arguments)).content is not None
        assert session.state == inner.state

    asyncio.run(work())
    return session


def test_a_sound_simulator_has_nothing_against_it() -> None:
    change = {"op": "replace", "path": "/orders/0/status", "value": "refunded"}
    replies = [patched(SEEN), patched(REFUNDED, change), patched({**SEEN, "status": "refunded"})]
    session = watched(replies, "ledger", ("get_order", ORDER), ("refund", ORDER), ("get_order", ORDER))
    assert session.health == SimulatorHealth(3, 0, 0) and session.findings == []


def test_an_answer_that_contradicts_the_state_is_counted_and_named() -> None:
    """It says refunded, and its patch does not say so."""
    replies = [patched(REFUNDED), patched({**SEEN, "status": "refunded"})]
    session = watched(replies, "ledger", ("refund", ORDER), ("get_order", ORDER))
    assert session.health == SimulatorHealth(2, 0, 1)
    (finding,) = session.findings
    assert (finding.call, finding.tool, finding.check) == (1, "get_order", "state")
    assert finding.evidence == ['/status: "refunded", but "new" in the state']


def test_an_answer_that_contradicts_an_earlier_one_is_counted_without_a_state() -> None:
    other = {**SEEN, "total": 21}
    # Before anything is written the state is known, so that it is asked for again, twice.
    replies = [SEEN, other, other, other, REFUNDED, {**SEEN, "total": 22}]
    calls = [("get_order", ORDER), ("get_order", ORDER), ("refund", ORDER), ("get_order", ORDER)]
    assert watched(replies, "history", *calls).health == SimulatorHealth(4, 0, 1)


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_answers_of_another_shape_are_counted(memory: str) -> None:
    ok = {"status": "ok"}
    replies = [ok if memory == "history" else patched(ok)]
    session = watched(replies, memory, *[("get_order", ORDER), ("no_such_tool", {})] * 3)
    # Refusals and repeated reads are not the simulator's.
    assert session.health.misshapen == session.health.observations == (3 if memory == "history" else 1)
    assert session.findings[0].evidence == ["/order_id: missing", "/total: missing"]


def test_the_observation_passes_unchanged() -> None:
    session = WatchedSession(LanguageSimulator(SHOP, Scripted([SEEN]), clock=CLOCK).open(), SHOP)
    observation = asyncio.run(session.call("get_order", ORDER))
    assert observation.origin is Origin.SIMULATOR and observation.content == SEEN


@pytest.mark.parametrize(
    ("health", "said"),
    [
        (SimulatorHealth(19, 19, 19), None),
        (SimulatorHealth(20, 9, 3), None),
        (SimulatorHealth(20, 10, 0), "10 of 20 answers lack fields"),
        (SimulatorHealth(20, 0, 4), "4 of 20 answers contradict"),
    ],
)
def test_a_broken_simulator_is_named(health: SimulatorHealth, said: str | None) -> None:
    assert health.warning is None if said is None else said in str(health.warning)
    assert SimulatorHealth(1, 1, 0) + SimulatorHealth(2, 0, 1) == SimulatorHealth(3, 1, 1)
