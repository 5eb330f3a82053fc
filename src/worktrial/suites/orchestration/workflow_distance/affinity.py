"""How alike the surroundings of two nodes are: which of equally good partners to try first."""

from collections import defaultdict
from collections.abc import Hashable

from worktrial.suites.orchestration.workflow_distance.graphs import Graph, Label

ROUNDS = 16
"""How far to look."""


def affinity(a: Graph[Label], b: Graph[Label]) -> list[list[int]]:
    """For each node of `a` and each of `b`, how many steps ahead plus how many behind look the same.

    Ahead and behind apart, so that one difference in a chain leaves what is before it alike on one side and what
    is after it on the other.
    """
    table = [[0] * len(b.labels) for _ in a.labels]
    for forwards in (True, False):
        near = [_neighbours(graph, forwards) for graph in (a, b)]
        names: dict[Hashable, int] = {}
        seen = [[names.setdefault(label, len(names)) for label in graph.labels] for graph in (a, b)]
        for _ in range(ROUNDS):
            places = defaultdict(list)
            for v, colour in enumerate(seen[1]):
                places[colour].append(v)
            common = 0
            for row, colour in zip(table, seen[0], strict=True):
                for v in places.get(colour, ()):
                    row[v] += 1
                    common += 1
            if not common:
                break
            names = {}
            seen = [
                [
                    names.setdefault((colour, *sorted([colours[o] for o in others])), len(names))
                    for colour, others in zip(colours, beside, strict=True)
                ]
                for colours, beside in zip(seen, near, strict=True)
            ]
    return table


def _neighbours(graph: Graph[Label], forwards: bool) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in graph.labels]
    for source, target in graph.edges:
        if forwards:
            near[source].append(target)
        else:
            near[target].append(source)
    return near
