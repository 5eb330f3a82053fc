"""Two graphs as matrices, and good mappings found from ones drawn at random."""

import random
from dataclasses import dataclass
from typing import Any

from worktrial.suites.orchestration.scoring.distance.pairing import UNIT
from worktrial.suites.orchestration.scoring.distance.problem import Problem
from worktrial.suites.orchestration.scoring.distance.search import SearchBudget

STARTS = 200
"""Mappings drawn at random from which better ones are looked for."""
NEVER = -(10**11)
"""Saving of a pair that may not be made."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """Square matrices: rows are nodes of `a` in the order of the search, columns nodes of `b`.

    Columns beyond `b` stand for having no partner, as many as nodes may be left out; rows beyond `a` take what is
    left of the columns.
    """

    rows: int
    """Nodes of `a`."""
    worth: Any
    """Savings of pairs without their edges to others."""
    allowed: Any
    """Whether two may be partners."""
    a: Any
    """1 where an edge leads from the node of the row to that of the column, which is one of `a` too."""
    b: Any
    step: int
    """All savings are multiples of it."""

    def saved_by(self, chosen: Any) -> int:
        """Saving of a mapping, given as the column of each node of `a`."""
        matched = (self.a[: self.rows, : self.rows] * self.b[chosen][:, chosen]).sum()
        return int(self.worth[range(self.rows), chosen].sum() + 2 * UNIT * matched)

    def gains(self, chosen: Any) -> Any:
        """Savings of each pair if all other nodes kept their partners."""
        ours = self.a[: self.rows, : self.rows]
        matched = ours @ self.b[:, chosen].T + ours.T @ self.b[chosen]
        return self.worth[: self.rows] + 2 * UNIT * matched.astype(float)


def matrices(tables: Problem) -> Matrices:
    """The matrices of two graphs."""
    # Imported here because few plans need it.
    import numpy as np

    real = len(tables.entering)
    spares = {id(level.spare): level.spare for level in tables.levels}
    places = {}
    size = real
    for key, spare in spares.items():
        places[key] = slice(size, size + spare.nodes)
        size += spare.nodes
    worth, allowed = np.zeros((size, size)), np.ones((size, size), bool)
    a, b = np.zeros((size, size), np.float32), np.zeros((size, size), np.float32)
    for row, level in enumerate(tables.levels):
        base = np.array(level.base)
        allowed[row] = False
        allowed[row, :real] = base >= 0
        allowed[row, places[id(level.spare)]] = True
        worth[row, :real] = np.maximum(base, 0)
        a[level.entering, row] = 1
        a[row, level.leaving] = 1
    for column, mask in enumerate(tables.entering):
        b[[v for v in range(real) if mask >> v & 1], column] = 1
    return Matrices(len(tables.levels), worth, allowed, a, b, tables.step)


def climb(tables: Matrices, saved: int, budget: SearchBudget) -> int:
    """Saving of the best mapping found from some drawn at random, or the known one where that is more.

    All nodes of a kind change partners at once, as is best while the others keep theirs, as long as that helps.

    Raises:
        NothingLeft: the budget does not allow it.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    if not tables.rows:
        return saved
    allowed = tables.allowed[: tables.rows]
    kinds = [np.flatnonzero((allowed == each).all(1)) for each in np.unique(allowed, axis=0)]
    draw = random.Random(0)
    for _ in range(STARTS):
        chances = np.array([[draw.random() for _ in row] for row in allowed])
        chosen = linear_sum_assignment(np.where(allowed, chances, -tables.rows), maximize=True)[1]
        before, now = -1, tables.saved_by(chosen)
        while now > before:
            before = now
            for rows in kinds:
                budget.spend(1)
                gains = np.where(allowed, tables.gains(chosen), NEVER)[rows]
                gains[:, np.delete(chosen, rows)] = NEVER
                changed = chosen.copy()
                changed[rows] = linear_sum_assignment(gains, maximize=True)[1]
                if (better := tables.saved_by(changed)) > now:
                    chosen, now = changed, better
        saved = max(saved, now)
    return saved
