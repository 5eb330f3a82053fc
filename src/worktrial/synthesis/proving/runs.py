"""Runs of composed tasks: worked on and checked as in the finished suite."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from worktrial.agents.assignment import Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.client import Client
from worktrial.engine.record import SampleResult, dollars
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.scheduler import defect, guarded
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.executable.trial import ExecutableSettings, ExecutableTrial
from worktrial.synthesis.artifacts import RunKind, SlotRun
from worktrial.synthesis.prompting import PROMPTS

SOLVER_PROMPT = (PROMPTS / "solver.j2").read_text(encoding="utf-8")


@dataclass(frozen=True)
class TaskRunner:
    """Makes runs of composed tasks.

    Args:
        clients: For the agent and the solver.
        limits: Of one run.
    """

    clients: Mapping[RoleName, Client]
    limits: Limits

    async def __call__(self, task: ExecutableTask, content: str, kind: RunKind, number: int) -> SlotRun:
        """One run from an untouched workplace.

        Requests are told apart by task, kind, number and content, so that the same run is repeated from the request
        cache, and a changed task gets new ones.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent.
        """
        who = Role.SOLVER if kind == "solver" else Role.AGENT
        client = self.clients[who]
        # The solver is an agent; only its line and its prompt are others.
        context = SampleContext(Job(f"{task.id}/{kind}/{content}", number), {Role.AGENT: client})
        started = time.perf_counter()
        result = await guarded(self._result(task, kind, client, context))
        seconds = round(time.perf_counter() - started, 3)
        row = _row(task.id, kind, number, content, result, context, seconds)
        try:
            return _plain(row)
        except (TypeError, ValueError, OverflowError, RecursionError) as e:
            # Something that is no JSON, such as half of a surrogate pair, got into the record.
            return _plain(_row(task.id, kind, number, content, defect(e), context, seconds))

    async def _result(
        self, task: ExecutableTask, kind: RunKind, client: Client, context: SampleContext
    ) -> SampleResult:
        settings = ExecutableSettings(limits=self.limits, agent_prompt=SOLVER_PROMPT if kind == "solver" else None)
        candidate = Candidate("model", client.settings.model)
        trial = ExecutableTrial("synthesis", {}, [task], candidate, settings, with_judge=False)
        try:
            return await trial.run(trial.jobs[0], context)
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


def _row(
    id: str,
    kind: RunKind,
    number: int,
    content: str,
    result: SampleResult,
    context: SampleContext,
    seconds: float,
) -> SlotRun:
    meter = context.meter
    return SlotRun(
        slot=id,
        kind=kind,
        number=number,
        content=content,
        outcome=result.outcome.value,
        reason=result.reason,
        calls=result.calls,
        seconds=seconds,
        cost=dollars(meter.cost),
        tokens=sum(usage.tokens for usage in meter.usage.values()),
        checks=result.checks,
        trajectory=result.trajectory,
    )


def _plain(row: SlotRun) -> SlotRun:
    """The row as it comes back from its file."""
    return msgspec.json.decode(msgspec.json.encode(row), type=SlotRun)
