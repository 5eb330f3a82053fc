"""Running jobs side by side, storing each as it finishes, and seeing when the trouble of one is that of all."""

import asyncio
import datetime as dt
import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from worktrial.engine.client import Client
from worktrial.engine.record import Key, SampleRecord, SampleResult, dollars, usage_of
from worktrial.engine.roles import RoleName
from worktrial.engine.store import TRACEBACKS, RunStore
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.language.untrusted import printable

log = logging.getLogger(__name__)

# So many in a row without an answer are an outage, not bad luck.
LEAST_OUTAGE = 8
# So many samples that broke off at the same place, with none that came through, and the others would, too.
SAME_DEFECTS = 5


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
        StopRun, SettingError: nothing can go on.
        CancelledError: whoever waits for this was cancelled.
    """
    try:
        return await work
    except (StopRun, SettingError):
        raise
    except InvalidSample as e:
        if e.reason is InvalidReason.AGENT_CRASH and e.__cause__ is not None:
            on_crash(e.__cause__)
        return SampleResult(outcome=Outcome.INVALID, reason=str(e))
    except asyncio.CancelledError as e:
        task = asyncio.current_task()
        if task is None or task.cancelling():
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


class Defects:
    """Crashes of a run's samples: the first defect is shown at once, one traceback of each kind is stored.

    Args:
        store: Folder of the run.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._stored: set[str] = set()
        self._in_a_row: Counter[str] = Counter()
        self._has_shown = False

    def met(self, key: Key, error: BaseException) -> None:
        """Sample `key` broke off for a defect of ours.

        Raises:
            StopRun: the traceback cannot be stored.
        """
        kind = _kind(error)
        self._in_a_row[kind] += 1
        told = self._keep(key, kind, error)
        if not self._has_shown:
            self._has_shown = True
            said = f"worktrial: {_title(key)} broke off for a defect of Worktrial. Please report it with this"
            shown = f"{said} traceback (also in {self._where}):\n{told}"
            print(printable(shown), file=sys.stderr, end="", flush=True)

    def crashed(self, key: Key, error: BaseException) -> None:
        """The user's own agent raised `error` in sample `key`.

        Raises:
            StopRun: the traceback cannot be stored.
        """
        self._keep(key, _kind(error), error)

    def saw(self, record: SampleRecord) -> None:
        """A sample ended with `record`, which is stored.

        Raises:
            StopRun: one defect meets every sample.
        """
        if record.outcome is not Outcome.INVALID:
            self._in_a_row.clear()
        for kind, count in self._in_a_row.items():
            if count >= SAME_DEFECTS:
                raise StopRun(
                    f"{count} samples broke off for the same defect of Worktrial, {kind}, and none came through: "
                    f"please report it with the traceback in {self._where}"
                )

    @property
    def _where(self) -> str:
        return str(self._store.folder / TRACEBACKS)

    def _keep(self, key: Key, kind: str, error: BaseException) -> str:
        # Not through the log's exc_info: what an exception quotes may hold a key.
        told = self._store.redacted("".join(traceback.format_exception(error)))
        log.debug("%s: %s", _title(key), told)
        if kind not in self._stored:
            self._stored.add(kind)
            self._store.note(f"{_title(key)}:\n{told}\n")
        return told


def _kind(error: BaseException) -> str:
    """Type of an exception and the place where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _title(key: Key) -> str:
    sample, repeat, condition = key
    return f"sample {sample!r} (repeat {repeat}, {condition})"


class Outage:
    """End of a run when nothing but unreachable endpoints has come back for a while: what is left can wait.

    Args:
        what: Things that end, in the plural, for the message.
        least: How many in a row are an outage.
    """

    def __init__(self, what: str, least: int = LEAST_OUTAGE) -> None:
        self._what = what
        self._least = least
        self._in_a_row = 0

    def saw(self, reason: str) -> None:
        """Something ended with `reason` ("" where it went well).

        Raises:
            StopRun: it is an outage.
        """
        self._in_a_row = self._in_a_row + 1 if reason.startswith(InvalidReason.ENDPOINT_UNAVAILABLE.value) else 0
        if self._in_a_row >= self._least:
            raise StopRun(f"the last {self._in_a_row} {self._what} could not reach their model. {reason}")


OnFinished = Callable[[SampleRecord], None]


async def work_off(schedulers: "Sequence[Scheduler]", concurrency: int) -> None:
    """Run every job that is not settled yet, of each run in turn, with `concurrency` samples in flight.

    So runs side by side meet the same hour of a provider's day, and what ends them early leaves them comparable.

    Raises:
        StopRun: the runs cannot go on; samples in flight are dropped, finished ones are stored.
    """
    rows = zip_longest(*(scheduler.trial.jobs for scheduler in schedulers))
    turns = [(scheduler, job) for row in rows for scheduler, job in zip(schedulers, row, strict=True)]
    waiting = iter([(s, job) for s, job in turns if job is not None and not s.store.is_settled(job.key)])

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
    clients: Mapping[RoleName, Client]
    concurrency: int
    """Samples in flight, of all runs of a command together."""
    on_finished: OnFinished
    _outage: Outage = field(init=False)
    _defects: Defects = field(init=False)

    def __post_init__(self) -> None:
        self._outage = Outage("samples", max(LEAST_OUTAGE, self.concurrency))
        self._defects = Defects(self.store)

    async def run(self, job: Job) -> None:
        """Run one job and store what came of it.

        Raises:
            StopRun: the run cannot go on.
        """
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
