"""How different the tasks of a suite are from each other."""

from collections.abc import Sequence
from itertools import combinations

import msgspec

from worktrial.synthesis.artifacts import TaskDraft
from worktrial.synthesis.overlap import jaccard
from worktrial.synthesis.sources.words import content_words


class Diversity(msgspec.Struct, kw_only=True, frozen=True):
    """Of the tasks of a suite."""

    tasks: int
    mean_distance: float | None
    """Of two tasks, 0 (the same words and tools) to 1 (none in common); None with fewer than two."""
    closest: list[str]
    """The slots of the two tasks that are most alike; [] with fewer than two."""
    least_distance: float | None
    """Of those two."""
    tools: int
    """Different tools that plans use."""
    sequences: int
    """Different sequences of tools in plans."""
    longest_plan: int
    shortest_plan: int


def diversity(tasks: Sequence[TaskDraft]) -> Diversity:
    """How different `tasks` are, by their instructions and plans."""
    features = [_features(task) for task in tasks]
    distances = [
        (_distance(features[a], features[b]), tasks[a].slot, tasks[b].slot)
        for a, b in combinations(range(len(tasks)), 2)
    ]
    closest = min(distances, default=None)
    sequences = {tuple(step.tool for step in task.plan) for task in tasks}
    return Diversity(
        tasks=len(tasks),
        mean_distance=sum(d for d, _, _ in distances) / len(distances) if distances else None,
        closest=list(closest[1:]) if closest else [],
        least_distance=closest[0] if closest else None,
        tools=len({tool for sequence in sequences for tool in sequence}),
        sequences=len(sequences),
        longest_plan=max((len(s) for s in sequences), default=0),
        shortest_plan=min((len(s) for s in sequences), default=0),
    )


def mean_distance(tasks: Sequence[TaskDraft]) -> float:
    """Mean distance of two tasks, from 0 to 1.

    Raises:
        ValueError: there are fewer than two.
    """
    mean = diversity(tasks).mean_distance
    if mean is None:
        raise ValueError("a distance needs at least two tasks")
    return mean


def distance(one: TaskDraft, other: TaskDraft) -> float:
    """Jaccard distance of the content words of two instructions together with the tools of their plans, 0 to 1."""
    return _distance(_features(one), _features(other))


def _distance(one: frozenset[str], other: frozenset[str]) -> float:
    return 1 - jaccard(one, other) if one or other else 0.0


def _features(task: TaskDraft) -> frozenset[str]:
    # A tool's name is one feature and cannot be taken for a word.
    return frozenset(content_words(task.instruction)) | {f"tool:{step.tool}" for step in task.plan}
