"""One session on a suite folder, from its models to the published suite."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.interruption import Interrupted, cancelled_by_signals
from worktrial.engine.manifest import utc_now
from worktrial.engine.roles import Role
from worktrial.errors import SettingError, WorktrialError
from worktrial.synthesis.artifacts import SessionRow, SlotRun
from worktrial.synthesis.clauses.clause import stored_clauses
from worktrial.synthesis.compose.atoms import read_atoms
from worktrial.synthesis.compose.telegraph import texts_of_atoms
from worktrial.synthesis.composed_home import (
    is_authored,
    lacks_workplace,
    place_of,
    read_home,
    rules_of,
)
from worktrial.synthesis.composed_session import ComposingSession
from worktrial.synthesis.composed_suite import labels_of
from worktrial.synthesis.estimate import MEASURED_FROM, estimate
from worktrial.synthesis.files import append_line
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.options import SessionSettings
from worktrial.synthesis.progress import SynthesisProgress, display
from worktrial.synthesis.resources import BookedSpend, Halted, SessionResources, open_resources
from worktrial.synthesis.standing import (
    StandingFinding,
    read_standing,
    task_findings,
    workplace_findings,
    write_standing,
)
from worktrial.synthesis.task_session import TasksEnd, TaskSession


@dataclass(frozen=True, kw_only=True)
class SessionEnd:
    """Outcome of a session that was not broken off."""

    tasks: TasksEnd
    blocking: Sequence[StandingFinding]
    """Findings in the workplace that keep the suite from being published."""
    page: Path | None
    """The review page."""
    spend: BookedSpend
    """Spend of all sessions."""
    retries: int


@dataclass(frozen=True, kw_only=True)
class SynthesisSession:
    """One session on a suite folder."""

    folder: SuiteFolder
    settings: SessionSettings
    trust: bool
    """Whether the workplace's code is run in this process."""
    until_drafts: bool
    """Stop before the first run, for a person to look."""
    warn: Callable[[str], None]

    def carry_on(self) -> SessionEnd:
        """Bring the suite as far as it goes.

        Raises:
            Interrupted: Ctrl-C or SIGTERM; what is finished is on disk.
            StopRun: an endpoint refuses to work, or a budget is spent.
            SettingError, DataError: something cannot be used.
            UnusableReplies: the workplace could not be written.
        """
        try:
            with asyncio.Runner() as runner:
                return runner.run(self._carry_on())
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise Interrupted("interrupted") from None

    async def _carry_on(self) -> SessionEnd:
        # Imported here: its templates are read only where there is a page to write.
        from worktrial.synthesis.review import write_review

        with cancelled_by_signals():
            async with open_resources(self.folder, self.settings.resources) as resources:
                started, end = utc_now(), "interrupted"

                def halt() -> None:
                    self.warn("what is in flight is brought to its end; another Ctrl-C drops it")
                    resources.spend.halt()

                try:
                    with cancelled_by_signals(halt):
                        done = await self._work(resources)
                    end = "stopped at drafts" if self.until_drafts else "done"
                except Halted as e:
                    raise Interrupted(str(e)) from None
                except WorktrialError as e:
                    end = f"stopped: {resources.redactor.text(str(e))}"
                    raise
                except Exception as e:
                    end = f"broken off: {type(e).__name__}"
                    raise
                finally:
                    self._note(resources, started, end)
        # Last of all: it shows this session, too.
        return replace(done, page=write_review(self.folder))

    async def _work(self, resources: SessionResources) -> SessionEnd:
        spec, spend = self.settings.spec, resources.spend
        board = SynthesisProgress(spec.tasks, lambda: (spend.cost, spend.tokens, spend.unpriced), resources.waiting)
        measured = self._measured()

        def ran(row: SlotRun) -> None:
            resources.outage.saw(row.reason if row.outcome == "invalid" else "")
            board.ran(row)
            measured()

        async with display(board):
            given: dict[str, Any] = {
                "folder": self.folder,
                "spec": spec,
                "resources": resources,
                "run_settings": self.settings.run_settings,
                # A run that calls a tool or is checked asks for nothing meanwhile; another takes its request.
                "runs_at_once": self.settings.resources.requests * 3 // 2,
                "moved": board.moved,
                "ran": ran,
                "warn": self.warn,
            }
            make = self._simulated if spec.workplace == "simulated" else self._composed
            tasks = await make(resources, given)
            # Runs on a workplace that is wrong would be paid for nothing.
            found = read_standing(self.folder) if spec.workplace == "code" else []
            blocking = [one for one in found if one.blocks]
            end = await tasks.make(until_drafts=self.until_drafts or bool(blocking))
        return SessionEnd(tasks=end, blocking=blocking, page=None, spend=spend, retries=resources.retries)

    async def _composed(self, resources: SessionResources, given: Mapping[str, Any]) -> ComposingSession:
        """One workplace of code, and tasks composed for it."""
        folder, spec = self.folder, self.settings.spec
        place = await self._place(resources)
        door, clauses = Door(read_home(folder, place, trust=self.trust)), stored_clauses(folder.clauses)
        found = await workplace_findings(door, place, clauses, spec.languages, self.settings.waived)
        write_standing(folder, found)
        for one in found:
            self.warn(f"{one.told}{' (waived)' if one.waived else ''}")
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

    async def _simulated(self, resources: SessionResources, given: Mapping[str, Any]) -> TaskSession[Any, Any]:
        """One workplace that a model plays, and tasks written for it."""
        # Imported here: who composes needs none of it.
        from worktrial.synthesis.simulated.session import SimulatedSession
        from worktrial.synthesis.simulated.workplace import SimulatedStage

        place = await SimulatedStage(**await self._reading(resources)).make()
        return SimulatedSession(**given, place=place, rules=place.rules)

    async def _reading(self, resources: SessionResources) -> dict[str, Any]:
        """Arguments of a `ReadingStage`."""
        from worktrial.engine.context_length import context_length

        settings, writer = self.settings, resources.roles[Role.SYNTHESIZER]
        return {
            "folder": self.folder,
            "spec": settings.spec,
            "sources": settings.sources,
            "author": resources.author_in(Role.SYNTHESIZER),
            "ledger": ProvenanceLedger(self.folder, warn=self.warn),
            "context": settings.context or await context_length(writer),
            "output": writer.max_tokens,
            "private": settings.private,
            "precedence": settings.precedence,
            "note": self.warn,
        }

    async def _place(self, resources: SessionResources) -> Path:
        """The workplace's folder: its owner's own, or what the author writes from the documents.

        Raises:
            SettingError: there is neither.
            DataError, UnusableReplies: as `WorkplaceStage.make`.
        """
        place = place_of(self.folder)
        if place is not None and not is_authored(self.folder):
            return place
        if not self.settings.sources:
            raise SettingError(lacks_workplace(self.folder))
        # Imported here: who brings a workplace needs no author.
        from worktrial.synthesis.authoring.stage import WorkplaceStage
        from worktrial.workplaces.executable.runner import SandboxedRunner

        other = resources.author_in(Role.SOLVER)
        stage = WorkplaceStage(**await self._reading(resources), other=other, runner=SandboxedRunner())
        return (await stage.make()).place

    def _measured(self) -> Callable[[], None]:
        """Function to be told of each run: after a folder's first few, it tells what is left by what they took."""
        is_new, count = not any((self.folder.work / "runs").glob("*.jsonl")), 0

        def told() -> None:
            nonlocal count
            count += 1
            if is_new and count == MEASURED_FROM:
                found = estimate(self.settings.spec, self.settings.resources.roles, self.folder)
                dollars = "" if found.dollars is None else f", ${found.dollars:,.2f}"
                left = f"{found.calls:,} calls, {found.tokens:,} tokens{dollars}"
                self.warn(f"by the first runs, what is left takes about {left}")

        return told

    def _note(self, resources: SessionResources, started: str, end: str) -> None:
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
        append_line(self.folder.work / "sessions.jsonl", msgspec.json.encode(row))
