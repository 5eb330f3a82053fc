import json
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from tests.statistics.oracles import statsmodels_clopper_pearson
from tests.support.data import real_data_dir

from worktrial.statistics import Interval, clopper_pearson, wilson

counts = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.floats(0.001, 0.999999)


@given(counts, confidences)
def test_contains_the_rate_and_stays_within_bounds(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = wilson(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1


@given(counts, confidences, confidences)
def test_more_confidence_is_wider(count: tuple[int, int], a: float, b: float) -> None:
    narrow, wide = wilson(*count, min(a, b)), wilson(*count, max(a, b))
    assert wide.low <= narrow.low + 1e-15
    assert narrow.high <= wide.high + 1e-15


@given(counts, confidences, st.integers(2, 50))
def test_more_samples_at_the_same_rate_are_narrower(count: tuple[int, int], confidence: float, times: int) -> None:
    successes, n = count
    more = wilson(successes * times, n * times, confidence)
    assert more.half_width < wilson(successes, n, confidence).half_width


@given(counts, confidences)
def test_successes_and_failures_mirror_each_other(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = wilson(successes, n, confidence)
    assert wilson(n - successes, n, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-15)


@given(counts, confidences)
def test_same_as_scipy(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    oracle = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx((oracle.low, oracle.high), rel=1e-9, abs=1e-12)


def test_ends_are_exact() -> None:
    assert wilson(0, 10).low == 0.0
    assert wilson(10, 10).high == 1.0
    assert wilson(0, 10).high == pytest.approx(0.27753, abs=1e-5)
    assert wilson(1, 10**15).low > 0
    assert wilson(0, 1, 1 - 1e-16) == pytest.approx((0, 1), abs=0.02)
    assert wilson(0, 0) == Interval(0.0, 1.0)


@given(counts, st.floats(0.01, 0.9999))
def test_exact_interval_is_the_same_as_scipy_and_statsmodels(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    found = clopper_pearson(successes, n, confidence)
    oracle = binomtest(successes, n).proportion_ci(confidence, method="exact")
    assert found == pytest.approx((oracle.low, oracle.high), rel=1e-6, abs=1e-9)
    assert found == pytest.approx(statsmodels_clopper_pearson(successes, n, confidence), rel=1e-9, abs=1e-12)


@given(counts, st.floats(0.01, 0.9999))
def test_exact_interval_contains_the_rate_and_mirrors(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = clopper_pearson(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1
    mirrored = clopper_pearson(n - successes, n, confidence)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize("n", [1, 7, 30])
def test_exact_interval_never_contains_the_truth_too_seldom(n: int) -> None:
    exact = [clopper_pearson(k, n) for k in range(n + 1)]
    score = [wilson(k, n) for k in range(n + 1)]
    covered, score_covered = [], []
    for step in range(1, 200):
        truth = step / 200
        chances = binom.pmf(range(n + 1), n, truth)
        covered.append(sum(p for p, (low, high) in zip(chances, exact, strict=True) if low <= truth <= high))
        score_covered.append(sum(p for p, (low, high) in zip(chances, score, strict=True) if low <= truth <= high))
    assert min(covered) >= 0.95
    # Wilson's keeps its promise on average only.
    assert min(score_covered) < 0.95
    assert mean(score_covered) == pytest.approx(0.95, abs=0.03)


def test_exact_interval_at_the_ends() -> None:
    # The rule of three: nothing in n trials leaves up to about 3.7 / n at 95 % two-sided.
    assert clopper_pearson(0, 10) == pytest.approx((0, 1 - 0.025**0.1))
    assert clopper_pearson(10, 10) == pytest.approx((0.025**0.1, 1))
    assert clopper_pearson(0, 0) == Interval(0.0, 1.0)
    assert clopper_pearson(7, 20).half_width > wilson(7, 20).half_width


@pytest.mark.parametrize("wrong", [(-1, 3), (4, 3), (0, -1), (1, 2, 0.0), (1, 2, 1.0), (1, 2, float("nan"))])
def test_refuses(wrong: tuple[int, int]) -> None:
    for interval in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match="must be between"):
            interval(*wrong)


@pytest.mark.real_data
def test_half_width_at_the_published_rates() -> None:
    published = json.loads((real_data_dir() / "published" / "occubench.json").read_text("utf-8"))
    passes = [agent["overall_passes"] for agent in published["table2_E0"].values()]
    assert round(mean(100 * wilson(k, 382).half_width for k in passes), 1) == 4.7
    assert max(100 * wilson(k, 382).half_width for k in passes) < 5
