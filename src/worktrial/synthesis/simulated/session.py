"""The way from a simulated workplace to a suite: tasks written, run with their plan, measured and published."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from worktrial.agents.candidates import Candidate
from worktrial.engine.roles import Role
from worktrial.suites.simulated.folder import TASKS
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.suites.simulated.trial import simulated_trial
from worktrial.synthesis.artifacts import JobSpec, RunKind, SlotRun, TaskDraft
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.calibration.runs import calibration_run
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.composed_suite import id_in, labels_of, prefix_of, suite_file
from worktrial.synthesis.files import hash_of, to_yaml, write_lines, write_text, yaml_form
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.proving.way import Bench, Confirmation, TaskWay
from worktrial.synthesis.simulated.tasks import faults_of, focus_of, twin_of, written_task
from worktrial.synthesis.simulated.workplace import SimulatedPlace
from worktrial.synthesis.task_session import TaskSession
from worktrial.synthesis.together import together
from worktrial.synthesis.worth import SuiteWorth

PLAN_RUNS = 4
"""Runs with the plan before a task counts as impossible: the published number (OccuBench, section 4)."""

SimulatedBench = Bench[TaskDraft, Task]


@dataclass(frozen=True, kw_only=True)
class SimulatedWay(TaskWay[TaskDraft, Task]):
    """Way of a task in a simulated workplace: what nobody passes with the plan in hand cannot be passed at all.

    That a run with the plan passes confirms nothing: the judge goes by the author's rubric.
    """

    async def truth(self, bench: SimulatedBench) -> tuple[Confirmation, str]:
        """Whether some run with the plan passes."""
        have = {row.number: row for row in self.have(bench.draft.id, bench.content) if row.kind == "plan"}
        rows = []
        for number in range(PLAN_RUNS):
            rows.append(have.get(number) or await self.run(bench, "plan", number))
            if rows[-1].outcome == "pass":
                return "open", ""
        failed = [row for row in rows if row.outcome == "fail"]
        why = failed[-1].reason if failed else rows[-1].reason
        return "open", f"no run with the plan passes: {len(failed)} of {len(rows)} fail; {why}".rstrip("; ")


@dataclass(kw_only=True)
class SimulatedSession(TaskSession[TaskDraft, Task]):
    """One session on a suite folder whose workplace is simulated."""

    place: SimulatedPlace
    _taken: int = field(default=0, init=False)
    """Number of the last task that was asked for."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._author = self.resources.author_in(Role.SYNTHESIZER)
        self.form, self.model = yaml_form(TaskDraft), self._author.model
        self.solver = f"none; {self.resources.roles[Role.JUDGE].model} judges by the author's rubric"
        self._workplace = playable(self.place.whole, "work/workplace.yaml")

    def _rests_on(self, number: int) -> dict[str, str]:
        level, focus = focus_of(number, self.place, self.spec.seed)
        texts = {id: hash_of(self.place.rules[id]) for id in focus}
        asked = hash_of([level, self.spec.languages])
        return {"work/workplace.yaml": hash_of(self.place.draft), "asked": asked, **texts}

    def _number(self, id: str) -> int:
        return int(id.rsplit("-", 1)[1])

    async def stored(self) -> list[TaskDraft]:
        """Tasks of earlier sessions: as a person left them, or written again where their clauses have changed."""
        paths = sorted((self.folder.work / "drafts").glob("*.yaml"))
        return [draft for draft in await together(*(self._held(path.stem) for path in paths)) if draft is not None]

    async def drawn(self, count: int, have: Mapping[str, TaskDraft]) -> AsyncIterator[TaskDraft]:
        """New tasks, written side by side; those that the author cannot write are left out."""
        first = max([self._taken, *map(self._number, have)]) + 1
        self._taken = first + count - 1
        prefix = prefix_of(self.place.name)
        ids = [f"{prefix}-{number:02d}" for number in range(first, first + count)]
        # All of them first: whether one is nearly another is asked of each.
        for draft in await together(*map(self._held, ids)):
            if draft is not None:
                yield draft

    async def _held(self, id: str) -> TaskDraft | None:
        number = self._number(id)
        level, focus = focus_of(number, self.place, self.spec.seed)

        async def make() -> TaskDraft:
            self.moved(id, "task", "")
            return await written_task(id, level, focus, self.spec, self.place, self._author)

        try:
            return await self.ledger.keep_or_make(
                self.folder.work / "drafts" / f"{id}.yaml", self.form, self._rests_on(number), self.model, make
            )
        except UnusableReplies as e:
            self.unmade.append(f"the author wrote no task about {', '.join(focus)}: {e}")
            return None

    def way(self, drafts: dict[str, TaskDraft]) -> SimulatedWay:
        """The way that each task goes."""

        async def faults(bench: SimulatedBench) -> list[str]:
            twin = twin_of(bench.draft, drafts, self.place)
            return [
                *faults_of(bench.draft, self.place),
                *([f"twins: is nearly the same as {twin}"] if twin else []),
            ]

        return SimulatedWay(
            bench_of=self._bench,
            run=self.run,
            have=self.book.have,
            faults=faults,
            rule=self.rule,
            fresh=self.spec.fresh_runs,
            keep=self.spec.keep,
            moved=self.moved,
        )

    async def _bench(self, draft: TaskDraft) -> SimulatedBench:
        cited = {id: text for id, text in self.rules.items() if id in draft.clauses}
        content = hash_of([draft, self.place.draft, cited])
        return Bench(draft, run_task(draft, draft.languages[0], self.spec, self.place), content)

    def run_on(self, kind: RunKind) -> object:
        """Model of every role, and the settings of runs."""
        roles = [self.resources.roles[role].fingerprint() for role in (Role.AGENT, Role.SIMULATOR, Role.JUDGE)]
        return [roles, self.run_settings]

    async def run_of(self, bench: SimulatedBench, kind: RunKind, number: int) -> SlotRun:
        """Make one run, `plan` with the solution plan in the agent's instruction."""
        clients = self.resources.clients
        tasks = TaskSet(Path(), [bench.task], {bench.task.workplace: self._workplace}, bench.content)
        settings = replace(self.run_settings, with_plan=kind == "plan", repeats=1)
        agent = Candidate("model", clients[Role.AGENT].settings.model)
        trial = simulated_trial("synthesis", tasks, [bench.task], agent, settings)
        return await calibration_run(bench.draft.id, kind, number, bench.content, trial, clients)

    async def publish(self, drafts: Sequence[TaskDraft], figures: SuiteWorth) -> None:
        """Write workplace and tasks, or take them back where no task is kept."""
        if drafts:
            publish(self.folder, self.spec, self.place, drafts, figures)
        else:
            withdraw(self.folder)


def run_task(draft: TaskDraft, language: str, spec: JobSpec, place: SimulatedPlace) -> Task:
    """A task in one of its languages, as a run is given it."""
    return Task(
        id=id_in(draft.id, language, draft.languages),
        difficulty=draft.level,
        instruction=draft.instructions[language],
        rubric=draft.rubric,
        plan=msgspec.to_builtins(draft.plan),
        language=language,
        **msgspec.structs.asdict(labels_of(spec, Path(place.name))),
    )


def publish(
    folder: SuiteFolder, spec: JobSpec, place: SimulatedPlace, drafts: Sequence[TaskDraft], figures: object
) -> None:
    """Write workplace and tasks, and last `suite.yaml`.

    Raises:
        StopRun: something cannot be written.
    """
    write_text(folder.workplaces / place.name / "workplace.yaml", to_yaml(place.whole))
    tasks = [run_task(draft, language, spec, place) for draft in drafts for language in draft.languages]
    rows = [msgspec.to_builtins(task) for task in tasks]
    write_lines(folder.root / TASKS, [{name: row[name] for name in row if name != "problem"} for row in rows])
    write_text(
        folder.suite,
        to_yaml({**suite_file(folder, spec, labels_of(spec, Path(place.name)), figures), "tasks": TASKS}),
    )


def withdraw(folder: SuiteFolder) -> None:
    """Remove the tasks of an earlier session where none can be kept any more."""
    for path in (folder.suite, folder.root / TASKS):
        path.unlink(missing_ok=True)
