import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.statistics.oracles import statsmodels_holm

from worktrial.statistics import holm

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=30)


# A call of the oracle takes a seventh of a second.
@settings(max_examples=25, deadline=None)
@given(p_lists)
def test_same_as_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(statsmodels_holm(p_values), rel=1e-12)


@given(p_lists)
def test_never_smaller_and_in_the_same_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    assert adjusted == [a for _, a in sorted(zip(p_values, adjusted, strict=True))] or p_values != sorted(p_values)
    # Never more than what Bonferroni would say.
    assert all(a <= min(1, len(p_values) * p) + 1e-12 for p, a in zip(p_values, adjusted, strict=True))


def test_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.4]) == [0.4]
    assert holm([0.9, 0.8]) == [1, 1]


def test_false_findings_among_many_tests_stay_rare() -> None:
    draw = random.Random(3)
    trials = 4_000
    false = sum(min(holm([draw.random() for _ in range(10)])) <= 0.05 for _ in range(trials))
    unadjusted = sum(min(draw.random() for _ in range(10)) <= 0.05 for _ in range(trials))
    # Four standard errors of 5 % over so many trials.
    assert false / trials < 0.05 + 4 * (0.05 * 0.95 / trials) ** 0.5
    assert unadjusted / trials > 0.35


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_refuses(wrong: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, wrong])
