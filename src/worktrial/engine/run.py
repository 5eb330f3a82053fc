"""A whole run: open the folder, bring up the models, work through the jobs, close everything in order."""

import asyncio
import contextlib
import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.engine.client import Client, tell_on_stderr
from worktrial.engine.connect import Wiring, connect
from worktrial.engine.growth import asked_of
from worktrial.engine.interruption import cancelled_by_signals
from worktrial.engine.manifest import Manifest, SessionRecord, versions
from worktrial.engine.progress import Progress, Tally
from worktrial.engine.record import Key, SampleRecord, total_tokens
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import RoleName, RoleSettings, public_url
from worktrial.engine.scheduler import Scheduler
from worktrial.engine.secrets import Redactor
from worktrial.engine.spend import Budget, Spend
from worktrial.engine.store import RunStore
from worktrial.engine.trial import Trial
from worktrial.errors import SettingError, WorktrialError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject

# Beside one request per sample in flight: votes that are asked for side by side.
SPARE_REQUESTS = 4


class Interrupted(WorktrialError):
    """The user stopped the run; what had finished is stored."""

    exit_code = 130


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """Settings that say how a run is carried out; none of them can change a result."""

    folder: Path
    concurrency: int = 16
    """Samples in flight."""
    requests: int | None = None
    """Requests in flight, of all roles together; None leaves a little room beside one for each sample."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    budget: Budget = field(default_factory=Budget)
    cache: Path | None = None
    cache_only: bool = False
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunEnd:
    """Records of a finished run, and how many requests were sent again."""

    records: Mapping[Key, SampleRecord]
    retries: int

    @property
    def invalid_share(self) -> float:
        """Invalid samples of all samples; 0 for a run without samples."""
        invalid = sum(r.outcome is Outcome.INVALID for r in self.records.values())
        return invalid / len(self.records) if self.records else 0.0


def run_trial(
    trial: Trial,
    roles: Mapping[RoleName, RoleSettings],
    settings: RunSettings,
    *,
    progress: Progress | None = None,
    signals: bool = False,
) -> RunEnd:
    """Run `trial` on an event loop of its own, to its end or from where an earlier session left it.

    Args:
        trial: Suite made ready to run.
        roles: Who plays which role.
        settings: How the run is carried out.
        progress: Told how the run is going; see `run_trial_async`.
        signals: Whether SIGINT and SIGTERM end the run cleanly. Without it Python's own handling of Ctrl-C stays.

    Raises:
        SettingError: settings do not fit together or differ from the stored run's.
        DataError: the folder cannot be used.
        StopRun: an endpoint refuses to work, a budget is spent, or every sample meets the same defect.
        Interrupted: Ctrl-C or SIGTERM.
    """

    async def run() -> RunEnd:
        with cancelled_by_signals() if signals else contextlib.nullcontext():
            return await run_trial_async(trial, roles, settings, progress=progress)

    try:
        with asyncio.Runner() as runner:
            return runner.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted") from None


async def run_trial_async(
    trial: Trial,
    roles: Mapping[RoleName, RoleSettings],
    settings: RunSettings,
    *,
    progress: Progress | None = None,
) -> RunEnd:
    """Run `trial` on the caller's event loop, to its end or from where an earlier session left it.

    Several runs, each with a folder of its own, may share a loop. A run that is cancelled stops cleanly: samples in
    flight are dropped, finished ones are stored, and the session's end is recorded. Signals are left alone.

    Args:
        trial: Suite made ready to run.
        roles: Who plays which role.
        settings: How the run is carried out.
        progress: Called with the run's tally before the first open sample and after each that finishes; the tally
            is the same object each time. A run with nothing left to do does not call it.

    Raises:
        SettingError: settings do not fit together or differ from the stored run's.
        DataError: the folder cannot be used.
        StopRun: an endpoint refuses to work, a budget is spent, or every sample meets the same defect.
        CancelledError: the task was cancelled.
    """
    if settings.cache_only and settings.cache is None:
        raise SettingError(f"{option('cache_only')} needs the folder of a cache: add {option('cache')} DIR")
    roles = {role: s.resolved() for role, s in roles.items()}
    redactor = Redactor()
    for role in roles.values():
        redactor.add_role(role, needs_key=not settings.cache_only)
    with RunStore(settings.folder, _manifest(trial, roles, settings, redactor), redactor) as store:
        return await _run(trial, roles, settings, store, redactor, progress)


def _manifest(
    trial: Trial, roles: Mapping[RoleName, RoleSettings], settings: RunSettings, redactor: Redactor
) -> Manifest:
    session = SessionRecord(
        started=_now(),
        command=[redactor.text(word) for word in settings.command],
        endpoints={str(role): _address(s) for role, s in roles.items()},
        versions=versions(),
        asked=asked_of(trial),
    )
    return Manifest(
        suite=trial.suite,
        data=trial.data,
        settings={**trial.settings, "roles": {str(role): _fingerprint(s) for role, s in roles.items()}},
        samples=len(trial.jobs),
        sessions=[session],
    )


def _fingerprint(settings: RoleSettings) -> JsonObject:
    if not settings.is_local:
        return settings.fingerprint()
    # Imported here because most runs have no embedded model. What `local` means can change between sessions.
    from worktrial.engine.local import resolve

    return {**settings.fingerprint(), "weights": resolve(settings.model).name}


async def _run(
    trial: Trial,
    roles: Mapping[RoleName, RoleSettings],
    settings: RunSettings,
    store: RunStore,
    redactor: Redactor,
    progress: Progress | None,
) -> RunEnd:
    earlier_cost, earlier_tokens = _earlier_spend(store)
    spend = Spend(settings.budget, cost=earlier_cost, tokens=earlier_tokens)
    end = "interrupted"
    try:
        retries = await _work_off(trial, roles, settings, store, spend, redactor, progress)
        end = "done"
    except WorktrialError as e:
        end = f"stopped: {e}"
        raise
    except Exception as e:
        end = f"broken off: {type(e).__name__}: {e}".encode(errors="replace").decode()
        raise
    finally:
        session = store.session
        session.ended, session.end = _now(), end
        session.cost, session.tokens = spend.cost - earlier_cost, spend.tokens - earlier_tokens
        store.save_manifest()
    return RunEnd({job.key: store.finished[job.key] for job in trial.jobs}, retries)


async def _work_off(
    trial: Trial,
    roles: Mapping[RoleName, RoleSettings],
    settings: RunSettings,
    store: RunStore,
    spend: Spend,
    redactor: Redactor,
    progress: Progress | None,
) -> int:
    """Do what is still to be done; returns how many requests had to be sent again."""
    settled = [store.finished[job.key] for job in trial.jobs if store.is_settled(job.key)]
    tally = Tally(len(trial.jobs), settled)
    if tally.done == tally.total:
        return 0
    spend.check()
    cache = RequestCache(settings.cache, redactor) if settings.cache else None
    in_flight = settings.requests or settings.concurrency + SPARE_REQUESTS

    def notice(text: str) -> None:
        store.session.notices.append(redactor.text(text))
        tell_on_stderr(text)

    wiring = Wiring(in_flight, settings.retry, cache, settings.cache_only, notice)
    tell = progress or (lambda tally: None)

    def on_finished(record: SampleRecord) -> None:
        tally.add(record)
        tell(tally)

    tell(tally)
    async with connect(roles, wiring, spend=spend, redactor=redactor) as clients:
        if settings.budget.cost is not None:
            refuse_unpriced(clients)
        await Scheduler(trial, store, clients, settings.concurrency, on_finished).run()
        return sum(client.retries for client in clients.values())


def refuse_unpriced(clients: Mapping[RoleName, Client]) -> None:
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
    records = [r for r in store.finished.values() if not r.replayed]
    cost = max(sum(s.cost for s in sessions), sum(r.cost or 0.0 for r in records))
    return cost, max(sum(s.tokens for s in sessions), sum(total_tokens(r.usage) for r in records))


def _address(settings: RoleSettings) -> str:
    return "local" if settings.is_local else public_url(settings.base_url or "")


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
