"""Branch and bound over domains: which partners each node may still have, for many branches at once.

Made for small graphs with many edges, in which many mappings are nearly as good as the best. What a pair of nodes
can save counts only those neighbours that may still be partners of each other. The assignment problem over these
savings limits what a branch can reach (Gilmore, 1962; Lawler, 1963), and its reduced costs take partners away that
no better mapping has; that lowers the limit again.

Where all nodes of a graph look alike, no mapping is found that its symmetries do not repeat. So edges that look
alike are settled together: when no better mapping lays the first of some edges of `a` upon the first of some of
`b`, none lays any of them upon any of those.

All numbers are whole and far below 2**53, so that floating point is exact and the same on every machine.
"""

from collections.abc import Sequence
from typing import Any

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.matrices import NEVER, Matrices, climb, matrices
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution
from worktrial.suites.orchestration.scoring.distance.problem import problem
from worktrial.suites.orchestration.scoring.distance.search import Found, NothingLeft, SearchBudget
from worktrial.suites.orchestration.scoring.distance.symmetry import alike_edges, symmetries

MOST_BY_DOMAINS = 24
"""Nodes of the larger graph: those of twelve workflows and twelve steps. With more the limit is too weak."""
BRANCHES = 60
"""Branches that count as one node of a search: they are cheap, as many are looked at together."""
TOGETHER = 64
AT_SOURCE, AT_TARGET = 3, 7
"""Tenths of an edge's saving that count at either end while both are open. Chosen on one
pair of plans of twelve workflows in circles: 123,835 branches, and 162,429 with equal shares."""
Edges = list[list[tuple[int, int]]]


def search_domains(
    a: Graph[Label], b: Graph[Label], substitution: Substitution[Label], saved: int, budget: SearchBudget
) -> Found:
    """The most that a mapping of `a`, the graph with fewer nodes, into `b` saves.

    Args:
        a: The graph with fewer nodes, or as many.
        b: The other graph.
        substitution: As for `edit_distance`.
        saved: What a known mapping saves.
        budget: How many branches to look at.
    """
    tables = problem(a, b, substitution)
    made = matrices(tables)
    level = {node: n for n, node in enumerate(tables.order)}
    ours = [[(level[s], level[t]) for s, t in edges] for edges in alike_edges(a, symmetries(a))]
    ways = symmetries(b)
    tree = _Domains(made, saved, budget, ways)
    try:
        tree.best = climb(made, saved, budget)
        tree.grow(ours, alike_edges(b, ways))
    except NothingLeft:
        return Found(tree.best, exact=False)
    return Found(tree.best, exact=True)


class _Domains:
    """Branches as stacks of square matrices: rows are nodes of `a`, columns nodes of `b`, true where partners.

    Columns beyond `b` stand for having no partner, as many as nodes may be left out; rows beyond `a` take what is
    left of the columns. With each branch go prices of its columns: any are right, and those of the branch from
    which it comes tell at once for most that nothing better is in them.
    """

    def __init__(self, tables: Matrices, saved: int, budget: SearchBudget, ways: Sequence[Sequence[int]]) -> None:
        # Imported here because few plans need it.
        import numpy as np

        self.best = saved
        self._budget = budget
        self._step = tables.step
        self._rows = tables.rows
        self._worth = tables.worth
        self._root = tables.allowed
        self._a = tables.a.copy()
        self._b = tables.b
        self._degree = (self._a + self._a.T).sum(1)
        # Edges of `a`, and pairs of nodes of `b` upon which they may still be laid.
        self._barred = np.zeros_like(self._a), np.ones_like(self._b)
        # Ways to lay `b` upon itself, and which nodes each of them moves.
        size = len(self._root)
        self._ways = np.array([[*places, *range(len(places), size)] for places in ways])
        self._moved = (self._ways != np.arange(size)).astype(np.float32)

    def grow(self, ours: Edges, theirs: Edges) -> None:
        """Look at all branches.

        Args:
            ours: Edges of `a` that look alike.
            theirs: Edges of `b` that look alike.

        Raises:
            NothingLeft: there are more than the budget allows; `best` is what was found.
        """
        if not self._rows:
            return
        self._budget.spend(1)
        many = [
            (edges, [others for others in theirs if self._root[edges[0], others[0]].all()])
            for edges in ours
            if 2 * len(edges) >= self._rows
        ]
        for edges, partners in sorted(many, key=lambda each: len(each[1])):
            self._settle(edges, partners)
        self._search(self._root[None])

    def _settle(self, edges: list[tuple[int, int]], partners: Edges) -> None:
        """Look at all branches in which one of the edges is matched; they count no more afterwards."""
        import numpy as np

        sources, targets = zip(*edges, strict=True)
        self._barred[0][:] = 0
        self._barred[1][:] = 1
        self._barred[0][sources, targets] = 1
        whole = self._narrowed(self._root[None], np.zeros((1, len(self._root))))[0]
        for others in partners:
            if not len(whole):
                return
            below = whole.copy()
            for row, column in zip(edges[0], others[0], strict=True):
                below = _fixed(below, row, column)
            self._search(below)
            self._barred[1][tuple(zip(*others, strict=True))] = 0
        self._a[sources, targets] = 0

    def _search(self, domains: Any) -> None:
        import numpy as np

        waiting = [(domains, np.zeros(domains.shape[:2]))]
        while waiting:
            domains, prices = waiting.pop()
            if not len(domains):
                continue
            if len(domains) > TOGETHER:
                waiting.append((domains[TOGETHER:], prices[TOGETHER:]))
                domains, prices = domains[:TOGETHER], prices[:TOGETHER]
            self._budget.spend(len(domains))
            waiting.append(self._divided(*self._narrowed(domains, prices)))

    def _narrowed(self, domains: Any, prices: Any) -> tuple[Any, Any, Any]:
        """Branches that may hold a better mapping, with fewer partners; their prices; what each pair reaches."""
        import numpy as np

        domains = self._unbarred(domains)
        savings = self._savings(domains)
        alive, domains = self._kept(domains, _limits(savings, prices))
        savings, prices = savings[alive], prices[alive]
        reach = np.zeros(domains.shape)
        for again in (False, True):
            if not len(domains):
                break
            if again:
                savings = self._savings(domains)
            else:
                savings[~domains] = NEVER
            prices, reach = self._reach(domains, savings)
            alive, domains = self._kept(domains, reach)
            savings, prices, reach = savings[alive], prices[alive], reach[alive]
        return domains, prices, reach

    def _unbarred(self, domains: Any) -> Any:
        """Branches without partners that would lay an edge upon one that is known not to be better."""
        edges, free = self._barred
        may = domains.astype(edges.dtype)
        left = domains & ~(edges @ (may @ free.T == 0) > 0)
        return left & ~(edges.T @ (may @ free == 0) > 0)

    def _kept(self, domains: Any, reach: Any) -> tuple[Any, Any]:
        """Whether each branch may hold a better mapping; those that do, less pairs that reach nothing better."""
        better = (self.best // self._step + 1) * self._step
        left = domains & (reach >= better)
        alive = left.any(2).all(1) & left.any(1).all(1)
        return alive, left[alive]

    def _reach(self, domains: Any, savings: Any) -> tuple[Any, Any]:
        """The prices of the best assignment, and the most that a mapping with each of the pairs saves.

        `best` becomes better where such a mapping was found.
        """
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        chosen = np.array([linear_sum_assignment(each, maximize=True)[1] for each in savings])
        gained = np.take_along_axis(savings, chosen[:, :, None], 2)
        self._note(domains, chosen)
        # Prices of the columns: shortest ways in the graph of exchanges, none longer than there are columns.
        lost = gained - savings
        prices = np.zeros(chosen.shape)
        for _ in range(len(self._worth)):
            lower = np.minimum(prices, (np.take_along_axis(prices, chosen, 1)[:, :, None] + lost).min(1))
            if (lower == prices).all():
                break
            prices = lower
        reduced = lost + np.take_along_axis(prices, chosen, 1)[:, :, None] - prices[:, None, :]
        return -prices, gained.sum(1)[:, :, None] - reduced

    def _savings(self, domains: Any) -> Any:
        """Most that each pair of nodes can save, its share of edges included."""
        import numpy as np

        may = domains.astype(np.float32)
        only = domains & (domains.sum(2) == 1)[:, :, None] & (domains.sum(1) == 1)[:, None, :]
        rows, columns = (only.any(axis).astype(np.float32) for axis in (2, 1))
        tenths: Any = 0
        for a, b, share in ((self._a, self._b, AT_SOURCE), (self._a.T, self._b.T, AT_TARGET)):
            ours, theirs = may @ b.T > 0, a @ may > 0
            open_rows, open_columns = (share + (10 - share) * settled for settled in (rows, columns))
            ours = np.where(
                rows[:, :, None] > 0, a @ (ours * (5 * rows)[:, :, None]), a @ (ours * open_rows[:, :, None])
            )
            theirs = np.where(
                columns[:, None, :] > 0,
                (theirs * (5 * columns)[:, None, :]) @ b.T,
                (theirs * open_columns[:, None, :]) @ b.T,
            )
            tenths = tenths + np.minimum(ours, theirs)
        savings = self._worth + 2 * UNIT // 10 * tenths.astype(float)
        savings[~domains] = NEVER
        return savings

    def _note(self, domains: Any, chosen: Any) -> None:
        """Count what the mappings save that were chosen from the domains."""
        import numpy as np

        matched = (self._a * self._b[chosen[:, :, None], chosen[:, None, :]]).sum((1, 2))
        worth = self._worth[np.arange(chosen.shape[1]), chosen].sum(1) + 2 * UNIT * matched
        allowed = np.take_along_axis(domains, chosen[:, :, None], 2).all((1, 2))
        if allowed.any():
            self.best = max(self.best, int(worth[allowed].max()))

    def _divided(self, domains: Any, prices: Any, reach: Any) -> tuple[Any, Any]:
        """A branch for each partner of the node that has fewest, the most promising first, and its prices."""
        import numpy as np

        count = domains[:, : self._rows].sum(2)
        open_ = (count > 1).any(1)
        domains, prices, reach, count = domains[open_], prices[open_], reach[open_], count[open_]
        busy = 1 - self._degree[: self._rows] / (1 + self._degree.max())
        row = np.where(count > 1, count + busy, np.inf).argmin(1)
        branch, column = np.nonzero(self._different(domains, row))
        order = np.argsort(-reach[branch, row[branch], column], kind="stable")
        branch, column = branch[order], column[order]
        return _fixed(domains[branch], row[branch], column), prices[branch]

    def _different(self, domains: Any, row: Any) -> Any:
        """The partners of a node in each branch, but only the first of those that look alike.

        They do where `b` can be laid upon itself so that one comes where the other was and all nodes stay that are
        settled. Where nothing better has one of them, nothing better has the others.
        """
        import numpy as np

        partners = domains[np.arange(len(domains)), row]
        settled = (domains & (domains.sum(2) == 1)[:, :, None]).any(1)
        stay = settled.astype(np.float32) @ self._moved.T == 0
        for n in np.flatnonzero(stay.sum(1) > 1):
            ways = self._ways[stay[n]]
            partners[n] &= partners[n][ways].all(0) & (ways.min(0) == np.arange(ways.shape[1]))
        return partners


def _fixed(domains: Any, row: Any, column: Any) -> Any:
    """Branches, each with one node's partner fixed; none where it may not be."""
    import numpy as np

    every = np.arange(len(domains))
    may = domains[every, row, column]
    domains[every, row] = False
    domains[every, :, column] = False
    domains[every, row, column] = may
    return domains


def _limits(savings: Any, prices: Any) -> Any:
    """Most that a mapping with each of the pairs saves; the better the prices of the columns, the closer."""
    lost = savings - prices[:, None, :]
    most = lost.max(2)
    lost = most[:, :, None] - lost
    less = lost.min(1)
    limit = prices.sum(1) + most.sum(1) - less.sum(1)
    return limit[:, None, None] - (lost - less[:, None, :])
