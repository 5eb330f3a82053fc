"""One session on a suite folder, from its models to the published suite."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec

from worktrial.engine.interruption import cancelled_by_signals
from worktrial.engine.roles import Role
from worktrial.engine.run import Interrupted
from worktrial.errors import SettingError, WorktrialError
from worktrial.synthesis.artifacts import JobSpec, Reject, SessionRow, SlotRun
from worktrial.synthesis.calibration.runs import CalibrationSettings, RunBook, runner_for
from worktrial.synthesis.composed_home import (
    is_authored,
    labels_of,
    lacks_workplace,
    place_of,
    read_all_clauses,
    read_home,
    rules_of,
    task_findings,
    workplace_warnings,
)
from worktrial.synthesis.composed_session import ComposedEnd, ComposingSession
from worktrial.synthesis.estimate import MEASURED_FROM, estimate_composed
from worktrial.synthesis.files import append_line, hash_of, write_lines, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import Pipeline, SlotEnd
from worktrial.synthesis.progress import PLAIN_SECONDS, SynthesisProgress, display
from worktrial.synthesis.publish import publish, record, withdraw
from worktrial.synthesis.resources import (
    Halted,
    ReadingOptions,
    ResourceSettings,
    SessionResources,
    open_resources,
)
from worktrial.synthesis.sources import SourceLibrary
from worktrial.synthesis.stages.report import SuiteReport
from worktrial.synthesis.workshop import SuiteWorkshop

Stop = Literal["drafts", "repairs"]


@dataclass(frozen=True, kw_only=True)
class SynthesisSession:
    """Task of one session on a suite folder, with everything it takes."""

    folder: SuiteFolder
    spec: JobSpec
    own: Path | None = None
    """Folder of a workplace that its owner brings."""
    trust: bool = False
    """Whether the workplace's code is run in this process."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """Manner in which the documents are read."""
    sources: SourceLibrary
    """The user's documents."""
    resources: ResourceSettings
    run_settings: CalibrationSettings
    review: bool = False
    """Stop where a person should look."""
    until_drafts: bool = False
    warn: Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SessionEnd:
    """Outcome of a session that was not broken off."""

    stopped: Stop | None
    """Stage at which it stopped for a person; None where the suite is done."""
    ends: Sequence[SlotEnd]
    selected: Sequence[str]
    rejects: Sequence[Reject]
    report: SuiteReport | None
    """Evidence for the suite; None after a stop at the drafts, and where the tasks were composed."""
    composed: ComposedEnd | None = None
    """Tasks composed for a workplace of code, and what became of them."""
    page: Path | None
    """The review page."""
    cost: float
    """US dollars of all sessions."""
    tokens: int
    unpriced: bool
    retries: int


def carry_on(session: SynthesisSession) -> SessionEnd:
    """Bring a suite folder as far as it goes.

    Raises:
        Interrupted: Ctrl-C or SIGTERM; what is finished is on disk.
        StopRun: an endpoint refuses to work, or a budget is spent.
        SettingError, DataError: something cannot be used.
        Unusable: not even the sub-topics could be written.
    """
    try:
        with asyncio.Runner() as runner:
            return runner.run(_carry_on(session))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted") from None


async def _carry_on(session: SynthesisSession) -> SessionEnd:
    # Imported here: its templates are read only where there is a page to write.
    from worktrial.synthesis.review import write_composed_review, write_review

    with cancelled_by_signals():
        async with open_resources(session.folder, session.resources) as resources:
            started, end = _now(), "interrupted"

            def halt() -> None:
                session.warn("what is in flight is brought to its end; another Ctrl-C drops it")
                resources.spend.halt()

            try:
                with cancelled_by_signals(halt):
                    done = await _work(session, resources)
                end = f"stopped at {done.stopped}" if done.stopped else "done"
            except Halted as e:
                raise Interrupted(str(e)) from None
            except WorktrialError as e:
                end = f"stopped: {resources.redactor.text(str(e))}"
                raise
            except Exception as e:
                end = f"broken off: {type(e).__name__}"
                raise
            finally:
                _note(session, resources, started, end)
    # Last of all: it shows this session, too.
    write = write_review if done.composed is None else write_composed_review
    return replace(done, page=write(session.folder))


async def _work(session: SynthesisSession, resources: SessionResources) -> SessionEnd:
    return await (_simulated if session.spec.workplace == "simulated" else _composed)(session, resources)


async def _composed(session: SynthesisSession, resources: SessionResources) -> SessionEnd:
    """One workplace of code, and tasks composed for it."""
    folder, spec = session.folder, session.spec
    board = SynthesisProgress(0, spec.tasks, _spent(resources))
    place = await _place(session, resources)
    home, clauses = read_home(folder, place, trust=session.trust), read_all_clauses(folder)
    for text in await workplace_warnings(home, place, clauses, spec.languages):
        session.warn(text)
    async with _shown(board) as changed:

        def moved(event: Any) -> None:
            board.moved(event)
            changed()

        composing = ComposingSession(
            folder=folder,
            spec=spec,
            place=place,
            home=home,
            labels=labels_of(spec, place),
            rules=rules_of(folder),
            resources=resources,
            limits=session.run_settings.limits,
            runs_at_once=session.resources.requests,
            moved=moved,
            findings=task_findings(home, clauses),
            ran=_measured(session, _ran(resources, board, changed)),
            warn=session.warn,
        )
        end = await composing.make(until_drafts=session.until_drafts)
    stopped: Stop | None = "drafts" if session.until_drafts else None
    selected = [] if session.until_drafts else [draft.recipe.id for draft in end.drafts]
    return replace(_ended(resources, stopped, [], [], selected), composed=end)


async def _place(session: SynthesisSession, resources: SessionResources) -> Path:
    """The workplace's folder: its owner's own, or what the author writes from the documents.

    Raises:
        SettingError: there is neither.
        DataError, UnusableReplies: as `WorkplaceStage.make`.
    """
    folder = session.folder
    place = place_of(folder)
    if place is not None and not is_authored(folder):
        return place
    if not session.sources:
        raise SettingError(lacks_workplace(folder))
    # Imported here: who brings a workplace needs no author.
    from worktrial.engine.context_length import context_length
    from worktrial.synthesis.authoring.stage import WorkplaceStage
    from worktrial.workplaces.executable.runner import SandboxedRunner

    writer, other = Role.SYNTHESIZER.value, Role.SOLVER.value
    settings, runner = resources.roles[writer], SandboxedRunner()
    stage = WorkplaceStage(
        folder=folder,
        spec=session.spec,
        sources=session.sources,
        author=resources.author_in(writer),
        other=resources.author_in(other),
        ledger=ProvenanceLedger(folder, warn=session.warn),
        runner=runner,
        context=session.reading.context or await context_length(settings),
        output=settings.max_tokens,
        private=session.reading.private,
        precedence=session.reading.precedence,
        note=session.warn,
    )
    return (await stage.make()).place


def _measured(session: SynthesisSession, ran: Callable[[SlotRun], None]) -> Callable[[SlotRun], None]:
    """The same, and after the first few runs of a folder the estimate again, by what they took."""
    is_new = not any((session.folder.work / "runs").glob("*.jsonl"))
    count = 0

    def told(row: SlotRun) -> None:
        nonlocal count
        ran(row)
        count += 1
        if is_new and count == MEASURED_FROM:
            found = estimate_composed(session.spec, session.resources.roles, session.folder)
            dollars = "" if found.dollars is None else f", ${found.dollars:,.2f}"
            left = f"{found.calls:,} calls, {found.tokens:,} tokens{dollars}"
            session.warn(f"by the first runs, what is left takes about {left}")

    return told


def _spent(resources: SessionResources) -> Callable[[], tuple[float, int, bool]]:
    return lambda: (resources.spend.cost, resources.spend.tokens, resources.spend.unpriced)


def _ran(
    resources: SessionResources, board: SynthesisProgress, changed: Callable[[], None]
) -> Callable[[SlotRun], None]:
    def ran(row: SlotRun) -> None:
        resources.outage.saw(row.reason if row.outcome == "invalid" else "")
        board.ran(row)
        changed()

    return ran


async def _simulated(session: SynthesisSession, resources: SessionResources) -> SessionEnd:
    """A workplace for each task, played by a model."""
    spec, folder = session.spec, session.folder

    board = SynthesisProgress(
        spec.subtopics,
        spec.subtopics * len(spec.levels) * len(spec.languages),
        _spent(resources),
    )
    ledger = ProvenanceLedger(folder, warn=session.warn)
    stops = Stops(folder)
    async with _shown(board) as changed:
        workshop = _workshop(session, resources, ledger, board, changed)

        async def run(*, until_drafts: bool) -> list[SlotEnd]:
            def moved(event: Any) -> None:
                board.moved(event)
                changed()

            return await Pipeline(spec, workshop, moved, until_drafts).run()

        if session.until_drafts or session.review:
            ends = await run(until_drafts=True)
            if stops.has_new_drafts(ends, ledger) or session.until_drafts:
                rejects = [end.reject for end in ends if end.reject is not None]
                write_lines(folder.rejects, rejects)
                stops.save()
                return _ended(resources, "drafts", ends, rejects)
        ends = await run(until_drafts=False)
    selected, rejects, found = record(folder, ends)
    if session.review and stops.has_new_ends(ends):
        stops.save()
        return _ended(resources, "repairs", ends, rejects, selected, found)
    if selected:
        publish(folder, spec, ends, selected, found)
    else:
        withdraw(folder)
    return _ended(resources, None, ends, rejects, selected, found)


@asynccontextmanager
async def _shown(board: SynthesisProgress) -> AsyncIterator[Callable[[], None]]:
    """The display; it is told the time, too, so that a slow model does not look like none at all."""
    with display(board) as changed:

        async def tick() -> None:
            while True:
                await asyncio.sleep(PLAIN_SECONDS)
                changed()

        ticker = asyncio.create_task(tick())
        try:
            yield changed
        finally:
            ticker.cancel()


def _workshop(
    session: SynthesisSession,
    resources: SessionResources,
    ledger: ProvenanceLedger,
    board: SynthesisProgress,
    changed: Callable[[], None],
) -> SuiteWorkshop:
    roles = {
        role_name: resources.roles[role_name].fingerprint()
        for role_name in (Role.AGENT, Role.SIMULATOR, Role.JUDGE)
    }
    book = RunBook(
        session.folder, hash_of([roles, session.run_settings, session.spec.votes]), resources.redactor.bytes
    )
    return SuiteWorkshop(
        folder=session.folder,
        spec=session.spec,
        sources=session.sources,
        author=resources.author,
        judge=resources.model(Role.JUDGE, "subtopics"),
        ledger=ledger,
        book=book,
        runner_for=runner_for(session.spec, resources.clients, session.run_settings),
        runs_at_once=session.resources.requests,
        on_run=_ran(resources, board, changed),
        note=session.warn,
    )


def _ended(
    resources: SessionResources,
    stopped: Stop | None,
    ends: Sequence[SlotEnd],
    rejects: Sequence[Reject],
    selected: Sequence[str] = (),
    found: SuiteReport | None = None,
) -> SessionEnd:
    return SessionEnd(
        stopped=stopped,
        ends=ends,
        selected=selected,
        rejects=rejects,
        report=found,
        page=None,
        cost=resources.spend.cost,
        tokens=resources.spend.tokens,
        unpriced=resources.spend.unpriced,
        retries=resources.retries,
    )


def _note(session: SynthesisSession, resources: SessionResources, started: str, end: str) -> None:
    spend = resources.spend
    cost, tokens = spend.before
    row = SessionRow(
        started=started,
        ended=_now(),
        end=end,
        roles={role_name: settings.model for role_name, settings in resources.roles.items()},
        answers=spend.answers,
        tokens=spend.tokens - tokens,
        cost=spend.cost - cost,
    )
    append_line(session.folder.work / "sessions.jsonl", msgspec.json.encode(row))


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


class _Shown(msgspec.Struct, kw_only=True):
    """`work/review/shown.json`: hash by file, and content by slot."""

    drafts: dict[str, str] = {}
    ends: dict[str, str] = {}


class Stops:
    """Knows what a person has been shown."""

    def __init__(self, folder: SuiteFolder) -> None:
        self._folder = folder
        self._path: Path = folder.review / "shown.json"
        self._shown = msgspec.json.decode(self._path.read_bytes(), type=_Shown) if self._path.exists() else _Shown()

    def has_new_drafts(self, ends: Sequence[SlotEnd], ledger: ProvenanceLedger) -> bool:
        """Whether some draft was written by its author since the last stop.

        A person's edits, and repairs, are no reason to stop again.
        """
        new = {}
        for end in ends:
            for path in (self._folder.workplace(end.slot), self._folder.task(end.slot)):
                record = ledger.last(path)
                if record is not None and not record.edited and not record.repair:
                    new[record.file] = record.hash
        unseen = new.items() - self._shown.drafts.items()
        self._shown.drafts |= new
        return bool(unseen)

    def has_new_ends(self, ends: Sequence[SlotEnd]) -> bool:
        """Whether some slot came to another end than was shown."""
        new = {
            end.slot.id: hash_of([end.calibration.content, end.calibration.verdict])
            for end in ends
            if end.calibration is not None
        }
        unseen = new.items() - self._shown.ends.items()
        self._shown.ends |= new
        return bool(unseen)

    def save(self) -> None:
        """Put on record what has been shown now."""
        write_text(self._path, msgspec.json.encode(self._shown).decode())
