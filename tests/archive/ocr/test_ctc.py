import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.archive.ocr.texts import log_likelihoods


def by_all_ways(posterior: np.ndarray, text: tuple[int, ...]) -> float:
    steps, classes = posterior.shape
    total = 0.0
    for way in product(range(classes), repeat=steps):
        joined = [c for i, c in enumerate(way) if i == 0 or c != way[i - 1]]
        if tuple(c for c in joined if c) == text:
            total += math.prod(posterior[t, c] for t, c in enumerate(way))
    return total


@given(
    st.integers(0, 10_000), st.lists(st.lists(st.integers(1, 2), min_size=1, max_size=3), min_size=1, max_size=4)
)
def test_the_likelihood_is_the_sum_over_all_ways_to_spread_a_text_whatever_is_asked_beside_it(seed, texts):
    draw = np.random.default_rng(seed)
    posterior = draw.dirichlet(np.ones(3), size=6).astype(np.float32) * 0.99 + 0.0033
    found = log_likelihoods(posterior, [[[c] for c in text] for text in texts])
    expected = [math.log(by_all_ways(posterior, tuple(text))) for text in texts]
    assert found == pytest.approx(expected, abs=1e-3)
