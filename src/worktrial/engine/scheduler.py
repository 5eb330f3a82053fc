"""Running jobs side by side, storing each as it finishes."""

import asyncio
import datetime as dt
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worktrial.engine.client import Client
from worktrial.engine.guarded import LEAST_OUTAGE, Defects, Outage, defect, guarded
from worktrial.engine.record import SampleRecord, SampleResult, dollars, usage_of
from worktrial.engine.roles import RoleName
from worktrial.engine.store import RunStore
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.language import JsonObject

OnFinished = Callable[[SampleRecord], None]


@dataclass(slots=True)
class Scheduler:
    """Works through a trial's open jobs with `concurrency` samples in flight."""

    trial: Trial
    store: RunStore
    clients: Mapping[RoleName, Client]
    concurrency: int
    on_finished: OnFinished
    _outage: Outage = field(init=False)
    _defects: Defects = field(init=False)

    def __post_init__(self) -> None:
        self._outage = Outage("samples", max(LEAST_OUTAGE, self.concurrency))
        self._defects = Defects(self.store)

    async def run(self) -> None:
        """Run every job that is not settled yet.

        Raises:
            StopRun: the run cannot go on; samples in flight are dropped, finished ones are stored.
        """
        open_jobs = iter([job for job in self.trial.jobs if not self.store.is_settled(job.key)])

        async def work() -> None:
            # The iterator is shared: each worker takes the next job when it is free.
            for job in open_jobs:
                await self._run_one(job)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.concurrency, len(self.trial.jobs))):
                    group.create_task(work())
        except BaseExceptionGroup as group_error:
            # Samples in flight tend to meet the same refusal at the same moment; one report is enough.
            raise group_error.exceptions[0] from None

    async def _run_one(self, job: Job) -> None:
        context = SampleContext(job, self.clients)
        started = time.perf_counter()
        result = await guarded(
            self.trial.run(job, context),
            on_defect=lambda error: self._defects.met(job.key, error),
            on_crash=lambda error: self._defects.crashed(job.key, error),
        )
        seconds = time.perf_counter() - started
        record = _record(self.trial.suite, job, context, result, seconds)
        trajectory = result.trajectory
        if trajectory is not None:
            trajectory = {**_whose(self.trial.suite, job), **trajectory}
        try:
            self.store.add(record, trajectory)
        except (TypeError, ValueError, OverflowError, RecursionError) as e:
            # Something that is no JSON, such as half of a surrogate pair, got into the results.
            self._defects.met(job.key, e)
            record = _record(self.trial.suite, job, context, defect(e), seconds)
            self.store.add(record, None)
        self.on_finished(record)
        self._outage.saw(record.reason)
        self._defects.saw(record)


def _whose(suite: str, job: Job) -> JsonObject:
    return {"suite": suite, "sample": job.sample, "repeat": job.repeat, "condition": job.condition}


def _record(suite: str, job: Job, context: SampleContext, result: SampleResult, seconds: float) -> SampleRecord:
    return SampleRecord(
        suite=suite,
        sample=job.sample,
        repeat=job.repeat,
        condition=job.condition,
        outcome=result.outcome,
        reason=result.reason,
        votes=result.votes,
        checks=result.checks,
        usage=usage_of(context.meter),
        cost=dollars(context.meter.cost),
        seconds=round(seconds, 3),
        calls=result.calls,
        turns=result.turns,
        stop_reason=result.stop_reason,
        fault_plan=result.fault_plan,
        fault_ledger=result.fault_ledger,
        fault_misses=result.fault_misses,
        clock=result.clock,
        measures=result.measures,
        tags=dict(job.tags),
        replayed=context.meter.replayed,
        finished=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )
