"""Calibration: weights of the evidence for a number, and their worth on pages that they were not fitted to."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lab.scoring.numbers import Recall
from lab.scoring.reliability import ReadNumber
from worktrial.archive.chances import CONSTANT, SLOPE
from worktrial.archive.meaning.trust import amounts

Floats = npt.NDArray[np.float64]

_STEPS = 50


class FittedWeights(NamedTuple):
    """Weights of all that is known of a number, in log odds."""

    constant: float
    recognised: float
    """Of the log odds of the recogniser's confidence."""
    holds: float
    fails: float
    misfit: float


_PENALTY = np.diag([0.0, *[0.5] * (len(FittedWeights._fields) - 1)])
"""Ridge on all weights but the constant, so that evidence that is never wrong keeps a finite one."""


def fit(numbers: Sequence[ReadNumber]) -> FittedWeights:
    """Fit the weights of `chances.py` and `meaning/trust.py`: penalised logistic regression by Newton's method.

    Args:
        numbers: Recognised ones; of a file's own characters there is nothing to fit. Those of pages whose layout is
            doubtful are left out: see `earned`.
    """
    numbers = [one for one in numbers if not one.evidence.irregular]
    told, right = _told(numbers), np.array([one.right for one in numbers], dtype=np.float64)
    weights: Floats = np.zeros(told.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-told @ weights))
        curve = (told * (chances * (1 - chances))[:, None]).T @ told + _PENALTY
        weights = weights + np.linalg.solve(curve, told.T @ (right - chances) - _PENALTY @ weights)
    return FittedWeights(*(round(float(weight), 3) for weight in weights))


def calibrated(numbers: Sequence[ReadNumber], weights: FittedWeights) -> list[ReadNumber]:
    """The numbers, each as sure as these weights make it."""
    chances = 1 / (1 + np.exp(-_told(numbers) @ np.array(weights)))
    return [replace(one, confidence=float(sure)) for one, sure in zip(numbers, chances, strict=True)]


def _told(numbers: Sequence[ReadNumber]) -> Floats:
    stated = np.array([one.evidence.stated for one in numbers])
    # An archive has the chance that was made of the recogniser's confidence; this is that confidence again.
    recognised = (np.log(stated / (1 - stated)) - CONSTANT) / SLOPE
    return np.column_stack([np.ones(len(stated)), recognised, [amounts(one.evidence) for one in numbers]])


def earned(numbers: Sequence[ReadNumber]) -> Recall:
    """Numbers right out of those that nothing proves, on pages whose layout is doubtful."""
    unproven = [one.right for one in numbers if one.evidence.unproven]
    return Recall(sum(unproven), len(unproven))


def left_out(pages: Sequence[Sequence[ReadNumber]]) -> list[ReadNumber]:
    """The numbers of all pages, each page by weights fitted to the others."""
    return [
        one
        for n, page in enumerate(pages)
        for one in calibrated(page, fit([own for k, other in enumerate(pages) if k != n for own in other]))
    ]


def log_loss(numbers: Sequence[ReadNumber]) -> float:
    """Mean negative logarithm of the chance given to what is the case, in nats."""
    chances = np.clip([one.confidence if one.right else 1 - one.confidence for one in numbers], 1e-6, 1.0)
    return float(-np.log(chances).mean())
