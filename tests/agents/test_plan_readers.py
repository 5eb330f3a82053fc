import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from worktrial.agents.assignment import Assignment, Solution
from worktrial.agents.plan import Plan
from worktrial.agents.plan_readers import LEAST_APART, MOST_READINGS, CarefulFollower, GreedyFollower
from worktrial.errors import InvalidSample
from worktrial.workplaces import Observation, Origin, StopReason
from worktrial.workplaces.faults import FaultKind
from worktrial.workplaces.faults.transforms import failed

READS = frozenset({"find", "shelves"})
PLAN = Plan.model_validate(
    {
        "steps": [
            {"call": "shelves"},
            {"call": "find", "with": {"title": "Emma"}, "as": "found"},
            {"call": "find", "with": {"title": "Emma"}, "as": "again"},
            {"call": "lend", "with": {"book": {"from": "found", "at": "/book"}}, "as": "lent"},
            {"call": "find", "with": {"title": "Emma"}, "as": "after"},
        ],
        "answer": "Book {{ lent.book }}, {{ again.left }} left.",
    }
)


class Library:
    """Answers each call with a numbered book, but for the calls that are degraded or out, by their place."""

    state = None

    def __init__(self, degraded: Sequence[int] = (), out: Sequence[int] = ()) -> None:
        self.asked: list[tuple[str, Any]] = []
        self._degraded, self._out = degraded, out

    async def call(self, tool: str, arguments: Any) -> Observation:
        place = len(self.asked)
        self.asked.append((tool, arguments))
        if place in self._out:
            return Observation(failed(FaultKind.TIMEOUT, tool), Origin.FAULT, fault="timeout")
        if tool == "lend":
            return Observation({"book": arguments["book"]}, Origin.EXECUTABLE)
        clean = {"book": 7, "left": 3}
        if place in self._degraded:
            return Observation({"book": 9, "left": 3}, Origin.EXECUTABLE, clean=clean, fault="wrong_value")
        return Observation(clean, Origin.EXECUTABLE)


def work(agent: type, library: Library, plan: Any = PLAN) -> Assignment:
    assignment = Assignment("Lend Emma.", "2025-01-01", [], library)
    asyncio.run(agent(Solution(plan, READS))(assignment))
    return assignment


def lent(library: Library) -> list[int]:
    return [arguments["book"] for tool, arguments in library.asked if tool == "lend"]


def test_greedy_looks_only_where_it_must_and_nothing_up_twice() -> None:
    library = Library()
    done = work(GreedyFollower, library).trajectory
    assert [tool for tool, _ in library.asked] == ["find", "lend"]
    assert (done.answer, done.stop_reason) == ("Book 7, 3 left.", StopReason.ANSWERED)
    assert done.messages[0] == {"role": "user", "content": "Lend Emma."}


def test_greedy_believes_a_degraded_answer() -> None:
    library = Library(degraded=[0])
    assert work(GreedyFollower, library).trajectory.answer == "Book 9, 3 left."
    assert lent(library) == [9]


def test_greedy_does_not_call_again_and_says_what_stopped_it() -> None:
    library = Library(out=[0])
    done = work(GreedyFollower, library).trajectory
    assert len(library.asked) == 1
    assert done.answer is not None
    assert done.answer.startswith("The plan could not be carried out")


@pytest.mark.parametrize("first", range(10))
def test_careful_sees_through_two_degraded_answers_in_a_row(first: int) -> None:
    library = Library(degraded=[first, first + 1])
    assert work(CarefulFollower, library).trajectory.answer == "Book 7, 3 left."
    assert lent(library) == [7]


@pytest.mark.parametrize("first", range(1, 8))
def test_careful_sees_through_them_where_there_is_one_thing_to_read(first: int) -> None:
    short = PLAN.model_copy(update={"steps": (PLAN.steps[1], PLAN.steps[3]), "answer": "Book {{ lent.book }}."})
    library = Library(degraded=[first, first + 1])
    assert work(CarefulFollower, library, short).trajectory.answer == "Book 7."
    places = [n for n, (tool, _) in enumerate(library.asked) if tool == "find"]
    assert len(places) % LEAST_APART == 0


def test_careful_reads_everything_twice_and_acts_once() -> None:
    library = Library()
    work(CarefulFollower, library)
    assert [tool for tool, _ in library.asked].count("shelves") == 2
    assert lent(library) == [7]


def test_careful_calls_again_while_the_service_is_out() -> None:
    library = Library(out=[1, 2, 7])
    assert work(CarefulFollower, library).trajectory.answer == "Book 7, 3 left."
    assert lent(library) == [7]


def test_careful_ends_where_answers_never_agree() -> None:
    class Restless(Library):
        async def call(self, tool: str, arguments: Any) -> Observation:
            seen = await super().call(tool, arguments)
            return seen if tool == "lend" else Observation({"book": len(self.asked), "left": 0}, Origin.EXECUTABLE)

    library = Restless()
    assert work(CarefulFollower, library).trajectory.stop_reason is StopReason.ANSWERED
    before = [tool for tool, _ in library.asked].index("lend")
    assert before == 3 * MOST_READINGS


@pytest.mark.parametrize("agent", [GreedyFollower, CarefulFollower])
def test_a_bare_list_of_calls_and_no_plan_are_refused(agent: type) -> None:
    with pytest.raises(InvalidSample, match="bare list of calls"):
        work(agent, Library(), [{"tool": "find", "arguments": {"title": "Emma"}}])
    with pytest.raises(InvalidSample, match="no solution plan"):
        work(agent, Library(), None)


@pytest.mark.parametrize("agent", [GreedyFollower, CarefulFollower])
def test_a_plan_that_is_wrong_without_faults_is_no_failure_of_the_agent(agent: type) -> None:
    wrong = PLAN.model_copy(update={"answer": "{{ lent.reader }}"})
    with pytest.raises(InvalidSample, match="reader"):
        work(agent, Library(), wrong)
