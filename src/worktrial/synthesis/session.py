"""One session on a suite folder, from its models to the published suite."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.interruption import Interrupted, cancelled_by_signals
from worktrial.engine.manifest import utc_now
from worktrial.engine.roles import Role
from worktrial.errors import SettingError, WorktrialError
from worktrial.suites.simulated.trial import SimulatedSettings
from worktrial.synthesis.artifacts import JobSpec, SessionRow, SlotRun
from worktrial.synthesis.compose.atoms import read_atoms
from worktrial.synthesis.compose.telegraph import texts_of_atoms
from worktrial.synthesis.composed_home import (
    is_authored,
    labels_of,
    lacks_workplace,
    place_of,
    read_all_clauses,
    read_home,
    rules_of,
    task_findings,
    workplace_findings,
)
from worktrial.synthesis.composed_session import ComposingSession
from worktrial.synthesis.estimate import MEASURED_FROM, estimate
from worktrial.synthesis.files import append_line
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.progress import PLAIN_SECONDS, SynthesisProgress, display
from worktrial.synthesis.resources import (
    Halted,
    ReadingOptions,
    ResourceSettings,
    SessionResources,
    open_resources,
)
from worktrial.synthesis.sources import SourceLibrary
from worktrial.synthesis.standing import StandingFinding, read_standing, write_standing
from worktrial.synthesis.task_session import TasksEnd, TaskSession


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
    run_settings: SimulatedSettings
    until_drafts: bool = False
    """Stop before the first run, for a person to look."""
    warn: Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SessionEnd:
    """Outcome of a session that was not broken off."""

    tasks: TasksEnd
    """The tasks, and what became of them."""
    blocking: Sequence[StandingFinding] = ()
    """Findings in the workplace that keep the suite from being published."""
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
        UnusableReplies: the workplace could not be written.
    """
    try:
        with asyncio.Runner() as runner:
            return runner.run(_carry_on(session))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise Interrupted("interrupted") from None


async def _carry_on(session: SynthesisSession) -> SessionEnd:
    # Imported here: its templates are read only where there is a page to write.
    from worktrial.synthesis.review import write_review

    with cancelled_by_signals():
        async with open_resources(session.folder, session.resources) as resources:
            started, end = utc_now(), "interrupted"

            def halt() -> None:
                session.warn("what is in flight is brought to its end; another Ctrl-C drops it")
                resources.spend.halt()

            try:
                with cancelled_by_signals(halt):
                    done = await _work(session, resources)
                end = "stopped at drafts" if session.until_drafts else "done"
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
    return replace(done, page=write_review(session.folder))


async def _work(session: SynthesisSession, resources: SessionResources) -> SessionEnd:
    spec = session.spec
    board = SynthesisProgress(spec.tasks, _spent(resources))
    async with _shown(board) as changed:

        def moved(event: Any) -> None:
            board.moved(event)
            changed()

        given: dict[str, Any] = {
            "folder": session.folder,
            "spec": spec,
            "resources": resources,
            "run_settings": session.run_settings,
            # A run that calls a tool or is checked asks for nothing meanwhile, and leaves its request to another.
            "runs_at_once": session.resources.requests * 3 // 2,
            "moved": moved,
            "ran": _measured(session, _ran(resources, board, changed)),
            "warn": session.warn,
        }
        make = _simulated if spec.workplace == "simulated" else _composed
        tasks = await make(session, resources, given)
        # Runs on a workplace that is wrong would be paid for nothing.
        found = read_standing(session.folder) if make is _composed else []
        blocking = [one for one in found if one.blocks]
        end = await tasks.make(until_drafts=session.until_drafts or bool(blocking))
    return SessionEnd(
        tasks=end,
        blocking=blocking,
        page=None,
        cost=resources.spend.cost,
        tokens=resources.spend.tokens,
        unpriced=resources.spend.unpriced,
        retries=resources.retries,
    )


async def _composed(
    session: SynthesisSession, resources: SessionResources, given: Mapping[str, Any]
) -> ComposingSession:
    """One workplace of code, and tasks composed for it."""
    folder, spec = session.folder, session.spec
    place = await _place(session, resources)
    door, clauses = Door(read_home(folder, place, trust=session.trust)), read_all_clauses(folder)
    found = await workplace_findings(door, place, clauses, spec.languages, session.reading.waived)
    write_standing(folder, found)
    for one in found:
        session.warn(f"{one.told}{' (waived)' if one.waived else ''}")
    texts = await texts_of_atoms([atom.name for atom in read_atoms(place)], door)
    return ComposingSession(
        **given,
        place=place,
        door=door,
        labels=labels_of(spec, place),
        rules=rules_of(folder),
        findings=task_findings(door, clauses, found, texts),
        clauses=clauses,
    )


async def _simulated(
    session: SynthesisSession, resources: SessionResources, given: Mapping[str, Any]
) -> TaskSession[Any, Any]:
    """One workplace that a model plays, and tasks written for it."""
    # Imported here: who composes needs none of it.
    from worktrial.synthesis.simulated.session import SimulatedSession
    from worktrial.synthesis.simulated.workplace import SimulatedStage

    place = await SimulatedStage(**await _reading(session, resources)).make()
    return SimulatedSession(**given, place=place, rules=place.rules)


async def _reading(session: SynthesisSession, resources: SessionResources) -> dict[str, Any]:
    """Arguments of a `ReadingStage`."""
    from worktrial.engine.context_length import context_length

    writer = Role.SYNTHESIZER.value
    settings = resources.roles[writer]
    return {
        "folder": session.folder,
        "spec": session.spec,
        "sources": session.sources,
        "author": resources.author_in(writer),
        "ledger": ProvenanceLedger(session.folder, warn=session.warn),
        "context": session.reading.context or await context_length(settings),
        "output": settings.max_tokens,
        "private": session.reading.private,
        "precedence": session.reading.precedence,
        "note": session.warn,
    }


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
    from worktrial.synthesis.authoring.stage import WorkplaceStage
    from worktrial.workplaces.executable.runner import SandboxedRunner

    reading = await _reading(session, resources)
    stage = WorkplaceStage(**reading, other=resources.author_in(Role.SOLVER.value), runner=SandboxedRunner())
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
            found = estimate(session.spec, session.resources.roles, session.folder)
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


def _note(session: SynthesisSession, resources: SessionResources, started: str, end: str) -> None:
    spend = resources.spend
    cost, tokens = spend.before
    row = SessionRow(
        started=started,
        ended=utc_now(),
        end=end,
        roles={role_name: settings.model for role_name, settings in resources.roles.items()},
        answers=spend.answers,
        tokens=spend.tokens - tokens,
        cost=spend.cost - cost,
    )
    append_line(session.folder.work / "sessions.jsonl", msgspec.json.encode(row))
