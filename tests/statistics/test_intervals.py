import json
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from tests.support.data import real_data_dir

from worktrial.statistics import Interval, wilson

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


@pytest.mark.parametrize("wrong", [(-1, 3), (4, 3), (0, -1), (1, 2, 0.0), (1, 2, 1.0), (1, 2, float("nan"))])
def test_refuses(wrong: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="must be between"):
        wilson(*wrong)


@pytest.mark.real_data
def test_half_width_at_the_published_rates() -> None:
    published = json.loads((real_data_dir() / "published" / "occubench.json").read_text("utf-8"))
    passes = [agent["overall_passes"] for agent in published["table2_E0"].values()]
    assert round(mean(100 * wilson(k, 382).half_width for k in passes), 1) == 4.7
    assert max(100 * wilson(k, 382).half_width for k in passes) < 5
