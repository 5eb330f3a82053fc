"""The exact edit distance of two small labelled digraphs, bounded in time.

Nodes and edges cost 1 to insert or to delete, edges nothing to substitute, nodes what the caller says. An edit path
is a partial one-to-one mapping of nodes. Its cost is what both graphs cost to delete, less what the mapping
*saves*: 2 - substitution for each pair of nodes, and 2 for each edge whose ends are mapped onto those of an edge.
The distance is found by saving most, in whole numbers, so that it does not depend on the order of additions.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from worktrial.suites.orchestration.workflow_distance.graphs import Graph, Label
from worktrial.suites.orchestration.workflow_distance.pairing import UNIT, Substitution, label_pairing
from worktrial.suites.orchestration.workflow_distance.reduction import without_common_parts
from worktrial.suites.orchestration.workflow_distance.search import Found, search

MOST_NODES = 500
MOST_WORK = 5_000_000
"""Squared nodes of the smaller graph times nodes of the larger; beyond, the tables alone take too long."""


@dataclass(frozen=True, slots=True)
class Distance:
    """What it costs to turn one graph into another."""

    cost: float
    exact: bool = True
    """False where the search was given up: `cost` is then the least that was found, an upper bound."""


def edit_distance(
    a: Graph[Label], b: Graph[Label], *, substitution: Callable[[Label, Label], float], seconds: float
) -> Distance:
    """The graph edit distance: the least cost of turning `a` into `b`.

    Exact distances are symmetric, and the same however the nodes are numbered. Of graphs with more than 500 nodes,
    or that would take seconds to tabulate, only the best pairing of labels is known.

    Args:
        a: One graph. Self-loops are edges like any other.
        b: The other graph.
        substitution: What it costs to turn one label into another, read to six decimals: 0 for equal labels,
            symmetric, no more than by way of a third label, and 0 to 2, or `math.inf` for two that must never be
            paired.
        seconds: How long to search before the best mapping so far has to do.

    Raises:
        ValueError: `substitution` returned a cost that is not allowed.
    """
    deadline = time.perf_counter() + seconds
    found = _most_saved(a, b, substitution, deadline)
    return Distance(((a.size + b.size) * UNIT - found.saved) / UNIT, found.exact)


def _most_saved(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label], deadline: float) -> Found:
    """The cheap ways first: they settle most pairs of plans."""
    if a == b:
        return Found(2 * UNIT * a.size, exact=True)
    if len(a.labels) > len(b.labels):
        a, b = b, a
    pairing = label_pairing(a, b, substitution)
    if pairing.saved == pairing.limit or len(b.labels) > MOST_NODES:
        return Found(pairing.saved, pairing.saved == pairing.limit)
    rest = without_common_parts(a, b, deadline)
    common = 2 * UNIT * (a.size - rest.a.size)
    if common:
        a, b = rest
        pairing = label_pairing(a, b, substitution)
    if pairing.saved == pairing.limit or len(a.labels) ** 2 * len(b.labels) > MOST_WORK:
        return Found(common + pairing.saved, pairing.saved == pairing.limit)
    found = search(a, b, substitution, pairing.saved, deadline)
    return Found(common + found.saved, found.exact)
