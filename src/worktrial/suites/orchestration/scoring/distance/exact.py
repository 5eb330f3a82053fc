"""Exact edit distance of two small labelled digraphs, bounded in the nodes that a search expands.

Nodes and edges cost 1 to insert or to delete, edges nothing to substitute, nodes what the caller says. An edit path
is a partial one-to-one mapping of nodes. Its cost is what both graphs cost to delete, less what the mapping
*saves*: 2 - substitution for each pair of nodes, and 2 for each edge whose ends are mapped onto those of an edge.
The distance is found by saving most, in whole numbers, so that it does not depend on the order of additions.

No clock is looked at, so that a distance is the same on every machine. Branch and bound settles nearly every pair
of plans within some hundred nodes. What it leaves of graphs as small as plans of twelve steps goes to a search over
domains; of larger ones to an integer programme, whose relaxation is far tighter and pays where edges are few.
"""

from collections.abc import Callable
from dataclasses import dataclass

from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.scoring.distance.domains import BRANCHES, MOST_BY_DOMAINS, search_domains
from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution, label_pairing
from worktrial.suites.orchestration.scoring.distance.programme import programme
from worktrial.suites.orchestration.scoring.distance.search import Found, SearchBudget, search
from worktrial.suites.orchestration.scoring.distance.symmetry import without_common_parts

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
            found = search_domains(a, b, substitution, found.saved, SearchBudget(left * BRANCHES))
        elif ahead is not None:
            found = ahead.solve(found.saved, left)
    return Found(common + found.saved, found.exact)
