"""Another difficulty for a task that its runs have shown to be trivial or impossible."""

from collections import Counter
from collections.abc import Sequence

from worktrial.synthesis.compose.atoms import AtomName
from worktrial.synthesis.compose.choosing import DEEPEST, Composition
from worktrial.synthesis.compose.composer import ComposedTask
from worktrial.synthesis.compose.strength import CaseStrength


async def hardened(task: ComposedTask, composition: Composition) -> ComposedTask | None:
    """The task with one case more and all distractors; None where no other case goes with it.

    The strongest case comes first: the one of the most kinds (`strength.HardKind`) beside those inside, of
    equals the one whose atom weighs the most. Where the task holds as many cases as it may, the
    plainest gives its place to a stronger one.
    """
    cases = list(task.recipe.cases)
    start = task.recipe.start
    inside = await composition.strengths(start, [(case.atom, case.seed) for case in cases])
    alone = await composition.alone(start)
    least = -1
    if len(cases) >= DEEPEST:
        plainest, least = _plainest(inside)
        del cases[plainest], inside[plainest]
    there = [one for one in inside if one is not None]
    taken = {case.atom for case in task.recipe.cases}

    def rank(atom: AtomName) -> tuple[bool, int, int, str]:
        return (atom.name in taken, -alone[atom.name].beside(there), -atom.weight, atom.name)

    for other in sorted((composition.atoms[name] for name in alone), key=rank):
        if alone[other.name].beside(there) <= least:
            continue
        distractors = sum(one.distractors for one in [*there, alone[other.name]])
        found = await composition.varied(task.recipe, [*cases, other.name], distractors=distractors)
        if found is not None:
            return found
    return None


def _plainest(inside: Sequence[CaseStrength | None]) -> tuple[int, int]:
    """Position of the case of the fewest kinds beside the others, and their number."""

    def kinds(index: int) -> int:
        one = inside[index]
        others = [other for place, other in enumerate(inside) if other is not None and place != index]
        return one.beside(others) if one is not None else 0

    index = min(range(len(inside)), key=kinds)
    return index, kinds(index)


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
