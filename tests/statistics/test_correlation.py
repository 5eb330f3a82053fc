"""Correlations beside scipy's, their intervals on known truth, and units that vary in nothing."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from worktrial.statistics.correlation import drawn_correlation, fisher_correlation

shares = st.floats(0, 1).map(lambda x: round(x, 3))


@given(st.lists(st.tuples(shares, shares), min_size=5, max_size=40))
def test_value_and_fisher_interval_are_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = zip(*pairs, strict=True)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    found, theirs = fisher_correlation(x, y), pearsonr(x, y)
    assert found.value == pytest.approx(theirs.statistic, abs=1e-9)
    assert drawn_correlation(x, y).value == found.value
    assert found.n == len(pairs)
    if found.interval is not None:
        wanted = theirs.confidence_interval()
        assert found.interval == pytest.approx((wanted.low, wanted.high), abs=1e-6)


@pytest.mark.parametrize(("x", "n"), [([0.5] * 12, 12), ([], 0), ([0.3], 1)])
def test_there_is_none_without_variation(x: list[float], n: int) -> None:
    for found in (drawn_correlation(x, [i / 20 for i in range(n)]), fisher_correlation(x, x)):
        assert (found.value, found.interval, found.n) == (None, None, n)


def test_few_units_and_perfect_ones_have_no_interval_without_width() -> None:
    x, y = [0.1, 0.4, 0.3], [0.2, 0.1, 0.9]
    assert drawn_correlation(x * 3, y * 3).interval is None, "nine units"
    assert drawn_correlation(x * 4, y * 4).interval is not None
    assert fisher_correlation(x, y).interval is None
    line = [i / 12 for i in range(12)]
    for found in (drawn_correlation(line, line), fisher_correlation(line, line)):
        assert found.value == pytest.approx(1)
        assert found.interval is None
    with pytest.raises(ValueError, match="same units; got 3 and 2"):
        fisher_correlation(x, y[:2])


@pytest.mark.parametrize("truth", [0.0, 0.6])
def test_intervals_cover_the_truth(truth: float) -> None:
    random = np.random.default_rng(5)
    hits = {drawn_correlation: 0, fisher_correlation: 0}
    for _ in range(300):
        x = random.normal(size=60)
        y = truth * x + (1 - truth**2) ** 0.5 * random.normal(size=60)
        for estimate in hits:
            interval = estimate(list(x), list(y)).interval
            assert interval is not None
            hits[estimate] += interval.low <= truth <= interval.high
    assert min(hits.values()) >= 270, "nine in ten at least, of nominal 95 in 100"
    assert hits[fisher_correlation] <= 298
