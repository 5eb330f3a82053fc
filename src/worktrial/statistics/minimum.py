"""Confidences for the ends of an interval of the smallest of several figures."""

from collections.abc import Sequence
from functools import lru_cache
from math import erf, sqrt
from typing import TYPE_CHECKING, Any

from worktrial.statistics.rates import normal_quantile

if TYPE_CHECKING:
    import numpy as np

_DRAWS = 8192
_LEAST = 0.05
"""Least confidence of an end."""


def minimum_confidences(
    values: Sequence[float], moved: Sequence[Sequence[float]], confidence: float
) -> tuple[float, float]:
    """Confidences of the figures' own intervals, so that those of their minimum hold.

    The minimum's lower end is the smallest of the figures' lower ends at the first confidence, its upper end
    the smallest of their upper ends at the second. Where one figure is far below the others, both are
    `confidence`. Where several are alike, the smallest of them is on average too small, so that the upper end
    needs more and the lower end less. How much follows from normal errors with the figures' correlations. How
    far they lie apart is not known either, so it is moved by a standard error to the safe side, up for the
    lower end and down for the upper (so D. W. K. Andrews and G. Soares, *Inference for parameters defined by
    moment inequalities*, Econometrica 78, 2010, decide what is near the smallest). Few clusters know little of
    correlations, moved likewise, to 1 and to 0. None is exact at ties and beside them (K. Hirano and J. R.
    Porter, *Impossibility results for nondifferentiable functionals*, Econometrica 80, 2012); with normal
    errors this one covers 94 to 98 %.

    Args:
        values: The figures.
        moved: For each figure by how much each cluster moves it.
        confidence: Of the minimum's interval, between 0 and 1, exclusive.
    """
    import numpy as np

    errors = np.asarray(moved, dtype=float)
    clusters = errors.shape[1]
    critical = normal_quantile(confidence)
    spread = np.sqrt((errors**2).sum(axis=1))
    if clusters < 2 or spread.min() <= 1e-12 * max(1.0, spread.max()):
        # Nothing shows how figures vary together: as if one decided, and as if all had to hold (Bonferroni).
        return confidence, 1 - (1 - confidence) / len(values)
    deviations = spread * sqrt(clusters / (clusters - 1))
    correlations = errors @ errors.T / np.outer(spread, spread)
    known = clusters / (clusters + critical * critical)
    apart = known * correlations + (1 - known) * np.eye(len(values))
    together = known * correlations + (1 - known)
    gaps = np.asarray(values, dtype=float) - min(values)
    to = int(np.argmin(values))
    between = deviations**2 + deviations[to] ** 2 - 2 * apart[to] * deviations * deviations[to]
    doubt = np.sqrt(np.maximum(0.0, between))
    tail = (1 - confidence) / 2
    low = np.quantile(_least(together, (gaps + doubt) / deviations), 1 - tail)
    high = -np.quantile(_least(apart, np.maximum(0.0, gaps - doubt) / deviations), tail)
    # Draws vary: neither end is easier or harder than any number of figures can make it.
    return tuple(  # type: ignore[return-value]
        min(1 - (1 - confidence) / len(values), max(_LEAST, erf(float(end) / sqrt(2)))) for end in (low, high)
    )


def _least(correlations: "np.ndarray[Any, Any]", gaps: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """The smallest of drawn errors, in standard deviations."""
    import numpy as np

    values, vectors = np.linalg.eigh(correlations)
    # The symmetric root, which does not depend on how equal figures are told apart.
    root = (vectors * np.sqrt(np.maximum(0.0, values))) @ vectors.T
    return (gaps + _normal(len(gaps)) @ root).min(axis=1)  # type: ignore[no-any-return]


@lru_cache(8)
def _normal(figures: int) -> "np.ndarray[Any, Any]":
    """Independent normal errors, the same in every process."""
    import numpy as np

    half = np.random.default_rng(0).standard_normal((_DRAWS // 2, figures))
    return np.vstack([half, -half])
