"""A classifier of small pictures, fitted on one page: linear discriminants with a shrunken covariance."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int_]

FEWEST = 4
"""Examples that a class needs."""
SHRINK = 0.25
"""Share of the common covariance that is replaced by a sphere: there are few examples per pixel."""


class Shapes:
    """Tells classes of pictures apart."""

    def __init__(self, pictures: Floats, labels: Ints, weights: Floats, classes: int) -> None:
        """Fit.

        Args:
            pictures: One flat picture a row.
            labels: Class of each, 0 to `classes` - 1.
            weights: How much each counts; 0 leaves one out.
            classes: How many classes there are; those with too few examples are never answered.
        """
        keep = weights > 0
        x, y, w = pictures[keep], labels[keep], weights[keep]
        size = pictures.shape[1]
        self.known = np.zeros(classes, bool)
        self._centres = np.zeros((classes, size), np.float32)
        spread = np.zeros((size, size), np.float32)
        for label in range(classes):
            mine = y == label
            if int(mine.sum()) < FEWEST:
                continue
            self.known[label] = True
            self._centres[label] = np.average(x[mine], axis=0, weights=w[mine])
            off = (x[mine] - self._centres[label]) * np.sqrt(w[mine])[:, None]
            spread += off.T @ off
        spread /= max(float(w.sum()), 1e-9)
        level = float(np.trace(spread)) / size + 1e-9
        spread = (1 - SHRINK) * spread + SHRINK * level * np.eye(size, dtype=np.float32)
        self._weights = np.linalg.solve(spread, self._centres.T).astype(np.float32)
        self._bias = -0.5 * (self._centres.T * self._weights).sum(axis=0)
        self.softness = 1.0

    def scores(self, pictures: Floats) -> Floats:
        """Log-odds before softening, -inf for classes that were not learnt."""
        raw = pictures @ self._weights + self._bias
        return np.where(self.known, raw, np.float32(-np.inf))

    def log_odds(self, pictures: Floats) -> Floats:
        """Log-probability of each class per picture."""
        return log_softmax(self.scores(pictures) * np.float32(self.softness))


def log_softmax(scores: Floats) -> Floats:
    """Rows of log-probabilities."""
    top = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(top - np.log(np.exp(top).sum(axis=1, keepdims=True)), dtype=np.float32)


def best_softness(scores: list[Floats], labels: list[Ints], weights: list[Floats]) -> float:
    """The factor under which held-out labels are likeliest: raw discriminants are far too sure."""
    best, best_loss = 0.05, np.inf
    for factor in (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0):
        loss = 0.0
        for score, label, weight in zip(scores, labels, weights, strict=True):
            odds = log_softmax(score * np.float32(factor))[np.arange(len(label)), label]
            # A wrong label costs a bounded amount, or a few of them would blur everything.
            loss -= float((np.maximum(odds, -6.0) * weight).sum())
        if loss < best_loss:
            best, best_loss = factor, loss
    return best
