"""Checks of cases: each is composed to a task by itself, which is played, and done wrongly; and of their kit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worktrial.errors import DataError, InvalidSample
from worktrial.finding import Finding
from worktrial.language import JsonObject
from worktrial.synthesis.authoring.checks import SEEN, PartChecker
from worktrial.synthesis.authoring.parts import OWN, atoms_module, defined_in
from worktrial.synthesis.authoring.reading import source_faults, with_line
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.clauses.typed import typed_values
from worktrial.synthesis.compose.atoms import AtomName, atoms_in
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, Recipe, RecipeCase, compose
from worktrial.synthesis.compose.declared import paying_words
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.compose.telegraph import telegraphed, texts_of_atoms
from worktrial.synthesis.composed_suite import Labels, executable
from worktrial.synthesis.definitions import definitions
from worktrial.synthesis.gates.catalogue import known_calls
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.report import report_findings
from worktrial.synthesis.gates.texts import OutcomeText
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.gates.wrong import wrong_work

_SEEDS = range(6)
_PLAYED = 2
"""Tasks of a case that are played; more draws are made where it finds no place."""
_TOLD = 3
"""Times that an author is told what is wrong, and of wrong ways that pass."""
_WAYS_TOLD = 5
"""Wrong ways of a case that its author is told of at once."""
_NO_CASE = "# NO CASE "
_NO_HELPERS = "# NO HELPERS"


@dataclass(frozen=True)
class KitCheck:
    """Checks the functions and constants that all cases share; there is no case among them.

    Args:
        checker: Checks parts of the workplace.
        modules: The workplace's other modules.
    """

    checker: PartChecker
    modules: Mapping[str, str]

    async def __call__(self, source: str) -> Sequence[str]:
        """Reasons why the kit cannot be used."""
        if problems := source_faults(source, OWN):
            return problems
        if cases := atoms_in(source):
            return [f"{name} is a case, and the kit has none: take it out, or its @atom" for name in cases]
        if not defined_in(source):
            # That the cases share nothing is an answer, too.
            lacking = f"there is no function or constant; where the cases share nothing, write `{_NO_HELPERS}: why`"
            return [] if _NO_HELPERS in source else [lacking]
        if problems := _text_faults(self.checker, source):
            return problems
        kit = atoms_module(self.checker.name, [source, SEEN], self.modules["tools"])
        return await self.checker.import_faults({**self.modules, "atoms": kit}, "atoms")


@dataclass
class CaseCheck:
    """Checks a group of cases; after two refusals, what gates find is left to those of the suite.

    Args:
        checker: Checks parts of the workplace.
        modules: The workplace's other modules.
        state: Its default state.
        languages: Languages of the tasks.
        helpers: The kit; "" where there is none.
    """

    checker: PartChecker
    modules: Mapping[str, str]
    state: JsonObject
    languages: Sequence[str]
    helpers: str = ""
    _told: int = 0
    _told_of_words: bool = False

    async def __call__(self, source: str) -> Sequence[str]:
        """Reasons why the group cannot be used."""
        problems = await self._faults(source, gates=self._told < _TOLD)
        self._told += bool(problems)
        return problems

    async def _faults(self, source: str, *, gates: bool) -> list[str]:
        """Faults of the group; with `gates` each task is done wrongly, too, and its checks have to notice."""
        if problems := source_faults(source, OWN) or self._taken(source):
            return problems
        cited = citations(source)
        # A helper may cite a clause, too.
        cases = {name: cited[name] for name in atoms_in(source) if name in cited}
        if not cases:
            # That nothing can be asked is an answer, too.
            return [] if _NO_CASE in source else ['there is no case; mark each with @atom("C-01")']
        if problems := _text_faults(self.checker, source):
            return problems
        whole = {
            **self.modules,
            "atoms": atoms_module(self.checker.name, [self.helpers, source], self.modules["tools"]),
        }
        try:
            home = self.checker.home(whole, self.state)
        except DataError as e:
            return [with_line({"detail": str(e).removeprefix(f"{self.checker.name}: ")}, whole)]
        door = Door(home)
        names = {name: AtomName(name, tuple(ids), 1) for name, ids in cases.items()}
        played = {name: await _played(name, names, door, self.languages, self.checker.clauses) for name in names}
        problems = [what for faults, _ in played.values() for what in faults]
        if problems or not gates:
            return problems
        texts = await texts_of_atoms(names, door)
        wrong = [
            what
            for name, (_, drafts) in played.items()
            for what in await self._wrong_ways(name, drafts[0], door, texts)
        ]
        grants = any(not draft.refusals for _, drafts in played.values() for draft in drafts)
        return [*wrong, *(await self._telling(names, door) if grants else ())]

    def _taken(self, source: str) -> list[str]:
        """Definitions of the kit that the group makes other ones, for all other groups, too."""
        kit = {name: one.text for one in definitions(self.helpers) for name in one.names}
        shared = set(defined_in(self.helpers)) & set(defined_in(source))
        given = [(name, one.text) for one in definitions(source) for name in one.names if name in shared]
        return [
            f"{name} is defined in the kit already; leave it out, or call yours otherwise"
            for name, text in given
            if text != kit[name]
        ]

    async def _telling(self, names: Mapping[str, AtomName], door: Door) -> list[str]:
        """Requests that give their refusal away, told once: others of the workplace may grant the same."""
        if self._told_of_words:
            return []
        found = await telegraphed(names, door, self.languages)
        self._told_of_words = bool(found)
        return [f"{one.what}. {one.fix}" for one in found]

    async def _wrong_ways(
        self, name: str, draft: ComposedTask, door: Door, texts: Sequence[OutcomeText]
    ) -> list[str]:
        """Ways to do the case wrongly that its checks let pass."""
        task = await executable(draft, self.languages[0], door, _labels(self.checker.name), {})
        works = await carry_out(door, [(task.plan_alone, task.initial_state)])
        known = known_calls(door, tasks=[task], works=works)
        _, found = await wrong_work(door, [task], works, known, self.checker.clauses, texts)
        found += report_findings(task, works[0], with_money=bool(paying_words(door.sources)))
        return [f"{name}: {finding.what}. {finding.fix}" for finding in _of_each_gate(found)[:_WAYS_TOLD]]


def _text_faults(checker: PartChecker, source: str) -> list[str]:
    """Clauses that a text cites and that are none, and values that it types into checks."""
    typed = typed_values(source, checker.clauses, checker.name, "atoms.py")
    return [*checker.unknown_faults(source), *(f"{one.field}: {one.what}. {one.fix}" for one in typed)]


def _of_each_gate(found: Sequence[Finding]) -> list[Finding]:
    """Findings with the first of each gate before the second of any."""
    turns: dict[int, list[Finding]] = {}
    counted: Counter[str] = Counter()
    for one in found:
        counted[one.check] += 1
        turns.setdefault(counted[one.check], []).append(one)
    return [one for turn in sorted(turns) for one in turns[turn]]


def _alone(name: str, seed: int, languages: Sequence[str]) -> Recipe:
    return Recipe(
        id="case-01", start=seed, cases=[RecipeCase(atom=name, seed=str(seed))], languages=list(languages)
    )


def _labels(workplace: str) -> Labels:
    return Labels(workplace=workplace, scenario=workplace, category=workplace, domain=workplace)


async def _played(
    name: str, names: Mapping[str, AtomName], door: Door, languages: Sequence[str], clauses: Sequence[Clause]
) -> tuple[list[str], list[ComposedTask]]:
    """Faults of a case as it is played, and the tasks that were; without faults there is one at least."""
    tasks: list[ComposedTask] = []
    known = {tool.name for tool in door.artifact.tools}
    unmade: list[str] = []
    for seed in _SEEDS:
        try:
            task = await compose(_alone(name, seed, languages), names, door, clauses)
        except NotComposed as e:
            unmade.append(str(e))
            continue
        except (DataError, InvalidSample) as e:
            return [f"{name}: {e}"], tasks
        tasks.append(task)
        if strange := {step.get("call") for step in task.steps} - known:
            return [f"{name}: there is no tool {', '.join(map(str, strange))}"], tasks
        if faults := await faults_of(task, door):
            return [f"{name}, seed {seed}: {fault}" for fault in faults[:2]], tasks
        if len(tasks) == _PLAYED:
            break
    if tasks:
        return [], tasks
    return [f"{name}: finds no place in any of {len(_SEEDS)} states ({unmade[0]})"], tasks
