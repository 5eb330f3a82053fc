import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.statistics import bootstrap, bootstrap_difference

RANDOM = np.random.default_rng(5)
SCENARIOS = [{"right": float(RANDOM.integers(0, n + 1)), "all": float(n)} for n in RANDOM.integers(1, 12, size=80)]
HARDER = [{"right": s["right"] * 0.8, "all": s["all"]} for s in SCENARIOS]


def share(sums: Mapping[str, Any]) -> dict[str, Any]:
    return {"share": sums["right"] / sums["all"]}


def test_same_as_scipy_on_a_ratio_of_sums() -> None:
    right, of = (np.array([s[key] for s in SCENARIOS]) for key in ("right", "all"))
    oracle = scipy.stats.bootstrap(
        (right, of),
        lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=60_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = bootstrap(SCENARIOS, share, draws=60_000)["share"]
    assert found.low == pytest.approx(oracle.low, abs=0.003)
    assert found.high == pytest.approx(oracle.high, abs=0.003)
    assert bootstrap(SCENARIOS, share, confidence=0.5)["share"].half_width < found.half_width / 2


def test_deterministic_and_seeded() -> None:
    assert bootstrap(SCENARIOS, share) == bootstrap(SCENARIOS, share)
    assert bootstrap(SCENARIOS, share, seed=1) != bootstrap(SCENARIOS, share)


def test_repeats_within_a_cluster_add_no_certainty() -> None:
    alone = bootstrap(SCENARIOS, share)["share"]
    repeated = bootstrap([{k: 3 * v for k, v in s.items()} for s in SCENARIOS], share)["share"]
    assert repeated == pytest.approx(alone)
    assert bootstrap(SCENARIOS * 3, share)["share"].half_width < alone.half_width * 0.7


def test_differences_are_paired() -> None:
    gap = bootstrap_difference(SCENARIOS, HARDER, share)["share"]
    one, other = bootstrap(SCENARIOS, share)["share"], bootstrap(HARDER, share)["share"]
    assert one.low < other.high  # the two overlap, and yet:
    assert 0 < gap.low < gap.high
    assert bootstrap_difference(SCENARIOS, SCENARIOS, share)["share"] == (0, 0)


def test_what_has_no_value_in_some_draws_or_in_any() -> None:
    clusters = [{"right": 1.0, "all": 1.0}, {"right": 0.0, "all": 0.0}]

    def known(sums: Mapping[str, Any]) -> dict[str, Any]:
        of = np.where(sums["all"] == 0, np.nan, sums["all"])
        return {"share": sums["right"] / of, "never": sums["right"] * np.nan}

    assert bootstrap(clusters, known) == {"share": (1, 1)}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=20))
def test_within_the_range_of_the_clusters(clusters: list[tuple[int, int]]) -> None:
    sums = [{"right": a, "all": b} for a, b in clusters]
    found = bootstrap(sums, share, draws=100)["share"]
    each = [a / b for a, b in clusters]
    assert min(each) - 1e-9 <= found.low <= found.high <= max(each) + 1e-9


@pytest.mark.parametrize(
    ("clusters", "options", "message"),
    [
        ([], {}, "at least one cluster"),
        ([{"a": 1}, {"b": 1}], {}, "same keys"),
        (SCENARIOS, {"draws": 0}, "draws"),
        (SCENARIOS, {"confidence": 1.0}, "confidence"),
    ],
)
def test_settings_that_make_no_sense(clusters: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap(clusters, share, **options)


def test_other_clusters_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="same clusters; got 80 and 79"):
        bootstrap_difference(SCENARIOS, SCENARIOS[1:], share)


def test_numpy_is_loaded_only_when_something_is_drawn() -> None:
    code = "import sys, worktrial.statistics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
