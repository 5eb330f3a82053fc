"""Branch and bound over domains: which partners each node may still have, for many branches at once.

Made for small graphs with many edges, in which many mappings are nearly as good as the best. What a pair of nodes
can save counts only those neighbours that may still be partners of each other. The assignment problem over these
savings limits what a branch can reach (Gilmore, 1962; Lawler, 1963), and its reduced costs take partners away that
no better mapping has; that lowers the limit again, so that it is done until nothing changes.

All numbers are whole and far below 2**53, so that floating point is exact and the same on every machine.
"""

from collections.abc import Sequence
from typing import Any

from worktrial.suites.orchestration.scoring.distance.pairing import UNIT
from worktrial.suites.orchestration.scoring.distance.problem import Problem
from worktrial.suites.orchestration.scoring.distance.search import Found, NothingLeft, SearchBudget

MOST_BY_DOMAINS = 24
"""Nodes of the larger graph: those of twelve workflows and twelve steps. With more the limit is too weak."""
BRANCHES = 20
"""Branches that count as one node of a search: they are cheap, as many are looked at together."""
TOGETHER = 256
ROUNDS = 6
"""Most times that partners are taken away from a branch before it is divided."""
AT_SOURCE, AT_TARGET = 3, 7
"""Tenths of an edge's saving that count at either end while both are open. Chosen on one
pair of plans of twelve workflows in circles: 123,835 branches, and 162,429 with equal shares."""
_NEVER = -(10**11)


def search_domains(tables: Problem, saved: int, budget: SearchBudget, orbits: Sequence[int]) -> Found:
    """The most that a mapping saves.

    Args:
        tables: The two graphs.
        saved: What a known mapping saves.
        budget: How many branches to look at.
        orbits: For each node of `b`, the first that it looks like. One node of `a` need not be mapped to the
            others that look alike.
    """
    tree = _Domains(tables, saved, budget, orbits)
    try:
        tree.grow()
    except NothingLeft:
        return Found(tree.best, exact=False)
    return Found(tree.best, exact=True)


class _Domains:
    """Branches as stacks of square matrices: rows are nodes of `a`, columns nodes of `b`, true where partners.

    Columns beyond `b` stand for having no partner, as many as nodes may be left out; rows beyond `a` take what is
    left of the columns.
    """

    def __init__(self, tables: Problem, saved: int, budget: SearchBudget, orbits: Sequence[int]) -> None:
        # Imported here because few plans need it.
        import numpy as np

        self.best = saved
        self._budget = budget
        self._orbits = orbits
        self._step = tables.step
        self._rows = len(tables.levels)
        real = len(tables.entering)
        spares = {id(level.spare): level.spare for level in tables.levels}
        places = {}
        size = real
        for key, spare in spares.items():
            places[key] = slice(size, size + spare.nodes)
            size += spare.nodes
        self._worth = np.zeros((size, size))
        self._root = np.ones((size, size), bool)
        self._a = np.zeros((size, size), np.float32)
        self._b = np.zeros((size, size), np.float32)
        for row, level in enumerate(tables.levels):
            base = np.array(level.base)
            self._root[row] = False
            self._root[row, :real] = base >= 0
            self._root[row, places[id(level.spare)]] = True
            self._worth[row, :real] = np.maximum(base, 0)
            self._a[level.entering, row] = 1
            self._a[row, level.leaving] = 1
        for column, mask in enumerate(tables.entering):
            self._b[[v for v in range(real) if mask >> v & 1], column] = 1
        self._degree = (self._a + self._a.T).sum(1)
        # Tenths of an edge that count at this end, by whether this end and the other are settled.
        self._shares = [np.array([[share, 10], [0, 5]], np.float32) for share in (AT_SOURCE, AT_TARGET)]

    def grow(self) -> None:
        """Look at all branches.

        Raises:
            NothingLeft: there are more than the budget allows; `best` is what was found.
        """
        if not self._rows:
            return
        self._budget.spend(1)
        waiting = [self._first()]
        while waiting:
            domains = waiting.pop()
            if not len(domains):
                continue
            if len(domains) > TOGETHER:
                waiting.append(domains[TOGETHER:])
                domains = domains[:TOGETHER]
            self._budget.spend(len(domains))
            waiting.append(self._divided(*self._narrowed(domains)))

    def _first(self) -> Any:
        """All mappings as one branch, but for one node only one partner of those that look alike.

        Where no better mapping has the first of them, none has another.
        """
        import numpy as np

        domains = self._narrowed(self._root[None])[0]
        if len(domains):
            others = [column for column, first in enumerate(self._orbits) if column != first]
            row = np.argmax(domains[0, : self._rows, others].sum(0))
            domains[0, row, others] = False
        return domains

    def _narrowed(self, domains: Any) -> tuple[Any, Any]:
        """Branches that may hold a better mapping, with fewer partners, and what each pair reaches at most."""
        for _ in range(ROUNDS):
            reach = self._reach(domains)
            better = (self.best // self._step + 1) * self._step
            left = domains & (reach >= better)
            alive = left.any(2).all(1) & left.any(1).all(1)
            changed = (left != domains)[alive].any()
            domains, reach = left[alive], reach[alive]
            if not len(domains) or not changed:
                break
        return domains, reach

    def _reach(self, domains: Any) -> Any:
        """The most that a mapping with each of the pairs saves; `best` becomes better where one was found."""
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        savings = np.where(domains, self._savings(domains), _NEVER)
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
        return gained.sum(1)[:, :, None] - reduced

    def _savings(self, domains: Any) -> Any:
        """Most that each pair of nodes can save, its share of edges included."""
        import numpy as np

        may = domains.astype(np.float32)
        only = domains & (domains.sum(2) == 1)[:, :, None] & (domains.sum(1) == 1)[:, None, :]
        rows, columns = only.any(2).astype(int), only.any(1).astype(int)
        tenths: Any = 0
        for a, b, shares in ((self._a, self._b, self._shares[0]), (self._a.T, self._b.T, self._shares[1])):
            ours = a * shares[rows[:, :, None], rows[:, None, :]] @ (may @ b.T > 0)
            theirs = (a @ may > 0) @ (b * shares[columns[:, :, None], columns[:, None, :]]).swapaxes(1, 2)
            tenths = tenths + np.minimum(ours, theirs)
        return self._worth + 2 * UNIT // 10 * tenths.astype(float)

    def _note(self, domains: Any, chosen: Any) -> None:
        """Count what the mappings save that were chosen from the domains."""
        import numpy as np

        matched = (self._a * self._b[chosen[:, :, None], chosen[:, None, :]]).sum((1, 2))
        worth = self._worth[np.arange(chosen.shape[1]), chosen].sum(1) + 2 * UNIT * matched
        allowed = np.take_along_axis(domains, chosen[:, :, None], 2).all((1, 2))
        if allowed.any():
            self.best = max(self.best, int(worth[allowed].max()))

    def _divided(self, domains: Any, reach: Any) -> Any:
        """A branch for each partner of the node that has fewest, the most promising first."""
        import numpy as np

        count = domains[:, : self._rows].sum(2)
        open_ = (count > 1).any(1)
        domains, reach, count = domains[open_], reach[open_], count[open_]
        busy = 1 - self._degree[: self._rows] / (1 + self._degree.max())
        row = np.where(count > 1, count + busy, np.inf).argmin(1)
        branch, column = np.nonzero(domains[np.arange(len(domains)), row])
        order = np.argsort(-reach[branch, row[branch], column], kind="stable")
        branch, column = branch[order], column[order]
        row = row[branch]
        below = domains[branch]
        every = np.arange(len(below))
        below[every, row] = False
        below[every, :, column] = False
        below[every, row, column] = True
        return below
