"""The plan of a starter task, followed by a driver behind a door; and what counts of what was stored."""

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

import msgspec

from worktrial.agents.plan import Plan, PlanBroken, follow
from worktrial.engine.record import SampleRecord
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import suite
from worktrial.workplaces import Observation, Origin, Trajectory

Call = Callable[[str, JsonValue], Awaitable[JsonObject]]
"""One tool call through a door: what the agent sees."""


class _Door:
    """A workplace as far as it can be reached through `call`."""

    state = None

    def __init__(self, call: Call) -> None:
        self._call = call

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        return Observation(await self._call(tool, arguments), Origin.EXECUTABLE)


@cache
def starter_tasks() -> dict[str, ExecutableTask]:
    return {task.id: task for task in suite.load_tasks()}


async def follow_plan(sample: str, call: Call) -> str:
    """The answer of a starter task's plan, after its calls were made through `call`."""
    plan = starter_tasks()[sample].plan_alone
    assert isinstance(plan, Plan)
    done = Trajectory()
    try:
        await follow(plan, _Door(call), trajectory=done)
    except PlanBroken as e:
        # As the plan agent says it, which knows that a fault is to blame; behind a door nobody does.
        return f"The plan could not be carried out: {e.detail}"
    return done.answer


def what_counts(record: SampleRecord, line: JsonObject) -> dict[str, Any]:
    """Verdict, calls and fault ledger of a stored sample; without times, and without turns, which no door knows."""
    ledger = msgspec.to_builtins(record.fault_ledger)
    return {
        "outcome": record.outcome,
        "reason": record.reason,
        "checks": record.checks,
        "answer": line["answer"],
        "stop_reason": record.stop_reason,
        "calls": [(call["tool"], call["arguments"], call["observation"]) for call in line["calls"]],
        "final_state": line["final_state"],
        "fault_plan": record.fault_plan,
        "fault_ledger": [{name: value for name, value in row.items() if name != "turn"} for row in ledger],
        "fault_misses": record.fault_misses,
    }
