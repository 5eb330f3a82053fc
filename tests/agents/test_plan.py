import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from worktrial.agents.assignment import Assignment, Solution
from worktrial.agents.plan import MOST_TRIES, Plan, PlanBroken, PlanFollower, follow, plan_problems
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.outside.budget import JsonBudget
from worktrial.workplaces import Observation, Origin, StopReason, Tool, Trajectory, Workplace
from worktrial.workplaces.faults import FaultEvent, FaultKind, FaultMode, FaultPlan, FaultySession

SHELF = Workplace(
    "shelf",
    "A shelf.",
    (
        Tool(
            "find", "Find.", {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
        ),
        Tool(
            "lend",
            "Lend.",
            {
                "type": "object",
                "properties": {"books": {"type": "array", "items": {"type": "integer"}}},
                "additionalProperties": False,
            },
        ),
    ),
    {},
)


class Shelf:
    """Answers every call with what it was asked and two numbered books."""

    state = None

    async def call(self, tool: str, arguments: Any) -> Observation:
        return Observation({"asked": arguments, "books": [{"id": 7}, {"id": 9}]}, Origin.EXECUTABLE)


def plan(*steps: dict[str, Any], answer: str = "Done.") -> Plan:
    return Plan.model_validate({"steps": list(steps), "answer": answer})


FIND = {"call": "find", "with": {"title": "Emma"}, "as": "found"}
LEND = {"call": "lend", "with": {"books": [{"from": "found", "at": "/books/1/id"}]}}


def test_follows_references_and_tells_the_story() -> None:
    told = plan(FIND, LEND, answer="Book {{ found.books[1].id }} of {{ found.asked.title }}.\n")
    assert plan_problems(told, SHELF) == []
    done = asyncio.run(follow(told, Shelf()))
    assert [(c.index, c.turn, c.tool, c.arguments) for c in done.calls] == [
        (0, 0, "find", {"title": "Emma"}),
        (1, 1, "lend", {"books": [9]}),
    ]
    assert (done.answer, done.stop_reason, done.turns) == ("Book 9 of Emma.", StopReason.ANSWERED, 3)
    roles = [m["role"] for m in done.messages]
    assert roles == ["assistant", "tool", "assistant", "tool", "assistant"]
    assert done.messages[3]["tool_call_id"] == done.messages[2]["tool_calls"][0]["id"]
    assert done.messages[2]["tool_calls"][0]["function"] == {"name": "lend", "arguments": '{"books":[9]}'}


def test_the_plan_agent_leaves_its_trajectory_in_the_assignment() -> None:
    raw = {"steps": [FIND], "answer": "{{ found.books | length }} books"}
    assignment = Assignment("Find Emma.", "2025-01-01", SHELF.tool_specs, Shelf())
    asyncio.run(PlanFollower(Solution(raw))(assignment))
    assert assignment.trajectory.answer == "2 books"
    assert assignment.trajectory.messages[0] == {"role": "user", "content": "Find Emma."}


@pytest.mark.parametrize("given", [None, {"steps": [{"tool": "find"}], "answer": "x"}, "look for it"])
def test_the_plan_agent_without_a_usable_plan(given: Any) -> None:
    with pytest.raises(InvalidSample, match="task_data"):
        asyncio.run(PlanFollower(Solution(given))(Assignment("Find.", "2025-01-01", [], Shelf())))


@pytest.mark.parametrize(
    ("steps", "answer", "said"),
    [
        (
            [FIND, {**LEND, "with": {"books": {"from": "found", "at": "/books/5"}}}],
            "x",
            r"step 1 \(lend\).*'/books/5'",
        ),
        ([FIND, {**LEND, "with": {"books": {"from": "found", "at": "books"}}}], "x", r"step 1 \(lend\).*'books'"),
        ([LEND], "x", r"step 0 \(lend\): no earlier step is named 'found'"),
        ([FIND], "{{ lost.books }}", "plan answer: 'lost' is undefined"),
        ([FIND], "{{ found.pages }}", "plan answer: .*'pages'"),
        ([FIND], "{{ found.books / 2 }}", "plan answer"),
        ([FIND], "{{ found.__class__.__mro__ }}", "plan answer: .*unsafe"),
        ([FIND], "{% if %}", "plan answer"),
    ],
)
def test_what_does_not_resolve_is_named(steps: list[dict[str, Any]], answer: str, said: str) -> None:
    record = Trajectory()
    with pytest.raises(InvalidSample, match=said) as caught:
        asyncio.run(follow(plan(*steps, answer=answer), Shelf(), trajectory=record))
    assert caught.value.reason is InvalidReason.TASK_DATA
    assert len(record.calls) == (len(steps) - 1 if "step" in said else len(steps))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (plan({"call": "burn"}), "steps[0] (burn): the workplace has no such tool"),
        (plan({"call": "find"}), "steps[0] (find): title: required, but missing"),
        (plan(LEND), "steps[0] (lend): books.0: no earlier step is named 'found'"),
        (plan(answer="{{ found }}"), "answer: no step is named 'found'"),
        (plan(answer="{{ found"), "answer: unexpected end of template"),
    ],
)
def test_problems_that_show_without_running(told: Plan, said: str) -> None:
    assert any(problem.startswith(said) for problem in plan_problems(told, SHELF)), plan_problems(told, SHELF)


@pytest.mark.parametrize("field", [{"as": "2nd"}, {"call": ""}, {"then": 1}, {"with": []}])
def test_steps_that_cannot_be_read(field: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        plan({"call": "find", **field})


def _faulty(mode: FaultMode, kind: FaultKind, length: int) -> FaultySession:
    return FaultySession(Shelf(), FaultPlan((FaultEvent(0, mode, kind, 0, length),)), SHELF)


def _work(session: FaultySession) -> Trajectory:
    told = {"steps": [FIND, LEND], "answer": "Book {{ found.books[1].id }}."}
    assignment = Assignment("Lend Emma.", "2025-01-01", SHELF.tool_specs, session)
    asyncio.run(PlanFollower(Solution(told))(assignment))
    return assignment.trajectory


def test_a_call_that_fails_for_the_moment_is_made_again() -> None:
    done = _work(_faulty(FaultMode.E1, FaultKind.CONNECTION_REFUSED, 3))
    assert [c.tool for c in done.calls] == ["find"] * 4 + ["lend"]
    assert (done.answer, done.turns, done.stop_reason) == ("Book 9.", 6, StopReason.ANSWERED)
    ids = [m["tool_call_id"] for m in done.messages if m["role"] == "tool"]
    assert len(set(ids)) == 5


def test_a_lasting_outage_ends_the_work_with_an_answer() -> None:
    done = _work(_faulty(FaultMode.E1, FaultKind.HTTP_500, 99))
    assert len(done.calls) == MOST_TRIES
    assert done.answer.startswith("The plan could not be carried out: plan step 1 (lend): 'found' has nothing at")
    assert done.stop_reason is StopReason.ANSWERED


def test_a_silent_fault_that_takes_what_the_plan_needs() -> None:
    done = _work(_faulty(FaultMode.E2, FaultKind.LIST_CUT, 1))
    assert [c.tool for c in done.calls] == ["find"]
    assert "could not be carried out" in done.answer


def test_without_a_fault_a_broken_plan_is_the_tasks_own() -> None:
    missing = {"call": "lend", "with": {"books": [{"from": "found", "at": "/pages/1"}]}}
    broken = Solution({"steps": [FIND, missing], "answer": "x"})
    with pytest.raises(PlanBroken, match="task_data"):
        asyncio.run(PlanFollower(broken)(Assignment("x", "2025-01-01", [], Shelf())))


def test_calls_of_a_plan_go_the_way_of_every_agent_s() -> None:
    """One way to the workplace: what bounds a model bounds a reference agent, too."""

    class Untouched:
        state = None

        async def call(self, tool: str, arguments: Any) -> Observation:
            raise AssertionError("called")

    told = plan(FIND)
    small = Assignment("Do it.", "2026-02-03", [], Untouched(), budget=JsonBudget(10, 100))
    asyncio.run(PlanFollower(Solution(told))(small))
    [refused] = small.trajectory.calls
    assert refused.observation.origin is Origin.REFUSAL
    assert refused.observation.content["error"]["type"] == "too_large"
    ended = Assignment("Do it.", "2026-02-03", [], Untouched())
    ended.close()
    with pytest.raises(RuntimeError, match="the work has ended"):
        asyncio.run(PlanFollower(Solution(told))(ended))
