"""Another difficulty for a task that its runs have shown to be trivial or impossible."""

from collections import Counter
from collections.abc import Mapping, Sequence

from worktrial.synthesis.compose.atoms import AtomName
from worktrial.synthesis.compose.choosing import DEEPEST, Composition
from worktrial.synthesis.compose.composer import ComposedTask


async def hardened(task: ComposedTask, composition: Composition) -> ComposedTask | None:
    """The task with one case more and one distractor more; None where no other case goes with it.

    Atoms that weigh the most come first, as they hold the exceptions.
    """
    cases = task.recipe.cases
    if len(cases) >= DEEPEST:
        return None
    inside = {case.atom for case in cases}
    others = sorted(composition.atoms.values(), key=lambda atom: (atom.name in inside, -atom.weight, atom.name))
    for other in others:
        found = await composition.varied(task.recipe, [*cases, other.name], distractors=task.recipe.distractors + 1)
        if found is not None:
            return found
    return None


async def mended(
    task: ComposedTask, failed: Sequence[Sequence[int]], composition: Composition
) -> ComposedTask | None:
    """The task without the case that nobody manages, or without its distractors; None where nothing can be dropped.

    Args:
        task: A task that no run passes.
        failed: For each run the indices of the checks that failed.
        composition: Makes the other task.
    """
    cases = task.recipe.cases
    if len(cases) > 1:
        worst = _worst(task, failed)
        kept = [case for index, case in enumerate(cases) if index != worst]
        return await composition.varied(task.recipe, kept, distractors=task.recipe.distractors)
    if task.recipe.distractors:
        return await composition.varied(task.recipe, cases, distractors=0)
    return None


def _worst(task: ComposedTask, failed: Sequence[Sequence[int]]) -> int:
    """Case in which the most runs failed; the last one where runs failed elsewhere only."""
    counts: Counter[int] = Counter()
    for indices in failed:
        counts.update({task.case_of_check[index] for index in indices if index < len(task.case_of_check)} - {-1})
    return max(range(len(task.recipe.cases)), key=lambda case: (counts[case], case))


def spread(tasks: Sequence[ComposedTask], atoms: Mapping[str, AtomName]) -> dict[str, int]:
    """Number of tasks for each atom, those of none included."""
    counts = Counter(name for task in tasks for name in {case.atom for case in task.recipe.cases})
    return {name: counts[name] for name in atoms}
