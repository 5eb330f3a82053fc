"""Choice of what tasks are made of: recipes drawn until enough make a task, every atom as often as others."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from worktrial.synthesis.compose.atoms import AtomName, Workshop
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, Recipe, RecipeCase, compose
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.compose.telegraph import masked

TRIES = 12
"""Draws for one task, before it is given up."""
TASKS_OF_A_START = 10
"""Tasks that begin in the same drawn state, so that a suite of a hundred holds ten of them."""
STARTS = 1000
"""Draws that a seed has to itself."""
MOST_CASES = 3


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
        workshop: Runs its code.
        prefix: Beginning of every task's id, such as `parcel-claims`.
        languages: Of every task; the first names it.
        seed: Everything follows from it.
        on_task: Told of each task.
    """

    atoms: Mapping[str, AtomName]
    workshop: Workshop
    prefix: str
    languages: Sequence[str] = ("en",)
    seed: int = 0
    on_task: Callable[[ComposedTask], None] = lambda task: None
    unmade: list[Unmade] = field(default_factory=list, init=False)
    _used: Counter[str] = field(default_factory=Counter, init=False)
    _sets: Counter[tuple[str, ...]] = field(default_factory=Counter, init=False)
    _texts: dict[str, str] = field(default_factory=dict, init=False)
    """Task to its instruction, ids and numbers left out."""

    async def tasks(self, wanted: int, have: Iterable[ComposedTask] = ()) -> list[ComposedTask]:
        """Compose as many tasks as are wanted, if the atoms give so many, numbered on from those that there are.

        Depth goes round from one case to three. Of the atoms those come first that the fewest tasks hold, and a
        set of atoms is taken again only when no other is left in the tries.

        Raises:
            DataError: an atom is at fault.
        """
        number = 0
        for task in have:
            self._note(task)
            number = max(number, int(task.recipe.id.rsplit("-", 1)[1]))
        made: list[ComposedTask] = []
        for _ in range(wanted):
            number += 1
            found = await self._one(number, depth=1 + (number - 1) % MOST_CASES)
            if found is None:
                # Shallower is better than none: few atoms go together in a small workplace.
                found = await self._one(number, depth=1)
            if found is None:
                continue
            made.append(found)
            self._note(found)
            self.on_task(found)
        return made

    async def varied(
        self, recipe: Recipe, cases: Sequence[str | RecipeCase], *, distractors: int
    ) -> ComposedTask | None:
        """The task with other cases, drawn anew where only an atom is named; None where no draw of them holds."""
        for attempt in range(TRIES):
            seed = f"{self.seed}/{recipe.id}/{recipe.round + 1}/{attempt}"
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

    async def _one(self, number: int, depth: int) -> ComposedTask | None:
        random = Random(f"{self.seed}/{number}/{depth}")
        depth = min(depth, len(self.atoms))
        tried: set[tuple[str, ...]] = set()
        for attempt in range(TRIES):
            names = self._chosen(random, depth, tried)
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
            task = await compose(recipe, self.atoms, self.workshop)
        except NotComposed as e:
            self.unmade.append(Unmade(names, str(e)))
            return None
        faults = await faults_of(task, self.workshop)
        text = masked(task.instructions[recipe.languages[0]])
        if any(other == text for id, other in self._texts.items() if id != recipe.id):
            faults.append("its instruction is that of another task")
        self.unmade += [Unmade(names, fault) for fault in faults]
        return None if faults else task

    def _chosen(self, random: Random, depth: int, tried: set[tuple[str, ...]]) -> list[str]:
        """Atoms for one task: of a few draws the one whose set, and whose atoms, are used the least."""
        draws = [self._drawn(random, depth) for _ in range(8)]
        fresh = [names for names in draws if tuple(sorted(names)) not in tried] or draws
        return min(fresh, key=lambda names: (self._sets[tuple(sorted(names))], sum(self._used[n] for n in names)))

    def _drawn(self, random: Random, depth: int) -> list[str]:
        names = sorted(self.atoms)
        random.shuffle(names)
        # The sort is stable, so those used equally often stay shuffled.
        rest = sorted(names, key=lambda name: self._used[name])
        width = max(depth, (len(rest) + 1) // 2)
        return random.sample(rest[:width], depth)

    def _note(self, task: ComposedTask) -> None:
        names = [case.atom for case in task.recipe.cases]
        self._used.update(names)
        self._sets[tuple(sorted(names))] += 1
        self._texts[task.recipe.id] = masked(task.instructions[task.recipe.languages[0]])
