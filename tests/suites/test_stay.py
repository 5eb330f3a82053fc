import asyncio
import json
from collections.abc import Awaitable, Callable

import msgspec
import pytest

from worktrial.agents.assignment import Assignment
from worktrial.engine.record import SampleResult
from worktrial.errors import ContextOverflow, InvalidReason, InvalidSample, StopRun
from worktrial.grading import Outcome, Verdict
from worktrial.grading.verdict import Vote
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.episode import episode
from worktrial.suites.judging import judged
from worktrial.workplaces import Observation, Origin, StopReason


class Room:
    """A session that counts its calls."""

    calls = 0

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        self.calls += 1
        return Observation({"calls": self.calls}, Origin.EXECUTABLE)

    @property
    def state(self) -> JsonObject | None:
        return {"calls": self.calls}


async def _works(assignment: Assignment) -> None:
    await assignment.call("look", {})
    assignment.trajectory.turns = 2
    assignment.trajectory.stop_reason = StopReason.TURN_LIMIT


async def _breaks_off(assignment: Assignment) -> None:
    await _works(assignment)
    raise InvalidSample(InvalidReason.SIMULATOR_PATCH, "no patch fits")


async def _passes() -> SampleResult:
    return SampleResult(outcome=Outcome.PASS, reason="fine")


async def _no_verdict() -> SampleResult:
    return judged(Verdict(Outcome.INVALID, (Vote(None),) * 2, InvalidReason.NO_MAJORITY, "0 for"))


async def _too_long() -> SampleResult:
    raise ContextOverflow("the judge's prompt")


@pytest.mark.parametrize(
    ("agent", "grade", "outcome", "reason", "stop"),
    [
        (_works, _passes, Outcome.PASS, "fine", "turn_limit"),
        (_works, _no_verdict, Outcome.INVALID, "no_majority: 0 for", "turn_limit"),
        (_works, _too_long, Outcome.INVALID, "context_overflow: the judge's prompt", "turn_limit"),
        (_breaks_off, _passes, Outcome.INVALID, "simulator_patch: no patch fits", None),
    ],
)
def test_the_trajectory_is_kept_whichever_way_it_ends(
    agent: Callable[[Assignment], Awaitable[None]],
    grade: Callable[[], Awaitable[SampleResult]],
    outcome: Outcome,
    reason: str,
    stop: str | None,
) -> None:
    assignment = Assignment("Look.", "2026-01-01T00:00:00", [], Room())
    result = asyncio.run(episode(agent, assignment, grade))
    assert (result.outcome, result.reason, result.stop_reason) == (outcome, reason, stop)
    assert (result.calls, result.turns, result.clock) == (1, 2, "2026-01-01T00:00:00")
    line = result.trajectory
    assert line is not None
    assert (line["outcome"], line["reason"], line["stop_reason"]) == (outcome, reason, stop)
    assert line["final_state"] == {"calls": 1}
    assert [c.tool for c in line["calls"]] == ["look"]


async def _crashes(assignment: Assignment) -> None:
    try:
        raise KeyError("berth")
    except KeyError as e:
        raise InvalidSample(InvalidReason.AGENT_CRASH, "KeyError: 'berth'") from e


def test_the_traceback_of_a_crash_is_kept_with_the_trajectory() -> None:
    assignment = Assignment("Look.", "2026-01-01T00:00:00", [], Room())
    line = asyncio.run(episode(_crashes, assignment, _passes)).trajectory
    assert line is not None
    assert line["traceback"].splitlines()[-1] == "KeyError: 'berth'"
    other = asyncio.run(episode(_breaks_off, Assignment("Look.", "", [], Room()), _passes)).trajectory
    assert other is not None and "traceback" not in other


def test_what_ends_the_run_passes_through() -> None:
    async def refused(assignment: Assignment) -> None:
        raise StopRun("the key is refused")

    with pytest.raises(StopRun):
        asyncio.run(episode(refused, Assignment("Look.", "2026-01-01T00:00:00", [], Room()), _passes))


def test_votes_are_plain_json() -> None:
    result = judged(
        Verdict(Outcome.FAIL, (Vote(False, "no", 2, ("a", "b"), "was prose"),), detail="0 for, 1 against")
    )
    assert (result.outcome, result.reason) == (Outcome.FAIL, "0 for, 1 against")
    assert json.loads(msgspec.json.encode(result.votes)) == [
        {
            "is_correct": False,
            "feedback": "no",
            "attempts": 2,
            "raw": ["a", "b"],
            "problem": "was prose",
            "reason": None,
            "probability": None,
        }
    ]
