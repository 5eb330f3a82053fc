"""Choice of what tasks are made of: recipes drawn until enough make a task, every outcome as often as others."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from random import Random

from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.compose.atoms import AtomName
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, Recipe, RecipeCase, compose
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.compose.strength import CaseStrength, strengths
from worktrial.synthesis.compose.telegraph import masked
from worktrial.synthesis.gates.door import Door

TRIES = 12
"""Draws of one set of cases, before it is given up."""
SETS = 24
"""Sets of atoms that are tried for one task."""
TASKS_OF_A_START = 10
"""Tasks that begin in the same drawn state, so that a suite of a hundred holds ten of them."""
STARTS = 1000
"""Draws that a seed has to itself."""
MOST_CASES = 3
"""Cases of the usual task; deeper ones come where the sets of so many atoms are used up."""
DEEPEST = MOST_CASES + 2
ENUMERATED = 2000
"""Most sets of atoms that are looked at one by one."""
DRAWS = 32
"""Sets that are drawn where there are more."""


@dataclass(frozen=True, slots=True)
class Unmade:
    """A draw that came to no task."""

    atoms: tuple[str, ...]
    why: str


@dataclass
class Composition:
    """Tasks that hold, and why other draws do not.

    Args:
        atoms: Of the workplace.
        door: Runs its code.
        prefix: Beginning of every task's id, such as `parcel-claims`.
        languages: Of every task; the first names it.
        seed: Everything follows from it.
        clauses: Clauses by id: their limits and exceptions tell which cases are the hardest, and texts may name
            their sums.
    """

    atoms: Mapping[str, AtomName]
    door: Door
    prefix: str
    languages: Sequence[str] = ("en",)
    seed: int = 0
    clauses: Mapping[str, Clause] = field(default_factory=dict)
    unmade: list[Unmade] = field(default_factory=list, init=False)
    _used: Counter[str] = field(default_factory=Counter, init=False)
    _outcomes: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    """Atom to the outcome of its case, by one draw."""
    _ended: Counter[tuple[str, ...]] = field(default_factory=Counter, init=False)
    """Number of cases by outcome."""
    _sets: set[tuple[str, ...]] = field(default_factory=set, init=False)
    _texts: dict[str, str] = field(default_factory=dict, init=False)
    """Task to its instruction, ids and numbers left out."""
    _alone: dict[int, dict[str, CaseStrength]] = field(default_factory=dict, init=False)
    """Strength of each atom that finds a place, by the start in which it was drawn."""

    async def tasks(self, wanted: int, have: Iterable[ComposedTask] = ()) -> AsyncIterator[ComposedTask]:
        """Compose as many tasks as are wanted, if the atoms give so many, numbered on from those that there are.

        Depth goes round from one case to three, and beyond where that gives no more. Of the atoms those come first
        whose outcome the fewest cases have, and of these those that the fewest tasks hold. No set of atoms is taken
        twice: such tasks would differ in their records alone.

        Raises:
            DataError: an atom is at fault.
        """
        self._outcomes = {name: one.outcome for name, one in (await self.alone(self.seed * STARTS)).items()}
        number = 0
        for task in have:
            self.note(task)
            number = max(number, int(task.recipe.id.rsplit("-", 1)[1]))
        for _ in range(wanted):
            number += 1
            usual = 1 + (number - 1) % MOST_CASES
            found = None
            # Deeper where every set of so many atoms is taken, shallower where so many do not go together.
            for depth in (*range(usual, DEEPEST + 1), *range(usual - 1, 0, -1)):
                found = await self._one(number, depth)
                if found is not None:
                    break
            if found is None:
                self.unmade.append(Unmade((), "the atoms give no more tasks that differ from each other"))
                break
            self.note(found)
            yield found

    async def varied(
        self, recipe: Recipe, cases: Sequence[str | RecipeCase], *, distractors: int
    ) -> ComposedTask | None:
        """The task with other cases; where only an atom is named its strongest draw that holds is taken.

        None where no draw of them holds, or another task has the same atoms.
        """
        names = tuple(sorted(case if isinstance(case, str) else case.atom for case in cases))
        if names in self._sets and names != tuple(sorted(case.atom for case in recipe.cases)):
            return None
        for seed in await self._seeds(recipe, cases):
            other = Recipe(
                id=recipe.id,
                start=recipe.start,
                cases=[
                    RecipeCase(atom=c, seed=f"{seed}/{i}") if isinstance(c, str) else c for i, c in enumerate(cases)
                ],
                distractors=distractors,
                languages=recipe.languages,
                round=recipe.round + 1,
            )
            found = await self._tried(other)
            if found is not None:
                return found
        return None

    async def _seeds(self, recipe: Recipe, cases: Sequence[str | RecipeCase]) -> list[str]:
        """Seeds of draws, those in which the named atoms are the strongest first."""
        tries = TRIES if any(isinstance(case, str) for case in cases) else 1
        seeds = [f"{self.seed}/{recipe.id}/{recipe.round + 1}/{attempt}" for attempt in range(tries)]
        draws = [(c, f"{seed}/{i}") for seed in seeds for i, c in enumerate(cases) if isinstance(c, str)]
        found = await self.strengths(recipe.start, draws)
        kinds: Counter[str] = Counter()
        for (_, seed), one in zip(draws, found, strict=True):
            kinds[seed.rpartition("/")[0]] += len(one.kinds) if one is not None else 0
        return sorted(seeds, key=lambda seed: -kinds[seed])

    async def strengths(self, start: int, draws: Sequence[tuple[str, str]]) -> list[CaseStrength | None]:
        """Strength of atoms drawn by seeds in a start; None where one finds no place."""
        return await strengths(draws, await self.door.start(start), self.atoms, self.clauses, self.door)

    async def alone(self, start: int) -> Mapping[str, CaseStrength]:
        """Strength of each atom that finds a place in a start, by one draw."""
        if start not in self._alone:
            found = await self.strengths(start, [(name, f"{self.seed}/{name}/alone") for name in self.atoms])
            self._alone[start] = {name: one for name, one in zip(self.atoms, found, strict=True) if one is not None}
        return self._alone[start]

    async def _one(self, number: int, depth: int) -> ComposedTask | None:
        random = Random(f"{self.seed}/{number}/{depth}")
        if depth > len(self.atoms):
            return None
        tried: set[tuple[str, ...]] = set()
        for attempt in range(SETS):
            names = self._chosen(random, depth, tried)
            if names is None:
                return None
            tried.add(tuple(sorted(names)))
            recipe = Recipe(
                id=f"{self.prefix}-{number:02d}",
                start=self.seed * STARTS + (number - 1) // TASKS_OF_A_START,
                cases=[
                    RecipeCase(atom=name, seed=f"{self.seed}/{number}/{attempt}/{i}")
                    for i, name in enumerate(names)
                ],
                distractors=(number - 1) // MOST_CASES % 3,
                languages=list(self.languages),
            )
            found = await self._tried(recipe)
            if found is not None:
                return found
        return None

    async def _tried(self, recipe: Recipe) -> ComposedTask | None:
        names = tuple(case.atom for case in recipe.cases)
        try:
            task = await compose(recipe, self.atoms, self.door, self.clauses.values())
        except NotComposed as e:
            self.unmade.append(Unmade(names, str(e)))
            return None
        faults = await faults_of(task, self.door)
        text = masked(task.instructions[recipe.languages[0]])
        if any(other == text for id, other in self._texts.items() if id != recipe.id):
            faults.append("its instruction is that of another task")
        self.unmade += [Unmade(names, fault) for fault in faults]
        return None if faults else task

    def _chosen(self, random: Random, depth: int, tried: set[tuple[str, ...]]) -> list[str] | None:
        """Atoms for one task: of a few draws of sets that none holds the one whose atoms are used the least."""
        if comb(len(self.atoms), depth) <= ENUMERATED:
            sets = [list(names) for names in combinations(sorted(self.atoms), depth)]
            random.shuffle(sets)
        else:
            sets = [self._drawn(random, depth) for _ in range(DRAWS)]
        fresh = [names for names in sets if tuple(sorted(names)) not in tried | self._sets]
        if not fresh:
            return None
        chosen = min(
            fresh, key=lambda names: [sum(counts) for counts in zip(*map(self._counts, names), strict=True)]
        )
        return random.sample(chosen, depth)

    def _counts(self, name: str) -> tuple[int, int]:
        """Cases with the outcome of an atom, and tasks that hold it."""
        return self._ended[self._outcomes.get(name, (name,))], self._used[name]

    def _drawn(self, random: Random, depth: int) -> list[str]:
        names = sorted(self.atoms)
        random.shuffle(names)
        # The sort is stable, so those used equally often stay shuffled.
        rest = sorted(names, key=self._counts)
        return random.sample(rest[: max(depth, (len(rest) + 1) // 2)], depth)

    def note(self, task: ComposedTask) -> None:
        """Count a task, so that others differ from it."""
        names = [case.atom for case in task.recipe.cases]
        self._used.update(names)
        self._ended.update(self._outcomes.get(name, (name,)) for name in names)
        self._sets.add(tuple(sorted(names)))
        self._texts[task.recipe.id] = masked(task.instructions[task.recipe.languages[0]])
