"""Sameness of small labelled digraphs: parts that two have in common, nodes and edges of one that look alike."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, NamedTuple

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.search import NothingLeft, SearchBudget


class Rest(NamedTuple, Generic[Label]):
    """Parts that two graphs do not have in common."""

    a: Graph[Label]
    b: Graph[Label]


def without_common_parts(a: Graph[Label], b: Graph[Label], budget: SearchBudget) -> Rest[Label]:
    """Both graphs without the connected parts that are isomorphic with equal labels, taken away in pairs.

    Where the budget is spent, parts that may be the same stay.
    """
    sides = _Side(a), _Side(b)
    shared = {part.kind for part in sides[0].parts} & {part.kind for part in sides[1].parts}
    if not shared:
        return Rest(a, b)
    _refine(sides)
    waiting = defaultdict(list)
    for part in sides[1].parts:
        waiting[part.kind, sides[1].coloured(part)].append(part)
    gone: tuple[set[int], set[int]] = set(), set()
    for part in sides[0].parts:
        alike = waiting[part.kind, sides[0].coloured(part)]
        for other in alike:
            if _isomorphic(sides[0], part, sides[1], other, budget):
                alike.remove(other)
                gone[0].update(part.nodes)
                gone[1].update(other.nodes)
                break
    return Rest(_without(a, gone[0]), _without(b, gone[1])) if gone[0] else Rest(a, b)


MOST_SYMMETRIES = 2_000
"""Symmetries of a graph that are looked for. Any of them is of use, all are not needed."""


def symmetries(graph: Graph[Label]) -> list[list[int]]:
    """Ways to lay a graph upon itself: the place of each node. The first leaves all where they are.

    VF2 (Cordella et al., 2004) looks for at most 2,000 others.
    """
    # Imported here because few plans need it.
    import networkx
    from networkx.algorithms.isomorphism import DiGraphMatcher, categorical_node_match

    made: networkx.DiGraph[int] = networkx.DiGraph()
    made.add_nodes_from((n, {"label": label}) for n, label in enumerate(graph.labels))
    made.add_edges_from(sorted(graph.edges))
    found = DiGraphMatcher(made, made, node_match=categorical_node_match("label", None)).isomorphisms_iter()
    return [list(made), *([places[n] for n in made] for places in islice(found, MOST_SYMMETRIES))]


def alike_edges(graph: Graph[Label], ways: Iterable[Sequence[int]]) -> list[list[tuple[int, int]]]:
    """Edges between two nodes, put together where one of these ways to lay the graph upon itself joins them."""
    from networkx.utils import UnionFind

    joined = UnionFind(sorted((s, t) for s, t in graph.edges if s != t))
    for places in ways:
        for s, t in list(joined):
            joined.union((s, t), (places[s], places[t]))
    return sorted(sorted(edges) for edges in joined.to_sets())


class _Part(NamedTuple):
    """A connected part; each node but the first is next to one before it."""

    nodes: list[int]
    kind: tuple[object, ...]
    """Equal for parts that may be the same: sizes and labels."""


class _Side(Generic[Label]):
    """One of the graphs, its connected parts and the colours of its nodes."""

    def __init__(self, graph: Graph[Label]) -> None:
        n = len(graph.labels)
        self.graph = graph
        self.out: list[list[int]] = [[] for _ in range(n)]
        self.into: list[list[int]] = [[] for _ in range(n)]
        for source, target in graph.edges:
            self.out[source].append(target)
            self.into[target].append(source)
        self.colours: Sequence[int] = ()
        self.parts = list(self._connected())

    def coloured(self, part: _Part) -> tuple[int, ...]:
        return tuple(sorted([self.colours[node] for node in part.nodes]))

    def _connected(self) -> Iterator[_Part]:
        labels, seen = self.graph.labels, [False] * len(self.graph.labels)
        for start in range(len(labels)):
            if seen[start]:
                continue
            seen[start] = True
            nodes = [start]
            for node in nodes:
                for other in (*self.out[node], *self.into[node]):
                    if not seen[other]:
                        seen[other] = True
                        nodes.append(other)
            edges = sum([len(self.out[node]) for node in nodes])
            yield _Part(nodes, (len(nodes), edges, frozenset([labels[node] for node in nodes])))


def _refine(sides: tuple[_Side[Label], _Side[Label]]) -> None:
    """Colour the nodes of both sides until colours tell no more (Weisfeiler and Leman, 1968)."""
    names: dict[object, int] = {}
    for side in sides:
        side.colours = [names.setdefault(label, len(names)) for label in side.graph.labels]
    told = len(names)
    while True:  # as often as there are nodes, at most
        names = {}
        for side in sides:
            old = side.colours
            side.colours = [
                names.setdefault(
                    (old[node], tuple(sorted([old[o] for o in out])), tuple(sorted([old[i] for i in into]))),
                    len(names),
                )
                for node, (out, into) in enumerate(zip(side.out, side.into, strict=True))
            ]
        if len(names) == told:
            return
        told = len(names)


def _isomorphic(
    side: _Side[Label], part: _Part, other_side: _Side[Label], other: _Part, budget: SearchBudget
) -> bool:
    """Whether the parts are the same; False too where the budget is spent before that is known."""
    places = defaultdict(list)
    for node in other.nodes:
        places[other_side.colours[node]].append(node)
    image: dict[int, int] = {}
    used: set[int] = set()
    edges = other_side.graph.edges
    untried = [iter(places[side.colours[part.nodes[0]]])]
    while untried:
        try:
            budget.spend(1)
        except NothingLeft:
            return False
        node = part.nodes[len(untried) - 1]
        used.discard(image.pop(node, -1))
        for place in untried[-1]:
            image[node] = place
            if (
                place not in used
                and all((place, image[o]) in edges for o in side.out[node] if o in image)
                and all((image[i], place) in edges for i in side.into[node] if i in image)
            ):
                break
        else:
            image.pop(node, None)
            untried.pop()
            continue
        used.add(place)
        if len(image) == len(part.nodes):
            return True
        untried.append(iter(places[side.colours[part.nodes[len(untried)]]]))
    return False


def _without(graph: Graph[Label], gone: set[int]) -> Graph[Label]:
    kept = [node for node in range(len(graph.labels)) if node not in gone]
    new = {node: n for n, node in enumerate(kept)}
    edges = frozenset((new[s], new[t]) for s, t in graph.edges if s in new)
    return Graph(tuple(graph.labels[node] for node in kept), edges)
