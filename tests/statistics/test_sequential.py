from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import beta as beta_function

from worktrial.statistics import Band, Interval, Side, agresti_coull, confidence_sequence

counts = st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.floats(0.01, 0.9999)
rates = st.floats(0, 1)


@given(counts, confidences)
def test_contains_the_share_and_stays_within_bounds(count: tuple[int, int], confidence: float) -> None:
    low, high = confidence_sequence(*count, confidence)
    assert 0 <= low <= count[0] / count[1] + 1e-12
    assert count[0] / count[1] - 1e-12 <= high <= 1


@given(counts, confidences)
def test_failures_mirror_successes(count: tuple[int, int], confidence: float) -> None:
    s, n = count
    one, other = confidence_sequence(s, n, confidence), confidence_sequence(n - s, n, confidence)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)
    assert one.high == pytest.approx(1 - other.low, abs=1e-12)


@given(counts, confidences, confidences)
def test_more_confidence_is_wider(count: tuple[int, int], a: float, b: float) -> None:
    narrow, wide = confidence_sequence(*count, min(a, b)), confidence_sequence(*count, max(a, b))
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high <= wide.high + 1e-12


@given(st.integers(0, 200), st.integers(1, 200), st.floats(0.5, 0.99))
def test_its_ends_are_where_the_mixture_beats_the_rate_by_so_much(s: int, more: int, confidence: float) -> None:
    n = s + more
    high = confidence_sequence(s, n, confidence).high
    mixture = beta_function(s + 0.5, n - s + 0.5) / beta_function(0.5, 0.5)
    likelihood = high**s * (1 - high) ** (n - s)
    if mixture > 1e-280 and likelihood > 1e-280:
        assert mixture / likelihood == pytest.approx(1 / (1 - confidence), rel=1e-5)


def test_is_wider_than_an_interval_for_one_look() -> None:
    for passed, n in ((0, 8), (4, 8), (8, 8), (12, 24)):
        known, fixed = confidence_sequence(passed, n, 0.95), agresti_coull(passed, n, 0.95)
        assert known.high - known.low > fixed.high - fixed.low


def _ever_outside(rate: float, confidence: float, most: int) -> float:
    """Exact probability that the range misses the true rate at any of `most` looks."""
    going, missed = {0: 1.0}, 0.0
    for n in range(1, most + 1):
        after: dict[int, float] = {}
        for passed, weight in going.items():
            for step, share in ((1, rate), (0, 1 - rate)):
                after[passed + step] = after.get(passed + step, 0.0) + weight * share
        going = {}
        for passed, weight in after.items():
            low, high = confidence_sequence(passed, n, confidence)
            if low <= rate <= high:
                going[passed] = weight
            else:
                missed += weight
    return missed


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("rate", [0.0, 0.02, 0.2, 0.5, 0.7, 0.95, 1.0])
def test_looking_after_every_trial_does_not_break_it(rate: float, confidence: float) -> None:
    assert _ever_outside(rate, confidence, 150) <= 1 - confidence


def test_looking_after_every_trial_breaks_an_interval_for_one_look() -> None:
    # The reason for all of this: 5 % become 25 % in 60 looks.
    going, missed, rate = {0: 1.0}, 0.0, 0.5
    for n in range(1, 61):
        after: dict[int, float] = {}
        for passed, weight in going.items():
            for step in (0, 1):
                after[passed + step] = after.get(passed + step, 0.0) + weight / 2
        inside = {p: w for p, w in after.items() if agresti_coull(p, n).low <= rate <= agresti_coull(p, n).high}
        missed += sum(after.values()) - sum(inside.values())
        going = inside
    assert missed > 0.2


def test_without_a_trial_nothing_is_known() -> None:
    assert confidence_sequence(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("passed", "n", "confidence"), [(3, 2, 0.9), (-1, 2, 0.9), (1, 2, 0.0), (1, 2, 1.0)])
def test_refuses_nonsense(passed: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="must be between"):
        confidence_sequence(passed, n, confidence)


def test_sides_of_a_band() -> None:
    band = Band(low_out=0.1, low_in=0.3, high_in=0.7, high_out=0.9)
    assert band.side(Interval(0.2, 0.8)) is Side.INSIDE
    assert band.side(Interval(0.0, 0.25)) is Side.BELOW
    assert band.side(Interval(0.75, 1.0)) is Side.ABOVE
    assert band.side(Interval(0.05, 0.8)) is Side.UNDECIDED
    assert band.side(Interval(0.2, 0.95)) is Side.UNDECIDED
    assert Band().side(Interval(0.0, 1.0)) is Side.INSIDE


@given(rates, rates)
def test_an_interval_is_never_on_a_side_that_it_does_not_touch(a: float, b: float) -> None:
    known, band = Interval(min(a, b), max(a, b)), Band(0.1, 0.3, 0.7, 0.9)
    match band.side(known):
        case Side.BELOW:
            assert known.high < 0.3
        case Side.ABOVE:
            assert known.low > 0.7
        case Side.INSIDE:
            assert known.low > 0.1
            assert known.high < 0.9


def test_borders_are_in_order() -> None:
    with pytest.raises(ValueError, match="in order"):
        Band(low_out=0.5, low_in=0.4)
    assert Band(high_in=0.7, high_out=0.95).low_out == -inf
