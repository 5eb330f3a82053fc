"""The way from a workplace of code to a suite: tasks composed, proved, measured and written."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.agents.assignment import Limits
from worktrial.engine.roles import Role
from worktrial.engine.spend import BudgetSpent
from worktrial.synthesis.artifacts import JobSpec, RunKind, SlotRun
from worktrial.synthesis.calibration.runs import RunBook
from worktrial.synthesis.compose.atoms import AtomName, DrawnOnce, Workshop, read_atoms
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, compose
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.composed_suite import Labels, executable, prefix_of, withdraw_suite, write_suite
from worktrial.synthesis.files import Form, RecordFile, hash_of, read_yaml_as, to_yaml, write_lines, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import Drain, ProgressEvent, Turns
from worktrial.synthesis.proving.difficulty import Effort
from worktrial.synthesis.proving.runs import SOLVER_PROMPT, TaskRunner
from worktrial.synthesis.proving.truth import Ruling
from worktrial.synthesis.proving.way import Bench, ProvedTask, TaskWay
from worktrial.synthesis.resources import SessionResources
from worktrial.synthesis.worth import SuiteWorth, worth

DRAFT: Form[ComposedTask] = Form(
    lambda path: read_yaml_as(path, ComposedTask), lambda path, draft: write_text(path, to_yaml(draft)), hash_of
)
COMPOSER = "composed"
"""Stands for a model in the provenance of what no model wrote."""
DRAWN_PER_TASK = 2
"""Tasks that are drawn at most for one that is wanted; the others did not hold."""
_NOT_CODE = frozenset({"atoms.py", "draw.py"})


@dataclass(frozen=True, slots=True)
class ComposedEnd:
    """Outcome of a session on a workplace of code."""

    drafts: Sequence[ComposedTask]
    """The kept tasks."""
    ends: Sequence[ProvedTask]
    """The fate of each that was drawn."""
    worth: SuiteWorth | None
    """None where nothing was run."""
    unmade: Mapping[str, int] = field(default_factory=dict)
    """Reasons why draws came to no task, with their number."""


@dataclass(kw_only=True)
class ComposingSession:
    """One session on a suite folder whose workplace is code.

    Args:
        folder: The suite's.
        spec: What is wanted.
        place: The workplace's folder, within the suite's.
        home: Runs its code.
        labels: By which its tasks are grouped.
        rules: Text of each clause that the agent can read by its id, or of each section of the handbook.
        resources: Models and budget.
        limits: Of one run.
        runs_at_once: Runs in flight.
        findings: What gates in code find in a task that is ready to be worked on.
        moved: Told of progress.
        ran: Told of each run.
        warn: Told what the user should know.
    """

    folder: SuiteFolder
    spec: JobSpec
    place: Path
    home: Workshop
    labels: Labels
    rules: Mapping[str, str]
    resources: SessionResources
    limits: Limits
    runs_at_once: int
    findings: Callable[[Bench], Awaitable[Sequence[str]]] | None = None
    moved: Callable[[ProgressEvent], None] = lambda event: None
    ran: Callable[[SlotRun], None] = lambda row: None
    warn: Callable[[str], None] = lambda text: None
    _atoms: dict[str, AtomName] = field(init=False)
    _workshop: DrawnOnce = field(init=False)
    _code: str = field(init=False)
    _edited: set[str] = field(default_factory=set, init=False)
    _runs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._atoms = {atom.name: atom for atom in read_atoms(self.place)}
        self._workshop = DrawnOnce(self.home)
        self._ledger = ProvenanceLedger(self.folder, warn=self.warn)
        self._rulings = RecordFile(self.folder.work / "rulings.jsonl", Ruling)
        self._turns, self._drain = Turns(self.runs_at_once), Drain()
        sources = sorted(self.place.glob("*.py"))
        self._made_from = {self.folder.name_of(path): hash_of(path.read_bytes()) for path in sources}
        code = [path for path in sources if path.name not in _NOT_CODE] + [self.place / "workplace.yaml"]
        self._code = hash_of([[path.name, path.read_text(encoding="utf-8")] for path in code])
        roles, clean = self.resources.roles, self.resources.redactor.bytes
        agent = hash_of([roles[Role.AGENT].fingerprint(), self.limits])
        solver = hash_of([roles[Role.SOLVER].fingerprint(), self.limits, SOLVER_PROMPT])
        self._books = {
            False: RunBook(self.folder, agent, clean),
            True: RunBook(self.folder, solver, clean),
        }
        self._runner = TaskRunner(self.resources.clients, self.limits)

    async def make(self, *, until_drafts: bool = False) -> ComposedEnd:
        """Bring the suite as far as it goes, and write it.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent; what is finished is on disk.
            DataError: a file of the workplace, or one that a person changed, cannot be used.
        """
        composition = Composition(
            self._atoms, self._workshop, prefix_of(self.labels.workplace), self.spec.languages, self.spec.seed
        )
        drafts = {draft.recipe.id: draft for draft in await self._stored()}
        ends: dict[str, ProvedTask] = {}
        most = DRAWN_PER_TASK * self.spec.tasks
        way = self._way(composition, drafts)
        self.moved(ProgressEvent("suite", "slots", str(self.spec.tasks)))
        while True:
            kept = sum(end.fate == "kept" for end in ends.values())
            # Those that a spent budget kept from their end are settled before more are drawn.
            waiting = [draft for id, draft in drafts.items() if id not in ends]
            lacking = self.spec.tasks - kept - len(waiting)
            if lacking > 0 and len(drafts) < most:
                new = await composition.tasks(min(lacking, most - len(drafts)), drafts.values())
                for draft in new:
                    self._write(draft)
                    drafts[draft.recipe.id] = draft
                waiting += new
            if not waiting or until_drafts:
                break
            ends |= await self._settled(way, waiting)
        unmade: dict[str, int] = {}
        for one in composition.unmade:
            unmade[one.why] = unmade.get(one.why, 0) + 1
        if until_drafts:
            return ComposedEnd(list(drafts.values()), [], None, unmade)
        return await self._written(drafts, list(ends.values()), unmade)

    async def _stored(self) -> list[ComposedTask]:
        """Tasks of earlier sessions: as a person left them, or composed again where the code has changed."""
        found = []
        for path in sorted((self.folder.work / "tasks").glob("*.yaml")):
            stored = DRAFT.read(path)

            async def again(stored: ComposedTask = stored) -> ComposedTask:
                draft = await compose(stored.recipe, self._atoms, self._workshop)
                if faults := await faults_of(draft, self._workshop):
                    raise NotComposed(faults[0])
                return draft

            try:
                draft = await self._ledger.keep_or_make(path, DRAFT, self._made_from, COMPOSER, again)
            except (NotComposed, KeyError) as e:
                self.warn(f"{stored.recipe.id} makes no task any more ({e}); another is drawn for it")
                path.unlink()
                continue
            record = self._ledger.last(path)
            if record is not None and record.edited:
                self._edited.add(draft.recipe.id)
            found.append(draft)
        return found

    def _way(self, composition: Composition, drafts: dict[str, ComposedTask]) -> TaskWay:
        def varied(draft: ComposedTask) -> None:
            drafts[draft.recipe.id] = draft
            composition.note(draft)
            self._write(draft)

        return TaskWay(
            composition=composition,
            bench_of=self._bench,
            run=self._run,
            have=lambda id, content: [row for book in self._books.values() for row in book.have(id, content)],
            full=lambda id, content: [row for book in self._books.values() for row in book.full(id, content)],
            faults=self._faults,
            ruling_of=self._ruling_of,
            judge=self.resources.author_in(Role.JUDGE.value),
            rules=self.rules,
            effort=Effort(self.spec.free_runs, self.spec.most_runs, self.spec.fresh_runs),
            rounds=self.spec.repairs,
            fixed=lambda draft: draft.recipe.id in self._edited,
            on_ruling=self._rulings.add,
            on_varied=varied,
            moved=lambda id, stage, what: self.moved(ProgressEvent(id, stage, what)),
        )

    async def _settled(self, way: TaskWay, drafts: Sequence[ComposedTask]) -> dict[str, ProvedTask]:
        async def one(draft: ComposedTask) -> ProvedTask | BudgetSpent:
            try:
                return await way.settled(draft)
            except BudgetSpent as e:
                # The others meet it at their next request; cancelling them would lose answers on their way.
                return e

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(draft)) for draft in drafts]
        except BaseExceptionGroup as trouble:
            # Tasks in flight tend to meet the same refusal at the same moment; one report is enough.
            raise trouble.exceptions[0] from None
        ends = {}
        for task in tasks:
            end = task.result()
            if isinstance(end, BudgetSpent):
                raise end
            ends[end.task] = end
        return ends

    def _ruling_of(self, content: str) -> Ruling | None:
        return next((ruling for ruling in reversed(self._rulings.records) if ruling.content == content), None)

    async def _bench(self, draft: ComposedTask) -> Bench:
        task = await executable(
            draft, draft.recipe.languages[0], self._workshop, self.home, self.labels, self.rules
        )
        cited = {id: text for id, text in self.rules.items() if id in draft.clauses} or dict(self.rules)
        content = hash_of([draft, task.initial_state, self._code, cited])
        return Bench(draft, task, content)

    async def _run(self, bench: Bench, kind: RunKind, number: int) -> SlotRun:
        # Who is far on the way goes first, so that tasks come to their end one after the other.
        rank = {"fresh": 0, "solver": 2}.get(kind, 1)
        async with self._turns.turn((-bench.draft.recipe.round, rank)), self._drain():
            row = await self._runner(bench.task, bench.content, kind, number)
            kept = self._books[kind == "solver"].add(row)
        self._runs += 1
        self.ran(row)
        return kept

    async def _faults(self, bench: Bench) -> list[str]:
        found = await faults_of(bench.draft, self._workshop) if bench.draft.recipe.id in self._edited else []
        return [*found, *(await self.findings(bench) if self.findings is not None else ())]

    def _write(self, draft: ComposedTask) -> None:
        path = self.folder.work / "tasks" / f"{draft.recipe.id}.yaml"
        self._ledger.write(path, DRAFT, draft, self._made_from, COMPOSER, repair=draft.recipe.round)

    async def _written(
        self, drafts: Mapping[str, ComposedTask], ends: Sequence[ProvedTask], unmade: Mapping[str, int]
    ) -> ComposedEnd:
        kept = [drafts[end.task] for end in ends if end.fate == "kept"][: self.spec.tasks]
        write_lines(self.folder.calibration, list(ends))
        spend, roles = self.resources.spend, self.resources.roles
        solver, agent = roles[Role.SOLVER], roles[Role.AGENT]
        same = "the agent's model with another prompt" if solver.model == agent.model else "another model"
        found = worth(
            kept,
            ends,
            clauses=self.rules,
            atoms=self._atoms,
            runs=sum(len(book.have(end.task, end.content)) for book in self._books.values() for end in ends),
            tokens=spend.tokens,
            cost=None if spend.unpriced else spend.cost,
            solver=f"{solver.model} ({same}; temperature {solver.temperature})",
        )
        if kept:
            await write_suite(self.folder, self.spec, kept, self._workshop, self.labels, self.rules, found)
        else:
            withdraw_suite(self.folder, self.labels)
        return ComposedEnd(kept, ends, found, unmade)
