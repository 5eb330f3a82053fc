"""One event degrades one answer one way: to ask again within it shows nothing new."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.workplaces.shop import SHOP

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Observation, Origin
from worktrial.workplaces.faults import (
    IMPLICIT,
    FaultEvent,
    FaultMode,
    FaultPlan,
    FaultSettings,
    FaultySession,
    draw_plan,
)

NAMES = st.sampled_from(["order_id", "status", "total", "name", "items", "note", "date", "P-1"])
SCALARS = st.booleans() | st.integers(-999, 999) | st.text(max_size=8) | st.sampled_from(["2026-01-02", "A-1"])
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(NAMES, v, max_size=4), max_leaves=12
)
ANSWERS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=6)


class Answers:
    """Gives every order the same answer whenever it is asked, whatever else is asked in between."""

    def __init__(self, answers: dict[str, Any], state: JsonObject | None) -> None:
        self._answers = answers
        self.state = state

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        return Observation(dict(self._answers[arguments["order_id"]]), Origin.EXECUTABLE)


@example(
    {"A-1": {"status": "0"}, "B-2": {"order_id": [], "status": [""]}}, ["A-1", "B-2", "A-1"], IMPLICIT[0], "", True
)
@given(
    st.fixed_dictionaries({"A-1": ANSWERS, "B-2": ANSWERS}),
    st.lists(st.sampled_from(["A-1", "B-2"]), min_size=2, max_size=8),
    st.sampled_from(IMPLICIT),
    st.text(max_size=3),
    st.booleans(),
)
def test_asking_again_within_an_event_gives_the_same_damage(
    answers: dict[str, Any], asked: list[str], kind: str, key: str, seen: bool
) -> None:
    plan = FaultPlan((FaultEvent(0, FaultMode.E2, kind, 1, len(asked)),), key=key)
    session = FaultySession(Answers(answers, {"orders": []} if seen else None), plan, SHOP)

    async def work() -> list[Observation]:
        return [await session.call("get_order", {"order_id": order}) for order in [asked[0], *asked]]

    _, *observations = asyncio.run(work())
    for order in set(asked):
        contents = [o.content for name, o in zip(asked, observations, strict=True) if name == order]
        assert all(content == contents[0] for content in contents)


def test_two_agents_that_ask_the_same_at_other_calls_of_an_event_see_the_same() -> None:
    answer = {"order_id": "A-1", **{f"field_{n}": n * 12 for n in range(12)}}
    for seed in range(30):
        plan = draw_plan(FaultSettings(FaultMode.E2, count=1, duration=2, seed=seed), "task")
        (event,) = plan.events

        def last(calls: int, plan: FaultPlan = plan) -> Any:
            session = FaultySession(Answers({"A-1": answer, "B-2": answer}, None), plan, SHOP)

            async def work() -> Observation:
                for _ in range(calls):
                    await session.call("get_order", {"order_id": "B-2"})
                return await session.call("get_order", {"order_id": "A-1"})

            return asyncio.run(work()).content

        assert last(event.first) == last(event.first + 1)


@pytest.mark.parametrize("kind", ["fields_dropped", "values_emptied", "wrong_value"])
def test_repetition_does_not_reveal_the_whole(kind: str) -> None:
    answer = {"order_id": "A-1", "total": 210, "status": "new", "name": "Ada", "items": 45, "date": "2026-01-02"}
    plan = FaultPlan((FaultEvent(0, FaultMode.E2, kind, 0, 6),), key="k")
    session = FaultySession(Answers({"A-1": answer}, None), plan, SHOP)

    async def work() -> list[Observation]:
        return [await session.call("get_order", {"order_id": "A-1"}) for _ in range(6)]

    seen = asyncio.run(work())
    shown = {field for o in seen for field, value in o.content.items() if value == answer[field]}
    assert shown < answer.keys()
    assert {row.degraded for row in session.ledger} == {session.ledger[0].degraded} and len(session.ledger) == 6
