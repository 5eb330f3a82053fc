"""Plans carried out through the door, many at once, and the checks of what came of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from worktrial.agents.plan import Plan, PlanBroken, arguments_of, needs_of, report
from worktrial.grading.answer_checks import AnswerClaim
from worktrial.grading.check import CheckResult, Facts
from worktrial.grading.state_checks import OF_HUMANS, AnyCheck
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.door import Door, Probe, ProbedCall
from worktrial.synthesis.gates.facts import of_same
from worktrial.workplaces.session import Observation, Origin
from worktrial.workplaces.trajectory import ToolCall, Trajectory

Call = tuple[str, JsonValue]


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """A plan's work: its calls with their arguments looked up, and what came of them."""

    calls: Sequence[Call]
    outcomes: Sequence[ProbedCall]
    answer: str
    state: JsonObject
    """The state at the end."""
    broken: str = ""
    """Reason why the plan could not be followed to its end; "" where it could."""

    @property
    def writes(self) -> list[int]:
        """Positions of the calls that changed the state."""
        return [index for index, outcome in enumerate(self.outcomes) if outcome.changed]


@dataclass(slots=True)
class _Following:
    plan: Plan
    state: JsonObject
    needs: Sequence[frozenset[str]]
    seen: dict[str, JsonObject] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    outcomes: list[ProbedCall] = field(default_factory=list)
    broken: str = ""

    def next_calls(self) -> list[Call]:
        """Calls up to the first that needs an observation still to come."""
        ready: list[Call] = []
        waiting: set[str] = set()
        for index in range(len(self.calls), len(self.plan.steps)):
            step = self.plan.steps[index]
            if self.needs[index] & waiting:
                break
            try:
                ready.append((step.call, arguments_of(step, self.seen, f"step {index} ({step.call})")))
            except PlanBroken as e:
                if not ready:
                    self.broken = e.detail
                break
            waiting |= {step.name} if step.name else set()
        return ready

    def take(self, calls: Sequence[Call], outcomes: Sequence[ProbedCall], state: JsonObject) -> None:
        for step, outcome in zip(self.plan.steps[len(self.calls) :], outcomes, strict=False):
            if step.name:
                self.seen[step.name] = outcome.content
        self.calls += calls
        self.outcomes += outcomes
        self.state = state


async def carry_out(door: Door, plans: Sequence[tuple[Plan, JsonObject]]) -> list[CarriedOut]:
    """Follow `plans`, each from its own state; calls go in batches, up to one that needs an earlier answer."""
    following = [_Following(plan, state, needs_of(plan)) for plan, state in plans]
    while waiting := [(one, calls) for one in following if not one.broken and (calls := one.next_calls())]:
        probed = await door.probe([Probe(one.state, calls) for one, calls in waiting])
        for (one, calls), outcome in zip(waiting, probed, strict=True):
            one.take(calls, outcome.calls, outcome.state)
    return [_finished(one) for one in following]


def _finished(one: _Following) -> CarriedOut:
    trajectory = Trajectory()
    broken = one.broken
    if not broken:
        try:
            report(one.plan, one.seen, trajectory)
        except PlanBroken as e:
            broken = e.detail
    return CarriedOut(one.calls, one.outcomes, trajectory.answer, one.state, broken)


def failed_check(
    task: ExecutableTask,
    calls: Sequence[Call],
    outcomes: Sequence[ProbedCall],
    answer: str,
    state: JsonObject,
) -> CheckResult | None:
    """First of the task's checks that does not pass, None where all do."""
    return next(failed_checks(task, calls, outcomes, answer, state), None)


def failed_checks(
    task: ExecutableTask,
    calls: Sequence[Call],
    outcomes: Sequence[ProbedCall],
    answer: str,
    state: JsonObject,
) -> Iterator[CheckResult]:
    """The task's checks that do not pass; those of humans are left out."""
    made = [
        ToolCall(index, index, tool, arguments, Observation(outcome.content, Origin.EXECUTABLE))
        for index, ((tool, arguments), outcome) in enumerate(zip(calls, outcomes, strict=True))
    ]
    facts = Facts(task.initial_state, state, Trajectory(calls=made, answer=answer))
    # One after the other: whatever the first has settled the rest need not look at.
    checks = (check for check in task.checks if not isinstance(check, OF_HUMANS))
    results = (_said(check, answer) if isinstance(check, AnswerClaim) else check.run(facts) for check in checks)
    return (result for result in results if not result.passed)


def _said(check: AnyCheck, answer: str) -> CheckResult:
    """Outcome of a check of the answer alone, which stays the plan's in most of what is tried."""
    return _answered(check)(answer)


@of_same(64)
def _answered(check: AnyCheck) -> Callable[[str], CheckResult]:
    return lru_cache(maxsize=8)(lambda answer: check.run(Facts({}, {}, Trajectory(answer=answer))))
