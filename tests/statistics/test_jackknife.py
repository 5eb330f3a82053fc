import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.statistics import (
    agresti_coull,
    change_intervals,
    mean_change,
    mean_interval,
    quotient,
    score_intervals,
)

RANDOM = np.random.default_rng(5)
SCENARIOS = [{"right": float(RANDOM.integers(0, n + 1)), "all": float(n)} for n in RANDOM.integers(1, 12, size=80)]
HARDER = [{"right": s["right"] * 0.8, "all": s["all"]} for s in SCENARIOS]


def share(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {"share": quotient(sums["right"], sums["all"])}


def test_near_a_bootstrap_of_a_ratio_of_sums() -> None:
    right, of = (np.array([s[key] for s in SCENARIOS]) for key in ("right", "all"))
    oracle = scipy.stats.bootstrap(
        (right, of),
        lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = score_intervals(SCENARIOS, share)["share"]
    assert found.low == pytest.approx(oracle.low, abs=0.01)
    assert found.high == pytest.approx(oracle.high, abs=0.01)
    assert score_intervals(SCENARIOS, share, confidence=0.5)["share"].half_width < found.half_width / 2


def test_repeats_within_a_cluster_add_no_certainty() -> None:
    alone = score_intervals(SCENARIOS, share)["share"]
    repeated = score_intervals([{k: 3 * v for k, v in s.items()} for s in SCENARIOS], share)["share"]
    assert repeated == pytest.approx(alone)
    assert score_intervals(SCENARIOS * 3, share)["share"].half_width < alone.half_width * 0.7


def test_changes_are_paired() -> None:
    gap = change_intervals(HARDER, SCENARIOS, share)["share"]
    one, other = score_intervals(SCENARIOS, share)["share"], score_intervals(HARDER, share)["share"]
    assert one.low < other.high  # the two overlap, and yet:
    assert 0 < gap.low < gap.high
    back = change_intervals(SCENARIOS, HARDER, share)["share"]
    assert (-back.high, -back.low) == pytest.approx(gap)


def test_no_interval_of_finite_data_has_width_0() -> None:
    perfect = [{"right": 3.0, "all": 3.0}] * 12
    assert score_intervals(perfect, share)["share"] == pytest.approx(agresti_coull(12, 12))
    same = change_intervals(SCENARIOS, SCENARIOS, share)["share"]
    # As Tango's interval of eighty pairs of which none differs.
    z = scipy.stats.norm.ppf(0.975) ** 2
    assert same == pytest.approx((-z / (80 + z), z / (80 + z)))
    alike = mean_interval([0.02] * 12, [1] * 12)
    assert alike is not None and alike.low < 0.02 < alike.high
    doubled = mean_change(range(1, 13), range(2, 26, 2), [1] * 12)
    assert doubled is not None and doubled.ratio is not None
    assert doubled.ratio.low < 2 < doubled.ratio.high
    # Tokens of two runs that are the very same.
    equal = mean_change([120.0] * 9, [120.0] * 9, [1] * 9)
    assert equal is not None and equal.difference.low < 0 < equal.difference.high


def test_what_hangs_on_one_cluster_or_on_none_has_no_interval() -> None:
    clusters = [{"right": 1.0, "all": 2.0}, {"right": 0.0, "all": 0.0}]
    assert score_intervals(clusters, share) == {}
    assert score_intervals(SCENARIOS[:1], share) == {}
    assert mean_interval([0.1], [1]) is None
    assert mean_interval([0.0, 0.0], [1, 1]) is None
    assert mean_change([0.0, 0.0], [0.0, 0.0], [1, 1]) is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=2, max_size=20))
def test_scores_stay_between_0_and_1_around_their_value(clusters: list[tuple[int, int]]) -> None:
    sums = [{"right": min(a, b), "all": b} for a, b in clusters]
    value = sum(s["right"] for s in sums) / sum(s["all"] for s in sums)
    found = score_intervals(sums, share)["share"]
    assert 0 <= found.low <= value <= found.high <= 1
    assert found.low < found.high


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.01, 9), st.floats(0.01, 9), st.integers(1, 3)), min_size=2, max_size=20),
    st.sampled_from([0.9, 0.95, 0.99]),
)
def test_a_ratio_leaves_out_1_exactly_where_the_difference_leaves_out_0(
    clusters: list[tuple[float, float, int]], confidence: float
) -> None:
    found = mean_change(*zip(*clusters, strict=True), confidence=confidence)
    assert found is not None
    if found.ratio is not None:
        unlike = found.difference.low > 1e-9 or found.difference.high < -1e-9
        alike = found.difference.low < -1e-9 and found.difference.high > 1e-9
        assert not (unlike and found.ratio.low < 1 - 1e-9 and found.ratio.high > 1 + 1e-9)
        assert not (alike and (found.ratio.low > 1 + 1e-9 or found.ratio.high < 1 - 1e-9))


def _holds(interval: tuple[float, float] | None, truth: float) -> bool:
    return interval is not None and interval[0] <= truth <= interval[1]


@pytest.mark.parametrize("clusters", [12, 43, 100])
def test_intervals_hold_the_truth(clusters: int) -> None:
    """Scores, most of them perfect; and skewed costs, of which a percentile bootstrap holds 84-90 % at twelve."""
    draw = np.random.default_rng(clusters)
    draws, counts = 400, np.zeros(3)
    for _ in range(draws):
        scores = np.where(draw.random(clusters) < 0.6, 1.0, draw.random(clusters))
        sums = [{"right": float(score), "all": 1.0} for score in scores]
        counts[0] += _holds(score_intervals(sums, share)["share"], 0.8)
        costs = np.exp(0.6 * draw.normal(size=clusters))
        counts[1] += _holds(mean_interval(list(costs), [1] * clusters), float(np.exp(0.18)))
        others = costs * np.exp(0.3 * draw.normal(size=clusters) - 0.045)
        change = mean_change(list(costs), list(others), [1] * clusters)
        counts[2] += _holds(change and change.ratio, 1.0)
    assert (counts / draws >= 0.92).all()


@pytest.mark.parametrize(("spread", "times"), [(1.0, 1.5), (1.0, 1.0)])
def test_the_change_of_a_very_skewed_cost_holds_the_truth(spread: float, times: float) -> None:
    """Of thirty tasks: Student's alone holds 87 % where gaps grow with the cost, 86.75 of these."""
    draw = np.random.default_rng(33)
    held = 0
    for _ in range(400):
        costs = np.exp(spread * draw.normal(size=30))
        others = times * costs * np.exp(0.4 * draw.normal(size=30) - 0.08)
        found = mean_change(list(costs), list(others), [1] * 30)
        assert found is not None
        held += _holds(found.difference, (times - 1) * float(np.exp(spread**2 / 2)))
    assert held >= 0.91 * 400


def test_the_ends_of_a_ratio_are_where_the_gap_may_just_be_nothing() -> None:
    draw = np.random.default_rng(2)
    costs = np.exp(draw.normal(size=40))
    others = 1.3 * costs * np.exp(0.3 * draw.normal(size=40))
    found = mean_change(list(costs), list(others), [1] * 40)
    assert found is not None and found.ratio is not None
    for place, end in enumerate(found.ratio):
        # Second against so many times first is no change, just so.
        at = mean_change(list(end * costs), list(others), [1] * 40)
        assert at is not None and at.difference[place] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("clusters", "options", "message"),
    [
        ([], {}, "at least one cluster"),
        ([{"a": 1}, {"b": 1}], {}, "same keys"),
        (SCENARIOS, {"confidence": 1.0}, "confidence"),
    ],
)
def test_settings_that_make_no_sense(clusters: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_intervals(clusters, share, **options)


def test_other_clusters_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="same clusters; got 80 and 79"):
        change_intervals(SCENARIOS, SCENARIOS[1:], share)


def test_numpy_is_loaded_only_when_something_is_left_out() -> None:
    code = "import sys, worktrial.statistics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
