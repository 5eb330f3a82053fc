"""The path of one sample: whatever goes wrong on it is told as what it is, and all of it is on record."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import SampleContext
from worktrial.errors import ContextOverflow, DataError, InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import Outcome, Verdict
from worktrial.grading.verdict import Vote
from worktrial.language import JsonObject, JsonValue
from worktrial.trial.judging import Work, judged
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial, episode
from worktrial.trial.work import WorkSettings
from worktrial.workplaces import Observation, Origin, StopReason, Tool, Workplace
from worktrial.workplaces.faults import Conditions, FaultMode


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


@dataclass(frozen=True)
class Errand:
    """A task of three words."""

    id: str
    tags: dict[str, Any] = field(default_factory=dict)


WORKPLACE = Workplace("room", "", (Tool("look", "Look.", {"type": "object"}, writes=False),), {})


def _trial(
    agent: Callable[[Assignment], Awaitable[None]],
    *,
    load: Callable[[Errand], Errand] = lambda task: task,
    grade: Callable[[Errand, Work], SampleResult] = lambda task, work: SampleResult(
        outcome=Outcome.PASS, reason="ok"
    ),
    closed: list[str] | None = None,
    **settings: Any,
) -> ToolTrial[Errand]:
    async def open_workplace(task: Errand, sample: Sample) -> OpenWorkplace:
        room = Room()
        if closed is not None:
            sample.stack.callback(closed.append, task.id)
        return OpenWorkplace(
            session=room,
            workplace=WORKPLACE,
            instruction="Look.",
            agent=agent,
            finish=lambda: setattr(room, "calls", room.calls + 100),
            closing=lambda: {"final_facts": {"seen": room.calls}},
            as_stored=lambda line: {**line, "stored": True},
        )

    async def graded(task: Errand, work: Work, context: SampleContext, rubric: str | None) -> SampleResult:
        return grade(task, work)

    return ToolTrial(
        load,
        open_workplace,
        graded,
        suite="errands",
        data={"fingerprint": "f"},
        tasks=[Errand("a"), Errand("b")],
        candidate=Candidate("reference", "own"),
        settings=WorkSettings(**settings),
        tools={"look"},
    )


def _run(trial: ToolTrial[Errand], number: int = 0) -> SampleResult:
    job = trial.jobs[number]
    return asyncio.run(trial.run(job, SampleContext(job, {})))


def test_a_wing_gives_three_functions_and_the_rest_is_on_record() -> None:
    seen: list[Work] = []
    closed: list[str] = []

    def grade(task: Errand, work: Work) -> SampleResult:
        assert not closed, "the workplace is open while the work is graded"
        seen.append(work)
        return SampleResult(outcome=Outcome.FAIL, reason=task.id)

    trial = _trial(_works, grade=grade, closed=closed)
    assert (trial.settings["agent"], trial.settings["tasks"]) == ("own", ["a", "b"])
    result = _run(trial, 1)
    assert (result.outcome, result.reason, result.calls, result.clock) == (Outcome.FAIL, "b", 1, None)
    # What happens after the last call is graded, too.
    [work] = seen
    assert (work.final_state, work.facts) == ({"calls": 101}, {"seen": 101})
    line = result.trajectory
    assert line is not None and line["final_facts"] == {"seen": 101} and line["stored"]
    assert closed == ["b"]


def test_faults_are_the_trial_s_own() -> None:
    async def looks(assignment: Assignment) -> None:
        for _ in range(20):
            await assignment.call("look", {})
        assignment.trajectory.stop_reason = StopReason.ANSWERED

    faults = Conditions.sweep([FaultMode.E0, FaultMode.E1])
    trial = _trial(looks, faults=faults)
    assert [job.condition for job in trial.jobs] == ["E0", "E1"] * 2
    clean, degraded = _run(trial, 0), _run(trial, 1)
    assert clean.fault_ledger == [] and len(degraded.fault_ledger) == 4
    assert trial.settings["faults"] and "faults" not in _trial(looks).settings


def test_what_cannot_be_loaded_or_graded_is_never_the_agents_failure() -> None:
    def damaged(task: Errand) -> Errand:
        raise DataError(f"tasks.yaml: {task.id}", "holds no workplace")

    with pytest.raises(InvalidSample, match=r"task_data: tasks.yaml: a: holds no workplace"):
        _run(_trial(_works, load=damaged))

    def unsure(task: Errand, work: Work) -> SampleResult:
        raise InvalidSample(InvalidReason.NO_MAJORITY, "1 for, 1 against")

    def unread(task: Errand, work: Work) -> SampleResult:
        raise DataError("gold.csv", "is gone")

    result = _run(_trial(_works, grade=unread))
    assert (result.outcome, result.reason, result.calls) == (Outcome.INVALID, "task_data: gold.csv: is gone", 1)
    closed: list[str] = []
    result = _run(_trial(_works, grade=unsure, closed=closed))
    assert (result.outcome, result.reason) == (Outcome.INVALID, "no_majority: 1 for, 1 against")
    assert result.trajectory is not None and closed == ["a"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"faults": Conditions.sweep([FaultMode.E1], prompted=True)}, "and here none does"),
        ({"faults": Conditions.sweep([FaultMode.E1]), "limits": Limits(3)}, "takes at least 5 calls"),
    ],
)
def test_faults_that_no_sample_can_meet_are_refused_before_the_first(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        _trial(_works, **settings)
