"""Exact edit distance of two small labelled digraphs, bounded in the nodes that a search expands.

Nodes and edges cost 1 to insert or to delete, edges nothing to substitute, nodes what the caller says. An edit path
is a partial one-to-one mapping of nodes. Its cost is what both graphs cost to delete, less what the mapping
*saves*: 2 - substitution for each pair of nodes, and 2 for each edge whose ends are mapped onto those of an edge.
The distance is found by saving most, in whole numbers, so that it does not depend on the order of additions.

No clock is looked at, so that a distance is the same on every machine. Branch and bound settles nearly every pair
of plans within some hundred nodes. What it leaves of graphs as small as plans of twelve steps goes to a search over
domains; of larger ones to an integer programme, whose relaxation is far tighter and pays where edges are few.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.scoring.distance.domains import BRANCHES, MOST_BY_DOMAINS, search_domains
from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution, label_pairing
from worktrial.suites.orchestration.scoring.distance.problem import problem
from worktrial.suites.orchestration.scoring.distance.programme import programme
from worktrial.suites.orchestration.scoring.distance.search import Found, NothingLeft, SearchBudget, search

MOST_NODES = 500
MOST_WORK = 5_000_000
"""Squared nodes of the smaller graph times nodes of the larger; beyond, the tables alone take too long."""
MOST_BY_BRANCHES = 4_000
"""Nodes of branch and bound after which another way goes on, where the graphs are small enough for one."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Cost of turning one graph into another."""

    cost: float
    exact: bool = True
    """Whether the search was not given up; else `cost` is the least that was found, an upper bound."""


def edit_distance(
    a: Graph[Label], b: Graph[Label], *, substitution: Callable[[Label, Label], float], nodes: int = SEARCH_NODES
) -> Distance:
    """The graph edit distance: the least cost of turning `a` into `b`.

    Exact distances are symmetric, and the same however the nodes are numbered. Of graphs with more than 500 nodes,
    or with too many to tabulate, only the best pairing of labels is known.

    Args:
        a: One graph. Self-loops are edges like any other.
        b: The other graph.
        substitution: What it costs to turn one label into another, read to six decimals: 0 for equal labels,
            symmetric, no more than by way of a third label, and 0 to 2, or `math.inf` for two that must never be
            paired.
        nodes: How many nodes of a search tree to expand, a large graph's counting several times, before the best
            mapping so far has to do.

    Raises:
        ValueError: `substitution` returned a cost that is not allowed.
    """
    found = _most_saved(a, b, substitution, nodes)
    return Distance(((a.size + b.size) * UNIT - found.saved) / UNIT, found.exact)


def _most_saved(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label], nodes: int) -> Found:
    """The cheap ways first: they settle most pairs of plans."""
    if a == b:
        return Found(2 * UNIT * a.size, exact=True)
    if len(a.labels) > len(b.labels):
        a, b = b, a
    pairing = label_pairing(a, b, substitution)
    if pairing.saved == pairing.limit or len(b.labels) > MOST_NODES:
        return Found(pairing.saved, pairing.saved == pairing.limit)
    rest = without_common_parts(a, b, SearchBudget(nodes))
    common = 2 * UNIT * (a.size - rest.a.size)
    if common:
        a, b = rest
        pairing = label_pairing(a, b, substitution)
    if pairing.saved == pairing.limit or len(a.labels) ** 2 * len(b.labels) > MOST_WORK:
        return Found(common + pairing.saved, pairing.saved == pairing.limit)
    small = len(b.labels) <= MOST_BY_DOMAINS
    ahead = None if small else programme(a, b, substitution)
    both = small or ahead is not None
    found = search(a, b, substitution, pairing.saved, SearchBudget(min(nodes, MOST_BY_BRANCHES) if both else nodes))
    left = nodes - MOST_BY_BRANCHES
    if not found.exact and left > 0:
        if small:
            budget = SearchBudget(left * BRANCHES)
            found = search_domains(problem(a, b, substitution), found.saved, budget, orbits(b, budget))
        elif ahead is not None:
            found = ahead.solve(found.saved, left)
    return Found(common + found.saved, found.exact)


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


def orbits(graph: Graph[Label], budget: SearchBudget) -> list[int]:
    """The first node that each node looks like: the graph can be laid upon itself with one where the other was.

    Where the budget is spent, nodes that may look alike count as different.
    """
    marked = [
        Graph(tuple((x, n == v) for n, x in enumerate(graph.labels)), graph.edges) for v in range(len(graph.labels))
    ]
    first: list[int] = []
    for v, ours in enumerate(marked):
        alike = (u for u in range(v) if first[u] == u and graph.labels[u] == graph.labels[v])
        first.append(next((u for u in alike if not without_common_parts(ours, marked[u], budget).a.labels), v))
    return first


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
