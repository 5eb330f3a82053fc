import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.errors import SettingError
from worktrial.statistics import Side
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.calibration.rules import (
    FREE_BAND,
    Sequential,
    prospects,
    rule_of,
)

RULE = rule_of(JobSpec(role="clerk", free_runs=8, most_runs=24))
SHORT = rule_of(JobSpec(role="clerk"))

every_rule = st.sampled_from([RULE, SHORT])
rates = st.floats(0, 1)


def test_what_the_first_runs_say() -> None:
    free = RULE
    assert [free.side(passed, 8) for passed in (0, 1, 5, 6, 8)] == [
        Side.UNDECIDED,
        Side.INSIDE,
        Side.INSIDE,
        Side.UNDECIDED,
        Side.UNDECIDED,
    ]
    assert (free.side(0, 12), free.side(12, 12)) == (Side.BELOW, Side.ABOVE)


def test_wrong_answers_at_the_borders_are_rare() -> None:
    """Exact, over all ways that 24 runs can come out; the interval's own guarantee is a tenth."""
    assert prospects(RULE, 0.0).ends[Side.INSIDE] == 0
    assert prospects(RULE, FREE_BAND.low_in).ends[Side.BELOW] < 0.03
    assert prospects(RULE, FREE_BAND.high_in).ends[Side.ABOVE] < 0.03
    assert prospects(RULE, FREE_BAND.high_out).ends[Side.INSIDE] < 0.03


@given(rates)
@settings(max_examples=60, deadline=None)
def test_beyond_the_borders_they_are_rarer_still(rate: float) -> None:
    free = prospects(RULE, rate).ends
    if FREE_BAND.low_in <= rate <= FREE_BAND.high_in:
        assert free[Side.BELOW] + free[Side.ABOVE] < 0.03
    if rate >= FREE_BAND.high_out:
        assert free[Side.INSIDE] < 0.03


def test_clear_tasks_take_fewer_runs_than_the_fixed_numbers_and_unclear_ones_more() -> None:
    assert prospects(RULE, 0.4).runs < 8
    assert prospects(RULE, 0.9).runs > 16


@given(every_rule, rates)
@settings(max_examples=60, deadline=None)
def test_prospects_are_probabilities(rule: Sequential, rate: float) -> None:
    found = prospects(rule, rate)
    assert sum(found.ends.values()) == pytest.approx(1)
    assert 1 <= found.runs <= rule.most + 1e-9


@pytest.mark.parametrize("rate", [0.15, 0.5, 0.8])
def test_prospects_agree_with_simulation(rate: float) -> None:
    draw, outlook, times = random.Random(7), RULE, 3000
    ends: Counter[Side] = Counter()
    for _ in range(times):
        passed = n = 0
        while not outlook.is_over(passed, n):
            size = outlook.batch(passed, n)
            passed += sum(draw.random() < rate for _ in range(size))
            n += size
        ends[RULE.side(passed, n)] += 1
    expected = prospects(RULE, rate)
    for side in Side:
        assert ends[side] / times == pytest.approx(expected.ends[side], abs=0.035)


states = st.tuples(every_rule, st.integers(0, 24), st.integers(0, 24))


@given(states)
def test_a_batch_never_exceeds_what_is_allowed(state: tuple[Sequential, int, int]) -> None:
    rule, a, b = state
    passed, n = min(a, b), max(a, b)
    outlook = rule
    if n < rule.most:
        assert 1 <= outlook.batch(passed, n) <= rule.most - n
        assert outlook.fewest(passed, n) <= rule.most - n


def test_it_ends_when_no_further_run_can_change_anything() -> None:
    outlook = RULE
    hopeless = [
        (passed, n)
        for n in range(24)
        for passed in range(n + 1)
        if RULE.side(passed, n) is Side.UNDECIDED and outlook.is_over(passed, n)
    ]
    assert hopeless
    for passed, n in hopeless:
        left = 24 - n
        ends = {RULE.side(passed + more, n + made) for made in range(left + 1) for more in range(made + 1)}
        assert ends == {Side.UNDECIDED}


def test_so_few_runs_that_nothing_could_be_kept_are_refused() -> None:
    with pytest.raises(SettingError, match="most_runs: 2 runs are too few"):
        rule_of(JobSpec(role="clerk", free_runs=1, most_runs=2))


def test_more_first_runs_than_the_most_are_allowed() -> None:
    rule = rule_of(JobSpec(role="clerk", free_runs=30, most_runs=24))
    assert (rule.first, rule.most) == (30, 30)


def test_a_rate_is_a_share() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        prospects(RULE, 1.5)
