"""The excess re-ask rate: noticing is what an agent does beyond its own habit."""

import asyncio
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.results.runs import answer, event, row, work
from tests.workplaces.shop import SHOP

from worktrial.language import JsonValue
from worktrial.results.fault_metrics import FaultMetrics, StoredCall, fault_metrics
from worktrial.results.reasks import WINDOW, Reasks, excess_reask
from worktrial.workplaces import Observation, Origin
from worktrial.workplaces.faults import FaultMode, FaultSettings, FaultySession, draw_plan

ORDERS = [f"A-{n}" for n in range(40)]
Agent = Callable[[Random], Iterator[str]]


class Orders:
    state = None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        order = arguments["order_id"]
        return Observation({"order_id": order, "status": "new", "total": 21, "items": [1, 2]}, Origin.SIMULATOR)


def _worked(agent: Any, task: int) -> FaultMetrics:
    """The agent's work on one task under E2; it is told each answer."""
    plan = draw_plan(FaultSettings(FaultMode.E2), str(task))
    session = FaultySession(Orders(), plan, SHOP)

    async def work() -> list[StoredCall]:
        calls: list[StoredCall] = []
        asking = agent(Random(task))
        order = next(asking, None)
        while order is not None:
            arguments = {"order_id": order}
            seen = await session.call("get_order", arguments)
            stored = answer(seen.content, seen.origin)
            calls.append(StoredCall(len(calls), len(calls), "get_order", arguments, stored))
            try:
                order = asking.send(seen.content)
            except StopIteration:
                break
        return calls

    return fault_metrics(plan.events, session.ledger, asyncio.run(work()))


def _excess(agent: Any, tasks: int = 60) -> Any:
    return excess_reask([_worked(agent, task).reasks for task in range(tasks)])


def cycling(random: Random) -> Iterator[str]:
    """Goes round a few orders and looks at no answer."""
    among, calls = 2 + int(random.random() * 5), 8 + int(random.random() * 20)
    for n in range(calls):
        yield ORDERS[n % among]


def wandering(random: Random) -> Iterator[str]:
    """Asks for anything, again or not."""
    for _ in range(6 + int(random.random() * 20)):
        yield ORDERS[int(random.random() * 9)]


def trusting(random: Random) -> Iterator[str]:
    """Never asks twice."""
    for n in range(5 + int(random.random() * 12)):
        yield ORDERS[n]


def doubting(random: Random) -> Iterator[str]:
    """Asks everything twice."""
    for order in ORDERS[: 4 + int(random.random() * 6)]:
        yield order
        yield order


def noticing(random: Random) -> Iterator[Any]:
    """Asks again, at most five times, where something is missing or odd."""
    for order in ORDERS[: 5 + int(random.random() * 12)]:
        for _ in range(5):
            seen: Any = yield order
            if seen == {"order_id": order, "status": "new", "total": 21, "items": [1, 2]}:
                break


@pytest.mark.parametrize("agent", [cycling, wandering, trusting, doubting])
def test_an_agent_that_looks_at_no_answer_has_no_excess(agent: Agent) -> None:
    found = _excess(agent)
    assert abs(found.value) < 0.08
    # Who asks in pairs is caught a little more often at the second of a pair: no call 0 is degraded.
    if agent is not doubting:
        assert found.interval.low - 1e-9 <= 0 <= found.interval.high + 1e-9


def test_a_cycling_agent_used_to_count_as_noticing() -> None:
    found = _excess(cycling)
    assert found.after_fault > 0.8 and found.habit > 0.8


def test_an_agent_that_notices_has_nearly_all() -> None:
    found = _excess(noticing)
    assert found.value > 0.9 and found.interval.low > 0.8 and found.habit < 0.1


def test_no_figure_without_an_answer_that_could_be_followed() -> None:
    assert excess_reask([]) is None
    assert excess_reask([Reasks()]) is None
    calls = work("bed 1", "bed 3!")
    last = fault_metrics([event(0, "E2", 1, 1)], [row(0, "E2", calls[1])], calls)
    assert excess_reask([last.reasks]) is None


def test_one_task_has_a_rate_and_no_interval() -> None:
    calls = work("bed 1", "bed 3!", "bed 3")
    found = excess_reask([fault_metrics([event(0, "E2", 1, 1)], [row(0, "E2", calls[1])], calls).reasks])
    assert found is not None
    assert (found.value, found.after_fault, found.habit, found.answers, found.interval) == (1, 1, 0, 1, None)


def test_a_write_made_twice_is_nothing_that_an_answer_shows() -> None:
    calls = work("bed 1", "bed 3", "bed 3")
    plain = row(0, "E2", calls[1])
    assert plain.clean == plain.degraded
    assert sum(fault_metrics([event(0, "E2", 1, 1)], [plain], calls).reasks.degraded) == 0


@given(st.lists(st.sampled_from(["bed 1", "bed 2", "bed 1!", "bed 2!", "bed 3?"]), max_size=25), st.booleans())
def test_counts_are_within_each_other(steps: list[str], at_once: bool) -> None:
    calls = work(*steps, at_once=at_once)
    ledger = [row(0, "E2", call) for call, step in zip(calls, steps, strict=True) if step.endswith("!")]
    counts = fault_metrics([event(0, "E2", 0, 99)], ledger, calls).reasks
    assert list(counts.clean) == sorted(counts.clean, reverse=True) and len(counts.clean) == WINDOW
    assert list(counts.clean_again) != [] and all(map(int.__le__, counts.clean_again, counts.clean))
    assert all(map(int.__le__, counts.degraded_again, counts.degraded))
    assert counts + Reasks() == counts
    if at_once:
        assert counts == Reasks(), "calls of one message are no reaction to each other"
    found = excess_reask([counts])
    assert found is None or -1 <= found.value <= 1
