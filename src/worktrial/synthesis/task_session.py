"""One session's way from drafts of tasks to a suite, whatever the workplace: drawn, settled, measured, written."""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from worktrial.engine.lines import read_lines
from worktrial.engine.roles import Role
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import DataError
from worktrial.suites.simulated.trial import SimulatedSettings
from worktrial.synthesis.artifacts import JobSpec, RunKind, SlotRun
from worktrial.synthesis.calibration.rules import rule_of
from worktrial.synthesis.calibration.runs import RunBook
from worktrial.synthesis.files import Form, hash_of, write_lines
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.proving.succession import Succession
from worktrial.synthesis.proving.way import Bench, Draft, ProvedTask, Ready, TaskWay
from worktrial.synthesis.resources import SessionResources
from worktrial.synthesis.turns import Turns
from worktrial.synthesis.worth import SuiteWorth, worth

DRAWN_PER_TASK = 2
"""Tasks that are drawn at most for one that is wanted; the others did not hold."""


@dataclass(frozen=True, slots=True)
class TasksEnd:
    """Outcome of a session."""

    drafts: Sequence[object]
    """The kept tasks; before any run, all that are drafted."""
    ends: Sequence[ProvedTask]
    """The fate of each that was drawn."""
    worth: SuiteWorth | None
    """None where nothing was run."""
    unmade: Mapping[str, int] = field(default_factory=dict)
    """Reasons why draws came to no task, with their number."""


@dataclass(kw_only=True)
class TaskSession(ABC, Generic[Draft, Ready]):
    """One session on a suite folder that has its workplace.

    Args:
        folder: The suite's.
        spec: What is wanted.
        rules: Text of each clause that the agent can read by its id, or of each section of the handbook.
        resources: Models and budget.
        run_settings: Settings of runs; of those in a workplace of code the limits alone count.
        runs_at_once: Runs side by side; fewer requests may be in flight.
        moved: Told of a task, its stage, and what came of it.
        ran: Told of each run.
        warn: Told what the user should know.
    """

    folder: SuiteFolder
    spec: JobSpec
    rules: Mapping[str, str]
    resources: SessionResources
    run_settings: SimulatedSettings
    runs_at_once: int
    moved: Callable[[str, str, str], None] = lambda task, stage, what: None
    ran: Callable[[SlotRun], None] = lambda row: None
    warn: Callable[[str], None] = lambda text: None
    _so_far: dict[str, ProvedTask] = field(default_factory=dict, init=False)
    """Ends of this session, and of the last one where a task has none in this yet."""
    unmade: list[str] = field(default_factory=list, init=False)
    """Reasons why draws came to no task."""
    form: Form[Draft] = field(init=False)
    """Form of a draft on disk."""
    model: str = field(init=False)
    """Author of the drafts, for the provenance."""
    solver: str = field(init=False)
    """The second worker, in words."""
    atoms: Sequence[str] = field(default=(), init=False)
    """Names of the atoms that tasks may be composed of."""

    def __post_init__(self) -> None:
        self.rule = rule_of(self.spec)
        self.ledger = ProvenanceLedger(self.folder, warn=self.warn)
        clean = self.resources.redactor.bytes
        self.book = RunBook(self.folder, lambda kind: hash_of(self.run_on(kind)), clean)
        self._turns, self._all_drawn = Turns(self.runs_at_once), asyncio.Event()

    @property
    def carried_out(self) -> Collection[str]:
        """Ids of the clauses that the workplace's code carries out."""
        return ()

    @abstractmethod
    async def stored(self) -> Sequence[Draft]:
        """Tasks of earlier sessions: as a person left them, or made again where what they rest on has changed."""

    @abstractmethod
    def drawn(self, count: int, have: Mapping[str, Draft]) -> AsyncIterator[Draft]:
        """New tasks, as many as are wanted if there are so many, each as soon as it is on disk."""

    @abstractmethod
    def way(self, drafts: dict[str, Draft]) -> TaskWay[Draft, Ready]:
        """The way that each task goes; a task that takes another's place is put into `drafts`."""

    @abstractmethod
    def run_on(self, kind: RunKind) -> object:
        """Settings that runs of a kind depend on beside their content, as JSON."""

    @abstractmethod
    async def run_of(self, bench: Bench[Draft, Ready], kind: RunKind, number: int) -> SlotRun:
        """Make one run."""

    @abstractmethod
    async def publish(self, drafts: Sequence[Draft], figures: SuiteWorth) -> None:
        """Write the suite, or take an earlier one back where no task is kept."""

    async def make(self, *, until_drafts: bool = False) -> TasksEnd:
        """Bring the suite as far as it goes, and write it.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what is finished is on disk.
            DataError: a file of the workplace, or one that a person changed, cannot be used.
        """
        drafts = {draft.id: draft for draft in await self.stored()}
        self._so_far = {end.task: end for end in read_lines(self.folder.calibration, ProvedTask)}
        ends: dict[str, ProvedTask] = {}
        most = DRAWN_PER_TASK * self.spec.tasks
        way = self.way(drafts)
        while True:
            kept = sum(end.fate == "kept" for end in ends.values())
            # Those that a spent budget kept from their end are settled before more are drawn.
            waiting = [draft for id, draft in drafts.items() if id not in ends]
            lacking = max(0, min(self.spec.tasks - kept - len(waiting), most - len(drafts)))
            new = self._new(lacking, drafts)
            if until_drafts:
                async for _ in new:
                    pass
                break
            settled = await self._settled(way, waiting, new)
            if not settled:
                break
            ends |= settled
        unmade = dict(Counter(self.unmade))
        if until_drafts:
            return TasksEnd(list(drafts.values()), [], None, unmade)
        return await self._written(drafts, list(ends.values()), unmade)

    async def run(self, bench: Bench[Draft, Ready], kind: RunKind, number: int) -> SlotRun:
        """Make a run in its turn, and keep it."""
        # Who is far on the way goes first, so that tasks come to their end one after the other.
        rank = {"fresh": 0, "free": 1}.get(kind, 2)
        async with self._turns.turn((-bench.draft.round, rank)):
            row = self.book.add(await self.run_of(bench, kind, number))
        self.ran(row)
        return row

    async def _new(self, count: int, drafts: dict[str, Draft]) -> AsyncIterator[Draft]:
        """New tasks, put into `drafts`."""
        if count:
            async for draft in self.drawn(count, dict(drafts)):
                drafts[draft.id] = draft
                yield draft

    async def _settled(
        self, way: TaskWay[Draft, Ready], drafts: Sequence[Draft], new: AsyncIterator[Draft]
    ) -> dict[str, ProvedTask]:
        """Ends of all tasks, each of which sets out as soon as it is there."""
        succession = Succession()

        async def one(draft: Draft) -> ProvedTask | BudgetSpent:
            try:
                end = await way.settled(draft, succession)
            except BudgetSpent as e:
                # The others meet it at their next request; cancelling them would lose answers on their way.
                return e
            # A session that is broken off leaves on record why tasks were dropped.
            self._so_far[draft.id] = end
            write_lines(self.folder.calibration, list(self._so_far.values()))
            return end

        tasks: list[asyncio.Task[ProvedTask | BudgetSpent]] = []
        broken: DataError | None = None
        self._all_drawn.clear()
        try:
            async with asyncio.TaskGroup() as group:

                def set_out(draft: Draft) -> None:
                    succession.join(draft.id)
                    tasks.append(group.create_task(one(draft)))

                for draft in drafts:
                    set_out(draft)
                try:
                    async for draft in new:
                        set_out(draft)
                except DataError as e:
                    # What is under way is paid for: it comes to its end, and nothing more is asked for.
                    self.resources.spend.halt()
                    broken = e
                finally:
                    self._all_drawn.set()
        except BaseExceptionGroup as trouble:
            # Tasks in flight tend to meet the same refusal at the same moment; one report is enough.
            raise trouble.exceptions[0] from None
        if broken is not None:
            raise broken
        ends = {}
        for task in tasks:
            end = task.result()
            if isinstance(end, BudgetSpent):
                raise end
            ends[end.task] = end
        return ends

    async def _written(
        self, drafts: Mapping[str, Draft], ends: Sequence[ProvedTask], unmade: Mapping[str, int]
    ) -> TasksEnd:
        # By band and never by rate; which of a band follows from the order in which they were drawn.
        by_use = sorted((end for end in ends if end.fate == "kept"), key=lambda end: end.ease != "between")
        chosen = {end.task for end in by_use[: self.spec.tasks]}
        kept = [drafts[end.task] for end in ends if end.task in chosen]
        write_lines(self.folder.calibration, list(ends))
        spend = self.resources.spend
        found = worth(
            kept,
            ends,
            wanted=self.spec.tasks,
            clauses=self.rules,
            in_rules=self.carried_out,
            atoms=self.atoms,
            runs=sum(len(self.book.have(end.task, end.content)) for end in ends),
            tokens=spend.tokens,
            cost=None if spend.unpriced else spend.cost,
            solver=self.solver,
            agent=self.resources.roles[Role.AGENT].model,
        )
        await self.publish(kept, found)
        return TasksEnd(kept, ends, found, unmade)
