import math
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from worktrial.statistics import order_agreement

rates = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=9)


def _named(values: list[int]) -> dict[str, float]:
    return {f"agent {n}": value / 6 for n, value in enumerate(values)}


@given(rates)
def test_same_as_scipy(both: list[tuple[int, int]]) -> None:
    first, second = [a for a, _ in both], [b for _, b in both]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = float(kendalltau(first, second, variant="b").statistic)
    found = order_agreement(_named(first), _named(second))
    if math.isnan(oracle):
        assert found.tau_b is None
    else:
        assert found.tau_b == pytest.approx(oracle, abs=1e-12)


@given(rates)
def test_the_same_either_way_round(both: list[tuple[int, int]]) -> None:
    first, second = _named([a for a, _ in both]), _named([b for _, b in both])
    there, back = order_agreement(first, second), order_agreement(second, first)
    assert there == back
    assert there.agreed + len(there.disagreements) == there.pairs == math.comb(len(both), 2)
    assert order_agreement(first, first).agreed == there.pairs


def test_a_tie_on_one_side_only_is_a_disagreement() -> None:
    first = {"a": 0.5, "b": 0.5, "c": 0.2, "d": 0.1}
    found = order_agreement(first, {"c": 0.3, "a": 0.6, "b": 0.5, "d": 0.3})
    assert found.disagreements == (("a", "b"), ("c", "d"))
    assert (found.agreed, found.pairs, found.share) == (4, 6, 4 / 6)
    both_tied = order_agreement({"a": 0.5, "b": 0.5}, {"a": 0.1, "b": 0.1})
    assert (both_tied.agreed, both_tied.tau_b) == (1, None)


def test_one_agent_has_no_order() -> None:
    assert order_agreement({"a": 0.5}, {"a": 0.1}).share is None


def test_refuses_other_agents() -> None:
    with pytest.raises(ValueError, match="only one of them has b, c"):
        order_agreement({"a": 1, "b": 1}, {"a": 1, "c": 1})
