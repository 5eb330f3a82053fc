"""The way from a workplace of code to a suite: tasks composed, proved, measured and written."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.agents.candidates import Candidate
from worktrial.engine.lines import read_lines
from worktrial.engine.roles import Role
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.executable.trial import ExecutableSettings, executable_trial
from worktrial.synthesis.artifacts import RunKind, SlotRun
from worktrial.synthesis.calibration.runs import calibration_run
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.compose.atoms import AtomName, read_atoms
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, compose
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.composed_home import headings_of
from worktrial.synthesis.composed_suite import Labels, executable, prefix_of, withdraw_suite, write_suite
from worktrial.synthesis.definitions import code_of_tools
from worktrial.synthesis.files import RecordFile, hash_of, yaml_form
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.prompting import PROMPTS
from worktrial.synthesis.proving.truth import Ruling, rules_hash
from worktrial.synthesis.proving.way import Bench, ComposedBench, ComposedWay, ProvedTask
from worktrial.synthesis.task_session import TaskSession
from worktrial.synthesis.worth import SuiteWorth
from worktrial.workplaces.executable.folder import TOOLS_FILE

SOLVER_PROMPT = (PROMPTS / "solver.j2").read_text(encoding="utf-8")
COMPOSER = "composed"
"""Stands for a model in the provenance of what no model wrote."""
_NOT_CODE = frozenset({"atoms.py", "draw.py"})


@dataclass(kw_only=True)
class ComposingSession(TaskSession[ComposedTask, ExecutableTask]):
    """One session on a suite folder whose workplace is code.

    Args, beside those of `TaskSession`:
        place: The workplace's folder, within the suite's.
        door: Runs its code.
        labels: By which its tasks are grouped.
        findings: What gates in code find in a task that is ready to be worked on.
        clauses: All clauses that hold.
    """

    place: Path
    door: Door
    labels: Labels
    findings: Callable[[ComposedBench], Awaitable[Sequence[str]]] | None = None
    clauses: Sequence[Clause] = ()
    _atoms: dict[str, AtomName] = field(init=False)
    _code: str = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.form, self.model = yaml_form(ComposedTask), COMPOSER
        solver, agent = (self.resources.roles[role] for role in (Role.SOLVER, Role.AGENT))
        same = "the agent's model with another prompt" if solver.model == agent.model else "another model"
        self.solver = f"{solver.model} ({same}; temperature {solver.temperature})"
        self._ended = {end.task: end for end in read_lines(self.folder.calibration, ProvedTask)}
        self._atoms = {atom.name: atom for atom in read_atoms(self.place)}
        self.atoms = list(self._atoms)
        self._rulings = RecordFile(self.folder.work / "rulings.jsonl", Ruling)
        sources = sorted(self.place.glob("*.py"))
        self._sources = {self.folder.name_of(path): hash_of(path.read_bytes()) for path in sources}
        code = [path for path in sources if path.name not in _NOT_CODE] + [self.place / "workplace.yaml"]
        texts = {path.name: path.read_text(encoding="utf-8") for path in code}
        # A rule that no tool asks is nothing that a run has met.
        self._code = hash_of({**texts, TOOLS_FILE: code_of_tools(texts[TOOLS_FILE])})
        self._composition = Composition(
            self._atoms,
            self.door,
            prefix_of(self.labels.workplace),
            self.spec.languages,
            self.spec.seed,
            {clause.id: clause for clause in self.clauses},
        )

    @property
    def carried_out(self) -> Collection[str]:
        """Ids of the clauses that rules and tools cite."""
        return {id for source in self.door.sources.values() for ids in citations(source).values() for id in ids}

    def _path(self, id: str, place: str = "tasks") -> Path:
        return self.folder.work / place / f"{id}.yaml"

    def _write(self, draft: ComposedTask, place: str = "tasks") -> None:
        """Record a draft and write it; in `aside`, a sound one whose place another takes."""
        path = self._path(draft.id, place)
        self.ledger.write(path, self.form, draft, self._sources, self.model, repair=draft.round)

    def _aside(self, id: str) -> ComposedTask | None:
        """The draft that was set aside last; None where there is none, or not of today's code."""
        path = self._path(id, "aside")
        record = self.ledger.last(path) if path.exists() else None
        return self.form.read(path) if record is not None and record.made_from == self._sources else None

    def _is_edited(self, draft: ComposedTask) -> bool:
        """Whether a person has changed a draft."""
        record = self.ledger.last(self._path(draft.id))
        return record is not None and record.edited

    async def stored(self) -> list[ComposedTask]:
        """Tasks of earlier sessions: as a person left them, or composed again where the code has changed."""
        found = []
        for path in sorted((self.folder.work / "tasks").glob("*.yaml")):
            stored = self.form.read(path)

            async def again(stored: ComposedTask = stored) -> ComposedTask:
                draft = await compose(stored.recipe, self._atoms, self.door, self.clauses)
                if faults := await faults_of(draft, self.door):
                    raise NotComposed(faults[0])
                return draft

            try:
                found.append(await self.ledger.keep_or_make(path, self.form, self._sources, COMPOSER, again))
            except (NotComposed, KeyError) as e:
                self.warn(f"{stored.id} makes no task any more ({e}); another is drawn for it")
                path.unlink()
        return found

    async def drawn(self, count: int, have: Mapping[str, ComposedTask]) -> AsyncIterator[ComposedTask]:
        """New tasks, as many as are wanted if the atoms give so many."""
        async for draft in self._composition.tasks(count, have.values()):
            self._write(draft)
            yield draft
        self.unmade = [one.why for one in self._composition.unmade]

    def way(self, drafts: dict[str, ComposedTask]) -> ComposedWay:
        """The way that each task goes."""

        def varied(draft: ComposedTask) -> None:
            drafts[draft.id] = draft
            self._composition.note(draft)
            self._write(draft)

        return ComposedWay(
            composition=self._composition,
            door=self.door,
            bench_of=self._bench,
            run=self.run,
            have=self.book.have,
            full=self.book.full,
            faults=self._faults,
            rulings_on=lambda id: [ruling for ruling in self._rulings.records if ruling.task == id],
            judge=self.resources.author_in(Role.JUDGE),
            rules=self.rules,
            headings=headings_of(self.folder),
            rule=self.rule,
            fresh=self.spec.fresh_runs,
            keep=self.spec.keep,
            rounds=self.spec.repairs,
            ended=self._ended.get,
            set_aside=lambda draft: self._write(draft, "aside"),
            aside=self._aside,
            fixed=self._is_edited,
            on_ruling=self._rulings.add,
            questions=self._questions,
            on_varied=varied,
            drawn=self._all_drawn.wait,
            moved=self.moved,
        )

    def _questions(self) -> list[str]:
        """Questions that the rules, as they are, leave to their owner."""
        own = rules_hash(self.rules)
        return list(
            dict.fromkeys(one.question for one in self._rulings.records if one.question and one.rules == own)
        )

    async def _bench(self, draft: ComposedTask) -> ComposedBench:
        task = await executable(draft, draft.recipe.languages[0], self.door, self.labels, self.rules)
        cited = {id: text for id, text in self.rules.items() if id in draft.clauses} or dict(self.rules)
        content = hash_of([draft, task.initial_state, self._code, cited])
        return Bench(draft, task, content)

    def run_on(self, kind: RunKind) -> object:
        """Model and limits, and the solver's prompt."""
        roles, limits = self.resources.roles, self.run_settings.limits
        if kind == "solver":
            return [roles[Role.SOLVER].fingerprint(), limits, SOLVER_PROMPT]
        return [roles[Role.AGENT].fingerprint(), limits]

    async def run_of(self, bench: ComposedBench, kind: RunKind, number: int) -> SlotRun:
        """Make one run; the solver is an agent whose line and prompt are others."""
        client = self.resources.clients[Role.SOLVER if kind == "solver" else Role.AGENT]
        settings = ExecutableSettings(
            limits=self.run_settings.limits, agent_prompt=SOLVER_PROMPT if kind == "solver" else None
        )
        candidate = Candidate("model", client.settings.model)
        trial = executable_trial("synthesis", {}, [bench.task], candidate, settings)
        return await calibration_run(bench.task.id, kind, number, bench.content, trial, {Role.AGENT: client})

    async def _faults(self, bench: ComposedBench) -> list[str]:
        found = await faults_of(bench.draft, self.door) if self._is_edited(bench.draft) else []
        return [*found, *(await self.findings(bench) if self.findings is not None else ())]

    async def publish(self, drafts: Sequence[ComposedTask], figures: SuiteWorth) -> None:
        """Write tasks and drawn states, or take them back where no task is kept."""
        if drafts:
            await write_suite(self.folder, self.spec, drafts, self.door, self.labels, self.rules, figures)
        else:
            withdraw_suite(self.folder, self.labels)
