"""A whole run: open the folder, bring up the models, work through the jobs, close everything in order."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.engine.batch.ledger import ANSWERS, BatchLedger, batches_in_flight
from worktrial.engine.heartbeat import Pulse, beating
from worktrial.engine.interruption import Interrupted, cancelled_by_signals
from worktrial.engine.manifest import Manifest, utc_now
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.progress import Progress, Tally
from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.records import last_records
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.engine.run_plan import RunPlan, RunSettings, manifest_of
from worktrial.engine.scheduler import Scheduler, work_off
from worktrial.engine.spend import Budget, Spend
from worktrial.engine.store import BATCHES, RunStore
from worktrial.engine.stored import agent_of
from worktrial.engine.trial import Job, Trial
from worktrial.errors import SettingError, StopRun, WorktrialError, extra, option
from worktrial.grading import Outcome
from worktrial.secrets import Redactor

if TYPE_CHECKING:
    from worktrial.engine.batch.transport import Batches
    from worktrial.engine.client import Client
    from worktrial.engine.otlp import SpanExport
    from worktrial.stores.shipping import Shipping

# Beside one request per sample in flight: votes that are asked for side by side.
SPARE_REQUESTS = 4


@dataclass(frozen=True, slots=True)
class RunEnd:
    """Outcome of a run that came to its end, and how many requests were sent again."""

    folder: Path
    jobs: Sequence[Job]
    invalid: int
    """Invalid samples of these jobs."""
    retries: int

    @property
    def records(self) -> Mapping[Key, SampleRecord]:
        """Records of the jobs in their order, read from the disk whenever they are asked for."""
        stored = last_records(self.folder)
        return {job.key: stored[job.key] for job in self.jobs}

    @property
    def invalid_share(self) -> float:
        """Invalid samples of all samples; 0 for a run without samples."""
        return self.invalid / len(self.jobs) if self.jobs else 0.0


def run_trial(
    trial: Trial,
    roles: Mapping[RoleName, RoleSettings],
    settings: RunSettings,
    *,
    progress: Progress | None = None,
    signals: bool = False,
) -> RunEnd:
    """Run `trial` on an event loop of its own; see `run_trials`."""
    return run_trials([RunPlan(trial, roles, settings)], progress=progress, signals=signals)[0]


def run_trials(
    plans: Sequence[RunPlan], *, progress: Progress | None = None, signals: bool = False
) -> list[RunEnd]:
    """Run `plans` on an event loop of their own, to their end or from where an earlier session left them.

    Args:
        plans: Runs, each with a folder of its own; see `run_trials_async`.
        progress: Told how the runs are going; see `run_trials_async`.
        signals: Whether SIGINT, SIGTERM and SIGHUP end the runs cleanly. Without it Python's own handling stays.

    Raises:
        SettingError: settings do not fit together or differ from a stored run's.
        DataError: a folder cannot be used.
        StopRun: an endpoint refuses to work, a budget is spent, or every sample meets the same defect.
        Interrupted: Ctrl-C, SIGTERM, a closed terminal, or somebody asked for the end of a run.
    """

    async def run() -> list[RunEnd]:
        with cancelled_by_signals() if signals else contextlib.nullcontext():
            return await run_trials_async(plans, progress=progress)

    try:
        with asyncio.Runner() as runner:
            return runner.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted") from None


async def run_trials_async(plans: Sequence[RunPlan], *, progress: Progress | None = None) -> list[RunEnd]:
    """Run `plans` on the caller's event loop, to their end or from where an earlier session left them.

    Their samples are taken in turn, one of each run. Where one cannot go on, all stop. Runs that are cancelled stop
    cleanly: samples in flight are dropped, finished ones are stored, and the sessions' ends are recorded. Signals
    are left alone.

    Args:
        plans: Runs, each with a folder of its own. The first one's budget is that of all together, and so is the
            smallest concurrency.
        progress: Called with the tally of all runs before the first open sample and after each that finishes; the
            tally is the same object each time. Where nothing is left to do it is not called.

    Raises:
        SettingError: settings do not fit together or differ from a stored run's.
        DataError: a folder cannot be used.
        StopRun: an endpoint refuses to work, a budget is spent, every sample meets the same defect, or there is no
            memory.
        CancelledError: the task was cancelled.
        Interrupted: somebody asked for the end of a run (`heartbeat.ask_to_stop`).
    """
    try:
        return await _carried_out(plans, progress)
    except MemoryError:
        what = "no memory is left for this process. Give it more, or do less at once"
        raise StopRun(f"{what} with {option('concurrency')}") from None


async def _carried_out(plans: Sequence[RunPlan], progress: Progress | None) -> list[RunEnd]:
    with contextlib.ExitStack() as stack:
        runs = [stack.enter_context(_opened(plan)) for plan in plans]
        whole = Spend(
            plans[0].settings.budget, cost=sum(r.spend.cost for r in runs), tokens=sum(r.spend.tokens for r in runs)
        )
        for run in runs:
            run.spend.join(whole)
        retries = await _work_off(runs, whole, progress)
        return [
            RunEnd(run.settings.folder, run.jobs, run.invalid, again)
            for run, again in zip(runs, retries, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _OpenRun:
    """A run whose folder is open for writing."""

    trial: Trial
    roles: Mapping[RoleName, RoleSettings]
    settings: RunSettings
    redactor: Redactor
    store: RunStore
    spend: Spend
    watcher: "SpanExport | None" = None
    shipment: "Shipping | None" = None

    def notice(self, text: str) -> None:
        """Tell the user, and the manifest, what the run has to do otherwise than it was asked to."""
        self.store.session.notices.append(self.redactor.text(text))
        tell_on_stderr(text)

    @property
    def invalid(self) -> int:
        """Number of samples that are invalid as yet."""
        return sum(self.store.samples.outcome(job.key) is Outcome.INVALID for job in self.trial.jobs)

    @property
    def jobs(self) -> list[Job]:
        """Jobs that are done, and those that are to be done now."""
        only, samples = self.settings.only, self.store.samples
        return [job for job in self.trial.jobs if only is None or job.key in only or samples.outcome(job.key)]

    @property
    def is_done(self) -> bool:
        """Whether no sample is left to do."""
        return not any(map(self.is_open, self.jobs))

    def is_open(self, job: Job) -> bool:
        """Whether a job is to be done now."""
        only = self.settings.only
        return not self.store.is_settled(job.key) and (only is None or job.key in only)


@contextlib.contextmanager
def _opened(plan: RunPlan) -> Iterator[_OpenRun]:
    """The run in its folder, with a session in the manifest that says how it ended."""
    trial, settings = plan.trial, plan.settings
    if settings.cache_only and settings.cache is None:
        raise SettingError(f"{option('cache_only')} needs the folder of a cache: add {option('cache')} DIR")
    roles = {role: s.resolved() for role, s in plan.roles.items()}
    if settings.batch is not None:
        settings.batch.roles(roles)
    elif lost := batches_in_flight(settings.folder):
        raise SettingError(
            f"{settings.folder}: {len(lost)} batches of this run are in flight, and paid for. Go on with "
            f"{option('batch')}, or remove {settings.folder / BATCHES} to leave them"
        )
    redactor = Redactor()
    for role in roles.values():
        role.hide(redactor, needs_key=not settings.cache_only)
    if settings.otlp is not None:
        redactor.add_url(settings.otlp)
    resolved = RunPlan(trial, roles, settings)
    manifest = manifest_of(resolved, redactor)
    with (
        _shipped(resolved, manifest, redactor) as shipment,
        RunStore(settings.folder, manifest, redactor, durable=settings.durable) as store,
    ):
        cost, tokens = _earlier_spend(store)
        spend = Spend(Budget(), cost=cost, tokens=tokens)
        end = "interrupted"
        try:
            with _watched(plan, roles, store, redactor) as watcher:
                yield _OpenRun(trial, roles, settings, redactor, store, spend, watcher, shipment)
            end = "done"
            # The answers of a run that has come to its end are in its records.
            shutil.rmtree(settings.folder / ANSWERS, ignore_errors=True)
        except Interrupted:
            raise
        except WorktrialError as e:
            end = f"stopped: {e}"
            raise
        except Exception as e:
            end = f"broken off: {type(e).__name__}: {e}".encode(errors="replace").decode()
            raise
        finally:
            session = store.session
            session.ended, session.end = utc_now(), end
            session.cost, session.tokens = spend.cost - cost, spend.tokens - tokens
            store.save_manifest()


def _shipped(
    plan: RunPlan, manifest: Manifest, redactor: Redactor
) -> "contextlib.AbstractContextManager[Shipping | None]":
    """The run's way into an object store, where it has a place in one."""
    if plan.settings.remote is None:
        return contextlib.nullcontext()
    if plan.settings.batch is not None:
        raise SettingError(
            f"{option('batch')}: batches are kept in the folder of their run; name a folder with "
            f"{option('output')}, and bring it to the store with `worktrial push`"
        )
    from worktrial.engine.remote import shipped

    return shipped(plan.settings.remote, plan.settings.folder, manifest, redactor)


def _watched(
    plan: RunPlan, roles: Mapping[RoleName, RoleSettings], store: RunStore, redactor: Redactor
) -> "contextlib.AbstractContextManager[SpanExport | None]":
    """Export of spans to the collector that the run's settings name, if they name one.

    Raises:
        MissingExtra: what it is made of is not installed.
    """
    settings = plan.settings
    if settings.otlp is None:
        return contextlib.nullcontext()
    with extra("otlp", "A collector of OpenTelemetry"):
        from worktrial.engine.otlp import Watched, exported

    agent = agent_of(store.manifest) or plan.trial.suite
    watched = Watched(plan.trial.suite, settings.folder.resolve().name, agent, roles)
    return exported(settings.otlp, watched, redactor, content=settings.trace_content, tell=tell_on_stderr)


async def _work_off(runs: Sequence[_OpenRun], whole: Spend, progress: Progress | None) -> list[int]:
    """Do what is still to be done; returns how many requests of each run had to be sent again."""
    settled = (
        (job.condition, run.store.samples.figures(job.key))
        for run in runs
        for job in run.jobs
        if not run.is_open(job)
    )
    tally = Tally(sum(len(run.jobs) for run in runs), settled)
    if tally.done == tally.total:
        return [0] * len(runs)
    whole.check()
    tell = progress or (lambda tally: None)

    def on_finished(record: SampleRecord) -> None:
        tally.add(record)
        tell(tally)

    def show(batches: str) -> None:
        tally.batches = batches
        tell(tally)

    tell(tally)
    concurrency = min(run.settings.concurrency for run in runs)
    async with contextlib.AsyncExitStack() as stack:
        # Models of a run that is done already need not be there.
        clients = [{} if run.is_done else await stack.enter_async_context(_connected(run, show)) for run in runs]
        schedulers = [
            Scheduler(run.trial, run.store, own, concurrency, on_finished, run.is_open, run.watcher, run.spend)
            for run, own in zip(runs, clients, strict=True)
        ]
        pulses = [
            Pulse(run.settings.folder, scheduler.running, own.values(), run.redactor)
            for run, own, scheduler in zip(runs, clients, schedulers, strict=True)
            if not run.is_done
        ]
        tally.now = lambda: [pulse.beat() for pulse in pulses]
        async with beating(pulses), _uploading(runs):
            await work_off(schedulers, concurrency)
        return [sum(client.retries for client in own.values()) for own in clients]


def _uploading(runs: Sequence[_OpenRun]) -> contextlib.AbstractAsyncContextManager[None]:
    shipments = [run.shipment for run in runs if run.shipment is not None]
    if not shipments:
        return contextlib.nullcontext()
    from worktrial.engine.remote import uploading

    return uploading(shipments)


def _batches(run: _OpenRun, cache: RequestCache, show: Callable[[str], None]) -> "Batches | None":
    """Batches of a run that sends some; None of any other."""
    settings = run.settings
    if settings.batch is None or settings.cache_only:
        return None
    from worktrial.engine.batch.transport import Batches

    ledger, chosen = BatchLedger(settings.folder, run.redactor), settings.batch.roles(run.roles)
    return Batches(chosen, ledger, cache, settings.batch, settings.retry, run.redactor, run.notice, show)


@contextlib.asynccontextmanager
async def _connected(run: _OpenRun, show: Callable[[str], None]) -> "AsyncIterator[Mapping[RoleName, Client]]":
    """Clients of one run.

    Args:
        run: With its folder.
        show: Told how the batches in flight are doing.

    Raises:
        SettingError: a cost budget cannot be watched, or see `connect`.
        StopRun: an endpoint does not answer at all.
    """
    if not run.roles:
        yield {}
        return
    # Runs without a model do without what reaches one.
    from worktrial.engine.connect import Wiring, connect

    settings = run.settings
    cache = RequestCache(settings.cache, run.redactor) if settings.cache else None
    if settings.batch is not None and cache is None:
        # Who is interrupted while the votes are out for a day has them, and the work that they are on, only here.
        cache = RequestCache(settings.folder / ANSWERS, run.redactor, is_of_run=True)
    batches = None if cache is None else _batches(run, cache, show)
    # Samples whose votes are out wait in great number; as many ask for something else as in any other run.
    at_work = settings.concurrency if batches is None else RunSettings.concurrency
    in_flight = settings.requests or at_work + SPARE_REQUESTS
    wiring = Wiring(in_flight, settings.retry, cache, settings.cache_only, batches, run.notice)
    async with (
        connect(run.roles, wiring, spend=run.spend, redactor=run.redactor) as clients,
        contextlib.nullcontext() if batches is None else batches.at_work(),
    ):
        if settings.budget.cost is not None:
            refuse_unpriced(clients)
        yield clients


def refuse_unpriced(clients: "Mapping[RoleName, Client]") -> None:
    """A cost budget that cannot be watched is refused.

    Raises:
        SettingError: some model's price is unknown.
    """
    for role, client in clients.items():
        if not client.is_priced:
            raise SettingError(
                f"{option('max_cost')}: the price of {client.settings.model!r} ({role}) is unknown. Give it with "
                f"{client.settings.role.option('price')} IN,OUT (US dollars per million tokens), or use "
                f"{option('max_tokens')}"
            )


def _earlier_spend(store: RunStore) -> tuple[float, int]:
    """Cost and tokens of earlier sessions.

    A session that was killed could not write its total, so the stored samples are the lower bound. Those that
    were replayed do not count: their record holds tokens of which nobody knows how many were bought.
    """
    sessions = store.manifest.sessions[:-1]
    cost = max(sum(s.cost for s in sessions), store.samples.cost)
    return cost, max(sum(s.tokens for s in sessions), store.samples.tokens)
