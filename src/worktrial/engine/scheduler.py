"""Running jobs side by side, and storing each as it finishes."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from worktrial.engine.defects import LEAST_OUTAGE, Defects, Outage
from worktrial.engine.manifest import utc_now
from worktrial.engine.record import Key, SampleRecord, SampleResult, dollars, usage_of
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.spend import Spend
from worktrial.engine.store import RunStore
from worktrial.engine.times import SampleTimes, current
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import Outcome
from worktrial.language import JsonObject

if TYPE_CHECKING:
    from worktrial.engine.client import Client
    from worktrial.engine.otlp import SpanExport


async def guarded(
    work: Awaitable[SampleResult],
    on_defect: Callable[[BaseException], None] = lambda error: None,
    on_crash: Callable[[BaseException], None] = lambda error: None,
) -> SampleResult:
    """Result of `work`; `invalid` where it breaks, for whatever reason.

    Args:
        work: One sample.
        on_defect: Told of what nobody foresaw.
        on_crash: Told what a user's own agent raised.

    Raises:
        StopRun, SettingError, MemoryError: nothing can go on.
        CancelledError: whoever waits for this was cancelled.
    """
    task = asyncio.current_task()
    # A task group that failed in an earlier sample leaves its task marked as cancelled in Python 3.11.
    before = 0 if task is None else task.cancelling()
    try:
        return await work
    except (StopRun, SettingError, MemoryError):
        # Without memory the next sample would be paid for and meet the same.
        raise
    except InvalidSample as e:
        if e.reason is InvalidReason.AGENT_CRASH and e.__cause__ is not None:
            on_crash(e.__cause__)
        return SampleResult(outcome=Outcome.INVALID, reason=str(e))
    except asyncio.CancelledError as e:
        if task is None or task.cancelling() > before:
            raise
        # Not we who cancelled, but something inside the sample; whoever waits must go on.
        on_defect(e)
        return defect(e)
    except Exception as e:  # noqa: BLE001 - one broken sample must not take the others with it
        on_defect(e)
        return defect(e)


def defect(error: BaseException) -> SampleResult:
    """Invalid result of a sample that met what nobody foresaw."""
    said = f"{InvalidReason.INTERNAL.value}: {type(error).__name__}: {error}"
    return SampleResult(outcome=Outcome.INVALID, reason=said.encode(errors="replace").decode())


OnFinished = Callable[[SampleRecord], None]


async def work_off(schedulers: "Sequence[Scheduler]", concurrency: int) -> None:
    """Run every job that is not settled yet, of each run in turn, with `concurrency` samples in flight.

    So runs side by side meet the same hour of a provider's day, and what ends them early leaves them comparable.

    Raises:
        StopRun: the runs cannot go on; samples in flight are dropped, finished ones are stored.
    """
    rows = zip_longest(*(scheduler.trial.jobs for scheduler in schedulers))
    turns = [(scheduler, job) for row in rows for scheduler, job in zip(schedulers, row, strict=True)]
    waiting = iter([(s, job) for s, job in turns if job is not None and s.is_open(job)])

    async def work() -> None:
        # The iterator is shared: each worker takes the next job when it is free.
        for scheduler, job in waiting:
            await scheduler.run(job)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(turns))):
                group.create_task(work())
    except BaseExceptionGroup as group_error:
        # Samples in flight tend to meet the same refusal at the same moment; one report is enough.
        raise group_error.exceptions[0] from None


@dataclass(slots=True)
class Scheduler:
    """Runs and stores the samples of one trial, and sees when the trouble of one is that of all."""

    trial: Trial
    store: RunStore
    clients: "Mapping[RoleName, Client]"
    concurrency: int
    """Samples in flight, of all runs of a command together."""
    on_finished: OnFinished
    is_open: Callable[[Job], bool]
    """Function that tells whether a job is to be done."""
    watcher: "SpanExport | None" = None
    """Told of each finished sample, with the times of what it did; None takes none."""
    spend: Spend | None = None
    """Consumption of the run, whose budget is looked at before each sample, too."""
    running: dict[Key, SampleContext] = field(default_factory=dict, init=False)
    """Samples in flight."""
    _outage: Outage = field(init=False)
    _defects: Defects = field(init=False)

    def __post_init__(self) -> None:
        open_jobs = [job for job in self.trial.jobs if self.is_open(job)]
        self._outage = Outage("samples", max(LEAST_OUTAGE, self.concurrency))
        self._defects = Defects(self.store, open_jobs, agent_is_model=Role.AGENT in self.clients)

    async def run(self, job: Job) -> None:
        """Run one job and store what came of it.

        Raises:
            StopRun: the run cannot go on.
        """
        times = None if self.watcher is None else SampleTimes(self.watcher.keeps_content)
        token = current.set(times)
        try:
            record = await self._run(job, times)
        finally:
            current.reset(token)
        if self.watcher is not None and times is not None:
            self.watcher.add(record, times, time.time_ns())

    async def _run(self, job: Job, times: SampleTimes | None) -> SampleRecord:
        if self.spend is not None:
            self.spend.check()
        context = SampleContext(job, self.clients, times, self.spend)
        self.running[job.key] = context
        try:
            result = await guarded(
                self.trial.run(job, context),
                on_defect=lambda error: self._defects.met(job.key, error),
                on_crash=lambda error: self._defects.crashed(job.key, error),
            )
        finally:
            del self.running[job.key]
        seconds = time.perf_counter() - context.started
        # Progress and notices say it before it is stored.
        result.reason = self.store.redacted(result.reason)
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
        return record


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
        answered_by=result.answered_by,
        fault_plan=result.fault_plan,
        fault_ledger=result.fault_ledger,
        fault_misses=result.fault_misses,
        simulation=result.simulation,
        clock=result.clock,
        violations=result.violations,
        context=result.context,
        measures=result.measures,
        tags=dict(job.tags),
        replayed=context.meter.replayed,
        finished=utc_now(),
    )
