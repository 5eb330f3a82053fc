"""Two followers of a plan who differ in how they read: one believes what it is told, one reads again."""

from collections.abc import Sequence

from worktrial.agents.assignment import Assignment, Solution
from worktrial.agents.plan import (
    Plan,
    PlanBroken,
    Step,
    arguments_of,
    call_once,
    call_through,
    give_up,
    json_of,
    needs_of,
    planned,
    report,
    variables_of,
)
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject

MOST_READINGS = 6
"""Times that a careful agent reads a stretch of its plan before it goes on with what it has."""
LEAST_APART = 3
"""Calls from one reading of a thing to the next that is held beside it: what degrades calls comes in bursts, and in
one burst the same question has the same answer."""


class GreedyFollower:
    """The agent that does what its plan wants done, and believes everything.

    It makes no call twice, whatever comes back. Calls that only look are made where a later step, or the answer,
    needs what they show.
    """

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`.

        Raises:
            InvalidSample: the task has no plan of steps, or one that cannot be followed.
        """
        plan, trajectory = _steps_of(self._solution, assignment), assignment.trajectory
        seen: dict[str, JsonObject] = {}
        looked_up: dict[str, JsonObject] = {}
        try:
            for step in _needed(plan, self._solution.reads):
                arguments = arguments_of(step, seen)
                question = json_of([step.call, arguments])
                content = looked_up.get(question)
                if content is None:
                    content = await call_once(step.call, arguments, assignment)
                if step.call in self._solution.reads:
                    looked_up[question] = content
                if step.name:
                    seen[step.name] = content
            report(plan, seen, trajectory)
        except PlanBroken as e:
            give_up(trajectory, e)


class CarefulFollower:
    """The agent that follows its plan, and reads everything again before it acts on it.

    All that the plan looks up before its next act is read, and read again, until each answer has come twice in a
    row, at most `MOST_READINGS` times. A call that fails as if the service were out is made again.
    """

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`.

        Raises:
            InvalidSample: the task has no plan of steps, or one that cannot be followed.
        """
        plan, trajectory = _steps_of(self._solution, assignment), assignment.trajectory
        seen: dict[str, JsonObject] = {}
        read: list[Step] = []
        try:
            for step in (*plan.steps, None):
                if step is not None and step.call in self._solution.reads:
                    read.append(step)
                    continue
                await _read(read, seen, assignment)
                read = []
                if step is None:
                    break
                content = await call_through(step.call, arguments_of(step, seen), assignment)
                if step.name:
                    seen[step.name] = content
            report(plan, seen, trajectory)
        except PlanBroken as e:
            give_up(trajectory, e)


async def _read(steps: Sequence[Step], seen: dict[str, JsonObject], assignment: Assignment) -> None:
    """Read `steps` until each of them has shown the same twice in a row; `seen` holds what was shown last."""
    before: list[str] | None = None
    # A short stretch is gone through several times between two answers that are held beside each other.
    rounds = max(1, -(-LEAST_APART // len(steps))) if steps else 0
    for _ in range(MOST_READINGS if steps else 0):
        for _ in range(rounds):
            now = [await _look(step, seen, assignment) for step in steps]
        if now == before:
            return
        before = now


async def _look(step: Step, seen: dict[str, JsonObject], assignment: Assignment) -> str:
    """Question and answer of one look, as text; the question alone where what it asks for was not shown."""
    try:
        arguments = arguments_of(step, seen)
    except PlanBroken:
        return ""
    content = await call_through(step.call, arguments, assignment)
    if step.name:
        seen[step.name] = content
    return json_of([arguments, content])


def _steps_of(solution: Solution, assignment: Assignment) -> Plan:
    plan = planned(solution.plan, assignment)
    if isinstance(plan, list):
        said = "the task's solution plan is a bare list of calls, which the agent plan alone can follow"
        raise InvalidSample(InvalidReason.TASK_DATA, said)
    return plan


def _needed(plan: Plan, reads: frozenset[str]) -> list[Step]:
    """Steps without those that only look at what no later step, nor the answer, refers to."""
    wanted = variables_of(plan.answer)
    kept: list[Step] = []
    for step, own in reversed([*zip(plan.steps, needs_of(plan), strict=True)]):
        if step.call in reads and step.name not in wanted:
            continue
        kept.append(step)
        wanted |= own
    return kept[::-1]
