"""Edit distance of two small labelled digraphs, bounded in the nodes that a search expands.

Nodes and edges cost 1 to insert or to delete, edges nothing to substitute, nodes what the caller says. An edit path
is a partial one-to-one mapping of nodes. Its cost is what both graphs cost to delete, less what the mapping
*saves*: 2 - substitution for each pair of nodes, and 2 for each edge whose ends are mapped onto those of an edge.
The distance is found by saving most, in whole numbers, so that it does not depend on the order of additions.

One branch and bound finds it. No clock is looked at, so that a distance is the same on every machine; where the
count is not enough the cost is an upper bound, and says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution, label_pairing
from worktrial.suites.orchestration.scoring.distance.search import Found, search

MOST_NODES = 500
MOST_WORK = 5_000_000
"""Squared nodes of the smaller graph times nodes of the larger; beyond, the tables alone take too long."""


@dataclass(frozen=True, slots=True)
class Distance:
    """Cost of turning one graph into another."""

    cost: float
    exact: bool = True
    """Whether the search was not given up; else `cost` is the least that was found, an upper bound."""
    partners: Mapping[int, int] = field(default_factory=dict, compare=False, repr=False)
    """A mapping that costs so much: nodes of the first graph to nodes of the second."""


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
    turned = len(a.labels) > len(b.labels)
    found = _most_saved(b, a, substitution, nodes) if turned else _most_saved(a, b, substitution, nodes)
    partners = {v: u for u, v in found.partners.items()} if turned else found.partners
    return Distance(((a.size + b.size) * UNIT - found.saved) / UNIT, found.exact, partners)


def _most_saved(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label], nodes: int) -> Found:
    """The cheap ways first: they settle most pairs of plans."""
    if a == b:
        return Found(2 * UNIT * a.size, True, {n: n for n in range(len(a.labels))})
    pairing = label_pairing(a, b, substitution)
    known = Found(pairing.saved, pairing.saved == pairing.limit, pairing.partners)
    if known.exact or len(b.labels) > MOST_NODES or len(a.labels) ** 2 * len(b.labels) > MOST_WORK:
        return known
    return search(a, b, substitution, known, nodes)
