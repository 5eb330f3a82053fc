import math
import random

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.oracles import statsmodels_mcnemar

from worktrial.statistics import mcnemar, sign_flip

counts = st.integers(0, 400)
few = st.lists(st.integers(-4, 4), min_size=2, max_size=9)


@given(counts, counts)
def test_mcnemar_is_the_same_as_statsmodels_and_a_binomial_test(a: int, b: int) -> None:
    found = mcnemar(a, b)
    assert found == pytest.approx(min(1, statsmodels_mcnemar(a, b)), rel=1e-9)
    assert found == pytest.approx(scipy.stats.binomtest(a, a + b).pvalue if a + b else 1, rel=1e-9)


@given(counts, counts)
def test_mcnemar_is_symmetric_and_falls_with_the_gap(a: int, b: int) -> None:
    assert 0 < mcnemar(a, b) <= 1
    assert mcnemar(a, b) == mcnemar(b, a)
    low, high = sorted((a, b))
    assert mcnemar(low, high + 1) <= mcnemar(low, high) or low == high


def test_mcnemar_by_hand() -> None:
    # One of six one way: twice (1 + 6) of 64.
    assert mcnemar(1, 5) == pytest.approx(14 / 64)
    assert mcnemar(0, 5) == pytest.approx(2 / 32)
    assert mcnemar(0, 0) == mcnemar(7, 7) == 1
    assert mcnemar(10_000, 11_000) == pytest.approx(scipy.stats.binomtest(10_000, 21_000).pvalue)
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


@pytest.mark.parametrize("n", [5, 17, 60])
def test_mcnemar_never_exceeds_its_level(n: int) -> None:
    """Without a difference the chance of p <= 5 % is at most 5 %, whatever the number of differing tasks."""
    chance = sum(math.comb(n, k) for k in range(n + 1) if mcnemar(k, n - k) <= 0.05) / 2**n
    assert 0.01 < chance <= 0.05 or n == 5


@settings(deadline=None, max_examples=60)
@given(few)
def test_few_clusters_are_the_same_as_scipy_by_enumeration(differences: list[int]) -> None:
    oracle = scipy.stats.permutation_test(
        (np.array(differences, dtype=float),),
        lambda x, axis=-1: np.abs(x.sum(axis=axis)),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    )
    assert sign_flip(differences) == pytest.approx(float(oracle.pvalue))


def test_fisher_compared_darwins_maize() -> None:
    """The design of experiments, section 21: 863 of the 32,768 arrangements lie so far out on the one side."""
    eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    assert sign_flip(eighths) == 2 * 863 / 32_768


@given(counts.filter(lambda n: n <= 16), counts.filter(lambda n: n <= 16))
def test_single_outcomes_are_mcnemars_test(a: int, b: int) -> None:
    p = sign_flip([1] * a + [-1] * b, draws=20_000)
    if a + b <= 16:
        assert p == pytest.approx(mcnemar(a, b))
    else:
        assert p == pytest.approx(mcnemar(a, b), abs=0.016)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.randoms())
def test_neither_order_nor_side_nor_zeros_matter(differences: list[float], order: random.Random) -> None:
    found = sign_flip(differences, draws=200)
    shuffled = [*differences, 0.0, 0.0]
    order.shuffle(shuffled)
    assert 0 < found <= 1
    assert sign_flip(shuffled, draws=200) == found
    assert sign_flip([-d for d in differences], draws=200) == found


def test_drawn_signs_come_near_the_exact_value() -> None:
    differences = [3] * 12 + [-1] * 14 + [-2] * 4
    # The exact distribution of the sum, as a polynomial.
    ways = {0: 1}
    for size in map(abs, differences):
        ways = {s: ways.get(s - size, 0) + ways.get(s + size, 0) for k in ways for s in (k - size, k + size)}
    exact = sum(w for s, w in ways.items() if abs(s) >= abs(sum(differences))) / 2 ** len(differences)
    assert sign_flip(differences, draws=40_000) == pytest.approx(exact, abs=0.01)
    assert sign_flip(differences) == sign_flip(differences)
    assert sign_flip(differences, seed=1) != sign_flip(differences)


def test_p_is_never_zero() -> None:
    assert sign_flip([1.0] * 100, draws=999) == 1 / 1000
    assert sign_flip([]) == sign_flip([0, 0]) == 1
    # A tenth has no exact binary form: sums that should be equal are, too.
    assert sign_flip([0.1, 0.2, -0.3]) == 1


@pytest.mark.parametrize(("differences", "draws"), [([math.nan], 10), ([math.inf, 1], 10), ([1], 0)])
def test_refuses(differences: list[float], draws: int) -> None:
    with pytest.raises(ValueError, match=r"finite|draws"):
        sign_flip(differences, draws=draws)
