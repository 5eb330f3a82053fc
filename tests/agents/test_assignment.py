"""The record of an assignment, and its limits."""

import asyncio

import pytest
from tests.agents.test_tool_loop import DESK, Desk

from worktrial.agents.assignment import Assignment, Limits
from worktrial.language import JsonValue
from worktrial.workplaces import Observation, Origin, StopReason


def assignment(desk: Desk, limits: Limits | None = None) -> Assignment:
    return Assignment("Do it.", "2026-02-03T10:00:00", DESK.tool_specs, desk, limits or Limits())


def test_calls_are_recorded_in_order() -> None:
    given = assignment(Desk())
    assert asyncio.run(given.call("look", {"id": 1})) == {"n": 1}
    given.trajectory.turns = 2
    given.record("shout", "x", Observation({}, Origin.REFUSAL))
    assert [(c.index, c.turn, c.tool, c.arguments) for c in given.trajectory.calls] == [
        (0, 0, "look", {"id": 1}),
        (1, 1, "shout", "x"),
    ]


def test_the_record_cannot_be_altered_afterwards() -> None:
    given = assignment(Desk())
    arguments = {"id": 1}
    seen = asyncio.run(given.call("look", arguments))
    seen["n"] = "better"
    arguments["id"] = 2
    [call] = given.trajectory.calls
    assert (call.arguments, call.observation.content) == ({"id": 1}, {"n": 1})


def test_arguments_that_are_no_json() -> None:
    given = assignment(Desk())
    with pytest.raises(ValueError, match="not JSON"):
        asyncio.run(given.call("look", {"id": object()}))
    assert given.trajectory.calls == []


def test_calls_made_at_once_run_one_after_the_other() -> None:
    class Narrow(Desk):
        busy = False

        async def call(self, tool: str, arguments: JsonValue) -> Observation:
            assert not self.busy
            self.busy = True
            await asyncio.sleep(0.002)
            self.busy = False
            return await super().call(tool, arguments)

    async def all_at_once(given: Assignment) -> None:
        await asyncio.gather(*(given.call("look", {"id": n}) for n in range(5)))

    desk = Narrow()
    given = assignment(desk)
    asyncio.run(all_at_once(given))
    assert [arguments for _, arguments in desk.made] == [{"id": n} for n in range(5)]
    assert [c.index for c in given.trajectory.calls] == list(range(5))


@pytest.mark.parametrize(
    ("limits", "hit"),
    [
        (Limits(turns=None), None),
        (Limits(turns=4), None),
        (Limits(turns=3), StopReason.TURN_LIMIT),
        (Limits(tokens=100), StopReason.TOKEN_LIMIT),
        (Limits(tokens=101), None),
        (Limits(cost=0.5), StopReason.COST_LIMIT),
        (Limits(cost=0.51), None),
        (Limits(seconds=0), StopReason.TIME_LIMIT),
        (Limits(seconds=60), None),
    ],
)
def test_limits(limits: Limits, hit: StopReason | None) -> None:
    given = assignment(Desk(), limits)
    given.trajectory.turns = 3
    given.tokens = lambda: 100
    given.cost = lambda: 0.5
    assert given.limit_hit() is hit
