"""The mapping of nodes that saves most, as an integer programme solved by HiGHS.

A variable for each pair of nodes that may be partners and one for each pair of edges that may be matched; an edge
is matched only where its ends are (Lerouge, Abu-Aisheh, Raveaux, Héroux and Adam, 2017, with the constraints of
both graphs). Solving one of its relaxations takes as long as thousands of nodes of branch and bound, but plans that
keep those busy for minutes need a few.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution, worth
from worktrial.suites.orchestration.scoring.distance.search import Found

MOST_EDGE_PAIRS = 5_000
"""Pairs of edges beyond which a relaxation alone takes too long."""
FINEST = UNIT // 1000
"""Smallest step of savings that the solver's tolerances leave no doubt about."""
WEIGHT = 10
"""Nodes of branch and bound that one node of the programme counts for, for each ten pairs of edges."""

Pair = tuple[int, int]


def programme(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label]) -> "_Programme[Label] | None":
    """The programme for mapping `a` into `b`; None where it would be too large, or its savings too fine."""
    if len(a.edges) * len(b.edges) > 10 * MOST_EDGE_PAIRS:
        return None
    known = {(x, y): worth(x, y, substitution) for x in set(a.labels) for y in set(b.labels)}
    nodes = {
        (u, v): known[x, y] + 2 * UNIT * ((u, u) in a.edges and (v, v) in b.edges)
        for u, x in enumerate(a.labels)
        for v, y in enumerate(b.labels)
        if known[x, y] >= 0
    }
    edges = [
        (e, f)
        for e in sorted(a.edges)
        for f in sorted(b.edges)
        if e[0] != e[1] and f[0] != f[1] and (e[0], f[0]) in nodes and (e[1], f[1]) in nodes
    ]
    step = math.gcd(2 * UNIT, *[worth for worth in known.values() if worth >= 0])
    return _Programme(a, b, nodes, edges) if len(edges) <= MOST_EDGE_PAIRS and step >= FINEST else None


@dataclass(frozen=True, slots=True)
class _Programme(Generic[Label]):
    """An integer programme; its variables are `nodes`, then `edges`."""

    a: Graph[Label]
    b: Graph[Label]
    nodes: Mapping[Pair, int]
    """Pairs of nodes that may be partners, with what they save by labels and self-loops."""
    edges: Sequence[tuple[Pair, Pair]]
    """Pairs of edges that may be matched."""

    def solve(self, saved: int, nodes: int) -> Found:
        """The most that a mapping saves, in units.

        Args:
            saved: What a known mapping saves.
            nodes: How many nodes of branch and bound this may cost; a node of the programme counts for many
                (`WEIGHT`).
        """
        if not self.nodes:
            return Found(saved, exact=True)
        # Imported here because few plans need it.
        import numpy as np
        from scipy.optimize import Bounds, LinearConstraint, milp

        rows = self._constraints()
        gains = np.array([*self.nodes.values(), *[2 * UNIT] * len(self.edges)]) / UNIT
        whole = np.array([1] * len(self.nodes) + [0] * len(self.edges))
        found = milp(
            -gains,
            integrality=whole,
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(rows.matrix(len(gains)), -np.inf, rows.most),
            options={"node_limit": max(1, nodes // (WEIGHT * (1 + len(self.edges) // 10))), "mip_rel_gap": 0.0},
        )
        if found.x is None:
            return Found(saved, exact=False)
        chosen = [pair for pair, value in zip(self.nodes, found.x, strict=False) if value > 0.5]
        got = self._saved_by(chosen)
        # The solver works with floats: what its mapping saves is counted again, and has to be what it said.
        agrees = abs(got / UNIT + found.fun) * UNIT < FINEST / 2
        return Found(max(saved, got), exact=found.status == 0 and agrees and got >= saved)

    def _saved_by(self, chosen: Iterable[Pair]) -> int:
        partner = dict(chosen)
        matched = sum(s != t and (partner.get(s, -1), partner.get(t, -1)) in self.b.edges for s, t in self.a.edges)
        return sum(self.nodes[pair] for pair in partner.items()) + 2 * UNIT * matched

    def _constraints(self) -> "_Rows":
        """Every node has one partner at most; a matched edge has partners at both ends, seen from either graph."""
        place = {pair: n for n, pair in enumerate(self.nodes)}
        rows = _Rows()
        once = defaultdict(list)
        for (u, v), n in place.items():
            once["a", u].append(n)
            once["b", v].append(n)
        for these in once.values():
            rows.add(these, [1.0] * len(these), 1.0)
        ends = defaultdict(list)
        for n, (e, f) in enumerate(self.edges, len(place)):
            for end in (0, 1):
                ends[place[e[end], f[end]], "a", e, end].append(n)
                ends[place[e[end], f[end]], "b", f, end].append(n)
        for (pair, *_), these in ends.items():
            rows.add([pair, *these], [-1.0] + [1.0] * len(these), 0.0)
        return rows


@dataclass(slots=True)
class _Rows:
    """Rows of a sparse matrix, each with the most that its product may be."""

    most: list[float] = field(default_factory=list)
    _row: list[int] = field(default_factory=list)
    _column: list[int] = field(default_factory=list)
    _value: list[float] = field(default_factory=list)

    def add(self, columns: Sequence[int], values: Sequence[float], most: float) -> None:
        self._row += [len(self.most)] * len(columns)
        self._column += columns
        self._value += values
        self.most.append(most)

    def matrix(self, columns: int) -> Any:
        from scipy.sparse import csc_array

        return csc_array((self._value, (self._row, self._column)), shape=(len(self.most), columns))
