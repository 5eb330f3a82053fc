"""Strings and the recogniser's posteriors: how likely is a given text, under the same network output?"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-5
"""The least probability of a sign at a step: the network's zeros are not to be believed."""


def log_likelihood(posterior: NDArray[np.float32], classes: Sequence[Sequence[int]]) -> float:
    """Log-probability of a text, summed over all ways to spread it along the steps.

    Args:
        posterior: Steps x classes, class 0 is the empty one.
        classes: Per character, the classes that count as this character.
    """
    steps, n = len(posterior), len(classes)
    blank = np.log(np.maximum(posterior[:, 0], FLOOR))
    signs = np.stack([np.log(np.maximum(posterior[:, list(c)].sum(axis=1), FLOOR)) for c in classes], axis=1)
    # States: blank, first, blank, second, ... blank.
    state = np.full(2 * n + 1, -np.inf)
    state[0], state[1] = blank[0], signs[0, 0]
    same = np.array([False] + [set(classes[k]) == set(classes[k - 1]) for k in range(1, n)])
    for t in range(1, steps):
        stay = state
        one = np.concatenate([[-np.inf], state[:-1]])
        two = np.full(2 * n + 1, -np.inf)
        jump = np.concatenate([[-np.inf], state[1:-2:2]])
        two[1::2] = np.where(same, -np.inf, jump)
        state = np.logaddexp(np.logaddexp(stay, one), two)
        state[0::2] += blank[t]
        state[1::2] += signs[t]
    return float(np.logaddexp(state[-1], state[-2]))
