"""Rewards: a verdict's worth, and none without a verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import SettingError
from worktrial.grading.check import CheckResult
from worktrial.grading.reward import NoReward, RewardKind, reward
from worktrial.grading.verdict import Outcome

GOOD, BAD = CheckResult("c", True, "w"), CheckResult("c", False, "w")


def test_an_outcome_is_worth_one_or_nothing() -> None:
    assert (reward(Outcome.PASS), reward(Outcome.FAIL)) == (1.0, 0.0)


@pytest.mark.parametrize("kind", RewardKind)
def test_an_invalid_sample_is_dropped_and_never_worth_nothing(kind: RewardKind) -> None:
    with pytest.raises(NoReward, match="endpoint_unavailable: 503"):
        reward(Outcome.INVALID, reason="endpoint_unavailable: 503", checks=[GOOD], kind=kind)


def test_checks_are_worth_their_share() -> None:
    assert reward(Outcome.FAIL, checks=[GOOD, BAD, GOOD, BAD], kind=RewardKind.CHECKS) == 0.5
    assert reward(Outcome.PASS, checks=[GOOD], kind=RewardKind.CHECKS) == 1.0
    with pytest.raises(SettingError, match="no code checks this work; take outcome or shaped"):
        reward(Outcome.PASS, kind=RewardKind.CHECKS)


def test_refused_calls_take_something_away() -> None:
    assert reward(Outcome.PASS, refused=2, kind=RewardKind.SHAPED) == pytest.approx(0.9)
    assert reward(Outcome.FAIL, refused=1, kind=RewardKind.SHAPED) == pytest.approx(-0.05)
    assert reward(Outcome.PASS, refused=2) == 1.0


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_whatever_was_refused_a_pass_is_worth_more_than_a_fail(of_pass: int, of_fail: int) -> None:
    shaped = RewardKind.SHAPED
    passed, failed = (
        reward(Outcome.PASS, refused=of_pass, kind=shaped),
        reward(Outcome.FAIL, refused=of_fail, kind=shaped),
    )
    assert 1 >= passed > failed >= -0.5
