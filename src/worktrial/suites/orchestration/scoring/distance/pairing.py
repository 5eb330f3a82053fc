"""Pairing the nodes of two graphs by their labels alone: a first mapping, and a first limit for every mapping.

What pairs save is counted in whole numbers of `UNIT`, a millionth of the cost of one insertion.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label

UNIT = 1_000_000
FORBIDDEN = -(10**15)
"""Saving of a pair that must never be made: so little that nothing added to it makes it worth while."""

MOST_PAIRS = 30_000
"""Pairs of nodes without an equal label up to which the best assignment is looked for."""

Substitution = Callable[[Label, Label], float]


class LabelPairing(NamedTuple):
    """A mapping of nodes, and how much better another may be."""

    saved: int
    limit: int
    """No mapping saves more than this."""
    partners: dict[int, int]
    """The mapping: nodes of the first graph to nodes of the second."""


def worth(a: Label, b: Label, substitution: Substitution[Label]) -> int:
    """Saving of substituting a node labelled `a` by one labelled `b` instead of a deletion and an insertion.

    Raises:
        ValueError: the cost is neither from 0 to 2 nor infinite.
    """
    cost = substitution(a, b)
    if cost == math.inf:
        return FORBIDDEN
    if not 0 <= cost <= 2:
        raise ValueError(
            f"the substitution of {a!r} by {b!r} costs {cost}, which is neither from 0 to 2 nor infinite"
        )
    return 2 * UNIT - round(cost * UNIT)


def label_pairing(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label]) -> LabelPairing:
    """Pair equal labels in the order of the nodes, then the others as well as their labels can be paired.

    As no detour is shorter under a metric, pairing equal labels first loses nothing, and no mapping saves more by
    its labels. Edges are looked at only when the pairs are made.
    """
    places = defaultdict(list)
    for node in range(len(b.labels) - 1, -1, -1):
        places[b.labels[node]].append(node)
    partner: dict[int, int] = {}
    left = []
    for node, label in enumerate(a.labels):
        if places.get(label):
            partner[node] = places[label].pop()
        else:
            left.append(node)
    by_labels = limit = 2 * UNIT * len(partner)
    free = sorted([node for nodes in places.values() for node in nodes])
    if left and free:
        if len(left) * len(free) <= MOST_PAIRS:
            gains = [[worth(a.labels[u], b.labels[v], substitution) for v in free] for u in left]
            chosen = assignment(gains)
            by_labels += sum([line[v] for line, v in zip(gains, chosen, strict=True) if v is not None])
            partner.update((u, free[v]) for u, v in zip(left, chosen, strict=True) if v is not None)
            limit = by_labels
        else:
            limit += 2 * UNIT * min(len(left), len(free))
    limit += 2 * UNIT * min(len(a.edges), len(b.edges))
    edges = b.edges
    matched = sum([(partner.get(s, -1), partner.get(t, -1)) in edges for s, t in a.edges])
    return LabelPairing(by_labels + 2 * UNIT * matched, limit, partner)


def assignment(gains: Sequence[Sequence[int]]) -> list[int | None]:
    """The column of each row, or None; pairs of negative gain are never made.

    Shortest augmenting paths (Jonker and Volgenant, 1987), in whole numbers; time rows^2 * columns for the narrower
    side.
    """
    if not gains or not gains[0]:
        return [None] * len(gains)
    if len(gains) == 1:
        best = max(gains[0])
        return [gains[0].index(best) if best >= 0 else None]
    if len(gains) > len(gains[0]):
        rows: list[int | None] = [None] * len(gains)
        for column, row in enumerate(assignment(list(zip(*gains, strict=True)))):
            if row is not None:
                rows[row] = column
        return rows
    return [c if gains[r][c] >= 0 else None for r, c in enumerate(_solve(gains).columns)]


def column_prices(gains: Sequence[Sequence[int]]) -> list[int]:
    """Worth of each column: the prices, 0 or more, that make the limit below as low as the greatest sum.

    No choice of columns sums to more than all prices plus, for each row, its greatest gain less price.
    """
    return [-price for price in _solve(gains).prices] if gains else []


class _Solution(NamedTuple):
    columns: list[int]
    prices: list[int]


def _solve(gains: Sequence[Sequence[int]]) -> _Solution:
    """The column of each row where there are at least as many columns; a negative gain counts as none."""
    n, m = len(gains), len(gains[0])
    row_price, price = [0] * n, [0] * m
    owner = [-1] * m
    for new in range(n):
        least, before = [0] * m, [-1] * m
        seen = [False] * m
        row, column = new, -1
        offset = 0
        first = True
        while row >= 0:
            line, base = gains[row], offset - row_price[row]
            best, best_column = None, -1
            for c in range(m):
                if not seen[c]:
                    g = line[c]
                    cost = base - (g if g > 0 else 0) - price[c]
                    if first or cost < least[c]:
                        least[c], before[c] = cost, column
                    if best is None or least[c] < best:
                        best, best_column = least[c], c
            assert best is not None
            first = False
            offset, column = best, best_column
            seen[column] = True
            row = owner[column]
        row_price[new] += offset
        for c in range(m):
            if seen[c]:
                price[c] += least[c] - offset
                if owner[c] >= 0:
                    row_price[owner[c]] += offset - least[c]
        while column >= 0:
            previous = before[column]
            owner[column] = owner[previous] if previous >= 0 else new
            column = previous
    columns = [0] * n
    for c, r in enumerate(owner):
        if r >= 0:
            columns[r] = c
    return _Solution(columns, price)
