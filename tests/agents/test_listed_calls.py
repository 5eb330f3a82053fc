"""Plans that are a bare list of calls."""

import asyncio
from typing import Any

import pytest

from worktrial.agents.assignment import Assignment, Solution
from worktrial.agents.plan import MOST_TRIES, PlanFollower
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.workplaces import Observation, Origin, Session, StopReason, Tool, Trajectory, Workplace
from worktrial.workplaces.faults import FaultEvent, FaultKind, FaultMode, FaultPlan, FaultySession

DOCK = Workplace("dock", "A dock.", (Tool("look", "Look.", {"type": "object"}),), {})


class Dock:
    """Answers every call with what it was asked."""

    state = None

    async def call(self, tool: str, arguments: Any) -> Observation:
        return Observation({"tool": tool, "asked": arguments}, Origin.EXECUTABLE)


def _work(plan: Any, session: Session | None = None) -> Trajectory:
    assignment = Assignment("Look.", "2026-01-01", DOCK.tool_specs, session or Dock())
    asyncio.run(PlanFollower(Solution(plan))(assignment))
    return assignment.trajectory


def test_calls_in_order_and_a_report_of_what_came_back() -> None:
    done = _work([{"tool": "look", "arguments": {"at": "B-1"}, "why": "Is it free"}, {"tool": "{{ look }}"}])
    assert [(c.index, c.turn, c.tool, c.arguments) for c in done.calls] == [
        (0, 0, "look", {"at": "B-1"}),
        (1, 1, "{{ look }}", {}),
    ]
    assert done.answer.splitlines()[1:] == [
        '1. look {"at":"B-1"}: {"tool":"look","asked":{"at":"B-1"}}',
        '2. {{ look }} {}: {"tool":"{{ look }}","asked":{}}',
    ]
    assert (done.stop_reason, done.turns) == (StopReason.ANSWERED, 3)
    roles = [m["role"] for m in done.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert done.messages[-1]["content"] == done.answer


def test_arguments_that_look_like_references_are_meant_as_they_stand() -> None:
    leg = {"from": "Oslo", "at": "/12:00"}
    assert _work([{"tool": "look", "arguments": {"leg": leg}}]).calls[0].arguments == {"leg": leg}


def test_a_call_that_fails_for_the_moment_is_made_again() -> None:
    def outage(length: int) -> FaultySession:
        event = FaultEvent(0, FaultMode.E1, FaultKind.CONNECTION_REFUSED, 0, length)
        return FaultySession(Dock(), FaultPlan((event,)), DOCK)

    done = _work([{"tool": "look"}, {"tool": "look"}], outage(3))
    assert [bool(c.observation.fault) for c in done.calls] == [True] * 3 + [False] * 2
    lasting = _work([{"tool": "look"}], outage(99))
    assert len(lasting.calls) == MOST_TRIES and lasting.stop_reason is StopReason.ANSWERED


@pytest.mark.parametrize(
    "plan", [[], [{"arguments": {}}], ["look"], [{"tool": ""}], [{"tool": "look", "args": {}}]]
)
def test_lists_that_are_no_plan(plan: Any) -> None:
    with pytest.raises(InvalidSample) as caught:
        _work(plan)
    assert caught.value.reason is InvalidReason.TASK_DATA
    assert "the task's solution plan" in str(caught.value)
