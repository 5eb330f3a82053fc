"""Branch and bound for the mapping of nodes that saves most."""

from typing import NamedTuple

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import FORBIDDEN, UNIT, Substitution
from worktrial.suites.orchestration.scoring.distance.problem import Later, Level, Problem, problem

_NONE = -1  # the partner of a node that has none


class Found(NamedTuple):
    """Outcome of a search."""

    saved: int
    """The most that a mapping saves, as far as is known."""
    exact: bool
    """Whether no other can save more; False where the search was given up."""
    partners: dict[int, int]
    """A mapping that saves so much: nodes of `a` to nodes of `b`."""


class _Spent(Exception):
    """No more nodes may be expanded."""


PAIRS = 5_000
"""Pairs of nodes of the two graphs up to which a node of the search tree counts once; it takes longer with more."""


def search(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label], known: Found, nodes: int) -> Found:
    """The most that a mapping of `a`, the graph with fewer nodes, into `b` saves.

    Depth first: the nodes of `a` get their partners in a fixed order, the most promising partner first. What a pair
    can still save counts edges to fixed partners in full, and half of every edge that can still be matched at
    either end. A branch is left when the sum of what each node can save at best does not exceed what is known.
    Prices of the nodes of `b`, the dual solution of the assignment problem at the root, make that sum as good a
    limit as the best assignment is.

    Args:
        a: The graph with fewer nodes, or as many.
        b: The other graph.
        substitution: As for `edit_distance`.
        known: A mapping and what it saves.
        nodes: How many nodes to expand.
    """
    tree = _Tree(problem(a, b, substitution), known, nodes)
    try:
        tree.grow()
    except _Spent:
        return Found(tree.best, False, tree.partners)
    return Found(tree.best, True, tree.partners)


class _Tree:
    """The tree of partial mappings; `best` is what the best whole one saves, `partners` that mapping."""

    def __init__(self, tables: Problem, known: Found, nodes: int) -> None:
        self.best = known.saved
        self.partners = known.partners
        self._tables = tables
        self._left = nodes
        self._weight = 1 + len(tables.levels) * len(tables.prices) // PAIRS
        self._partners = [_NONE] * len(tables.levels)

    def grow(self) -> None:
        rows, prices = self._tables.rows, sum(self._tables.prices)
        if self._promises(prices + _best_of(rows)):
            self._branch(0, (1 << len(self._tables.prices)) - 1, 0, rows, prices)

    def _promises(self, limit: int) -> bool:
        return limit // self._tables.step * self._tables.step > self.best

    def _branch(self, depth: int, free: int, saved: int, rows: list[list[int]], prices: int) -> None:
        """Try all partners of the node at `depth`.

        Args:
            depth: How many nodes have been decided on.
            free: The nodes of `b` that have no partner.
            saved: What the pairs so far save.
            rows: From the node at `depth` on, what each can save with each node of `b`, less its price.
            prices: The sum of the prices of the free nodes.
        """
        if depth == len(self._tables.levels):
            if saved > self.best:
                self.best = saved
                pairs = zip(self._tables.order, self._partners, strict=True)
                self.partners = {u: v for u, v in pairs if v != _NONE}
            return
        self._left -= self._weight
        if self._left < 0:
            raise _Spent
        tables, level = self._tables, self._tables.levels[depth]
        row, rest = rows[0], rows[1:]
        around = _Around(tables, free)
        limit = saved + prices + _best_of(rest)
        for node in _by_promise(row, around.nodes, level):
            if not self._promises(limit + row[node]):
                break
            entering, leaving = tables.entering[node], tables.leaving[node]
            got = saved + level.base[node]
            for earlier in level.entering:
                if self._partners[earlier] >= 0 and entering >> self._partners[earlier] & 1:
                    got += 2 * UNIT
            for earlier in level.leaving:
                if self._partners[earlier] >= 0 and leaving >> self._partners[earlier] & 1:
                    got += 2 * UNIT
            below = around.paired(node, rest, level.later)
            price = prices - tables.prices[node]
            if self._promises(got + price + _best_of(below)):
                self._partners[depth] = node
                self._branch(depth + 1, free & ~(1 << node), got, below, price)
        if level.spare.nodes and self._promises(limit):
            level.spare.nodes -= 1
            self._partners[depth] = _NONE
            self._branch(depth + 1, free, saved, around.left_out(rest, level.later), prices)
            level.spare.nodes += 1


def _best_of(rows: list[list[int]]) -> int:
    """Saving of all rows at best; nothing where it is better to have no partner."""
    return sum([best for row in rows if (best := max(row)) > 0])


def _by_promise(row: list[int], nodes: list[int], level: Level) -> list[int]:
    """The nodes that may be partners, the best first."""
    alike = level.affinity
    allowed = [node for node in nodes if row[node] > FORBIDDEN // 2]
    if alike is None:
        return sorted(allowed, key=row.__getitem__, reverse=True)
    return sorted(allowed, key=lambda node: (row[node], alike[node]), reverse=True)


class _Around:
    """The free nodes of `b`, and what deciding on one node of `a` makes of the rows of the later ones."""

    def __init__(self, tables: Problem, free: int) -> None:
        self._tables = tables
        self.nodes = [node for node in range(len(tables.prices)) if free >> node & 1]
        self._entering = [(mask & free).bit_count() for mask in tables.entering]
        self._leaving = [(mask & free).bit_count() for mask in tables.leaving]

    def paired(self, node: int, rows: list[list[int]], later: list[Later]) -> list[list[int]]:
        """The rows when `node` becomes the partner.

        An edge that is matched now counts in full where half of it counted before; where only one of the two graphs
        has the edge, less can be matched later.
        """
        behind, ahead = self._tables.leaving[node], self._tables.entering[node]
        nodes, entering, leaving = self.nodes, self._entering, self._leaving
        nodes_behind = [v for v in nodes if behind >> v & 1]
        nodes_ahead = [v for v in nodes if ahead >> v & 1]
        changed = []
        for row, (after, before, into, out) in zip(rows, later, strict=True):
            row = row.copy()
            row[node] = FORBIDDEN
            if after:
                for v in nodes:
                    if behind >> v & 1:
                        row[v] += UNIT
                    elif into <= entering[v]:
                        row[v] -= UNIT
            else:
                for v in nodes_behind:
                    if entering[v] <= into:
                        row[v] -= UNIT
            if before:
                for v in nodes:
                    if ahead >> v & 1:
                        row[v] += UNIT
                    elif out <= leaving[v]:
                        row[v] -= UNIT
            else:
                for v in nodes_ahead:
                    if leaving[v] <= out:
                        row[v] -= UNIT
            changed.append(row)
        return changed

    def left_out(self, rows: list[list[int]], later: list[Later]) -> list[list[int]]:
        """The rows when the node gets no partner: its edges can no longer be matched."""
        changed = []
        for row, (after, before, into, out) in zip(rows, later, strict=True):
            if after or before:
                row = row.copy()
                for v in self.nodes:
                    row[v] -= UNIT * ((after and into <= self._entering[v]) + (before and out <= self._leaving[v]))
            changed.append(row)
        return changed
