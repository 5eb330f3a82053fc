import json
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint
from tests.support.data import real_data_dir

from worktrial.statistics import Interval, agresti_coull

counts = st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.floats(0.001, 0.999999)


@given(counts, confidences)
def test_contains_the_rate_and_stays_within_bounds(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = agresti_coull(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1


@given(counts, confidences, confidences)
def test_more_confidence_is_wider(count: tuple[int, int], a: float, b: float) -> None:
    narrow, wide = agresti_coull(*count, min(a, b)), agresti_coull(*count, max(a, b))
    assert wide.low <= narrow.low + 1e-15
    assert narrow.high <= wide.high + 1e-15


@given(counts, confidences, st.integers(2, 50))
def test_more_samples_at_the_same_rate_are_narrower(count: tuple[int, int], confidence: float, times: int) -> None:
    successes, n = count
    more = agresti_coull(successes * times, n * times, confidence)
    assert more.half_width < agresti_coull(successes, n, confidence).half_width


@given(counts, confidences)
def test_successes_and_failures_mirror_each_other(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = agresti_coull(successes, n, confidence)
    assert agresti_coull(n - successes, n, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-15)


@given(counts, confidences)
def test_same_as_statsmodels(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    low, high = agresti_coull(successes, n, confidence)
    oracle = proportion_confint(successes, n, 1 - confidence, method="agresti_coull")
    if n >= 10 and oracle[0] > 0:
        assert low == pytest.approx(oracle[0], rel=1e-6, abs=1e-12)
    if n >= 10 and oracle[1] < 1:
        assert high == pytest.approx(oracle[1], rel=1e-6, abs=1e-12)


@given(counts, confidences)
def test_never_narrower_than_wilsons(count: tuple[int, int], confidence: float) -> None:
    successes, n = count
    found, wilson = agresti_coull(*count, confidence), binomtest(*count).proportion_ci(confidence, method="wilson")
    if 2 <= successes <= n - 2:
        assert found.low <= wilson.low + 1e-12 and wilson.high <= found.high + 1e-12


@pytest.mark.parametrize("count", [(1, 3), (5, 6), (8, 9), (1, 43), (999, 1000)])
def test_few_samples_and_ends_by_mid_p(count: tuple[int, int]) -> None:
    low, high = agresti_coull(*count)
    successes, n = count
    for end, least in ((low, successes), (1 - high, n - successes)):
        # Where it is the exact one: as many or more, those beyond counted whole, have half of 5 %.
        exact = binom.sf(least, n, end) + binom.pmf(least, n, end) / 2
        assert exact == pytest.approx(0.025, rel=1e-6) or exact < 0.025


@pytest.mark.parametrize("n", [6, 12, 21, 50, 100])
def test_covers_the_rates_that_wilsons_misses(n: int) -> None:
    """At 6 samples and a rate of .97 Wilson's interval covers 83 %, at 50 samples and .988 91 %."""
    intervals = [agresti_coull(k, n) for k in range(n + 1)]
    rates = [rate / 1000 for rate in range(5, 1000, 5)]
    chances = binom.pmf(np.arange(n + 1)[:, None], n, rates)
    covered = [
        sum(chance for chance, (low, high) in zip(of, intervals, strict=True) if low <= rate <= high)
        for rate, of in zip(rates, chances.T, strict=True)
    ]
    assert min(covered) > (0.91 if n < 12 else 0.92 if n < 20 else 0.93)
    assert sum(share < 0.93 for share in covered) <= 0.04 * len(covered)


def test_ends_are_exact() -> None:
    assert agresti_coull(0, 10).low == 0.0
    assert agresti_coull(10, 10).high == 1.0
    assert agresti_coull(0, 10).high == pytest.approx(0.32088, abs=1e-5)
    assert 0 < agresti_coull(1, 10**12).low < 1e-12
    assert agresti_coull(0, 1, 1 - 1e-16) == pytest.approx((0, 1), abs=0.02)
    assert agresti_coull(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize("wrong", [(-1, 3), (4, 3), (0, -1), (1, 2, 0.0), (1, 2, 1.0), (1, 2, float("nan"))])
def test_refuses(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must be between"):
        agresti_coull(*wrong)


@pytest.mark.real_data
def test_half_width_at_the_published_rates() -> None:
    published = json.loads((real_data_dir() / "published" / "occubench.json").read_text("utf-8"))
    passes = [agent["overall_passes"] for agent in published["table2_E0"].values()]
    assert round(mean(100 * agresti_coull(k, 382).half_width for k in passes), 1) == 4.7
    assert max(100 * agresti_coull(k, 382).half_width for k in passes) < 5
