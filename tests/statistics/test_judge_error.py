import numpy as np
import pytest

from worktrial.statistics import Estimate, TaskTries, corrected_rate, prediction_powered, rate


def _rate(outcomes: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Estimate:
    return rate([TaskTries(str(n), (float(one),)) for n, one in enumerate(outcomes)])


def _share(passed: int, of: int) -> Estimate:
    return _rate(np.arange(of) < passed)


def test_a_perfect_judge_leaves_the_rate_and_still_doubts() -> None:
    found = corrected_rate(_share(70, 100), _share(40, 40), _share(40, 40))
    assert found is not None and found.value == pytest.approx(0.7)
    raw = found.raw.interval
    assert found.interval.low < raw.low + 0.01 and found.interval.high - found.interval.low > raw.high - raw.low


def test_a_judge_that_may_pass_anything_says_nothing() -> None:
    assert corrected_rate(_share(70, 100), _share(30, 60), _share(31, 60)) is None
    assert corrected_rate(_share(70, 100), _share(3, 4), _share(3, 4)) is None


@pytest.mark.parametrize("right", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.95, 0.9), (1.0, 0.97)])
def test_both_hold_the_truth_where_the_raw_rate_does_not(
    right: float, sensitivity: float, specificity: float
) -> None:
    draw = np.random.default_rng(5)
    held, draws = np.zeros(2), 150
    for _ in range(draws):
        truth = draw.random(200) < right
        said = np.where(truth, draw.random(200) < sensitivity, draw.random(200) >= specificity)
        audited = _rate(draw.random(16) < sensitivity), _rate(draw.random(48) < specificity)
        found = corrected_rate(_rate(said), *audited)
        assert found is not None
        judged = [TaskTries(str(n), (float(one),)) for n, one in enumerate(said)]
        labelled = [
            TaskTries(str(n), (float(said[n]),), (float(truth[n]),)) for n in draw.choice(200, 40, replace=False)
        ]
        for n, one in enumerate((found, prediction_powered(judged, labelled))):
            held[n] += one.interval.low <= right <= one.interval.high
    assert (held >= 0.92 * draws).all()
