import pytest

from worktrial.statistics import CompletionRate, Interval, Rate, agresti_coull


def test_both_denominators() -> None:
    rate = CompletionRate(passed=6, failed=2, invalid=2)
    assert rate.of_all == Rate(6, 10)
    assert rate.of_valid == Rate(6, 8)
    assert rate.of_all.share == 0.6
    assert rate.of_valid.interval() == agresti_coull(6, 8)
    assert rate.of_valid.interval(0.8) == agresti_coull(6, 8, 0.8)
    assert rate + CompletionRate(1, 0, 1) == CompletionRate(7, 2, 3)


def test_without_samples_nothing_is_known() -> None:
    assert CompletionRate().of_all.share is None
    assert CompletionRate(invalid=3).of_valid.interval() == Interval(0, 1)
    assert CompletionRate(invalid=3).of_all.share == 0


def test_refuses_negative_counts() -> None:
    with pytest.raises(ValueError, match="negative"):
        CompletionRate(1, -1, 0)
