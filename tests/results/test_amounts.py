import numpy as np
import pytest

from worktrial.results.estimates import LEAST_CLUSTERS, mean_estimate, too_few


def test_an_interval_begins_where_a_rare_dear_kind_of_task_is_seldom_missed() -> None:
    assert 0.9**LEAST_CLUSTERS < 0.05 < 0.9 ** (LEAST_CLUSTERS - 2)
    for of in (1, 2, 12, 29, 30, 382):
        found = mean_estimate([0.1 * (n % 5) for n in range(of)], [2.0] * of)
        assert found.value is not None
        assert (found.interval is None) == bool(too_few(of)) == (of < LEAST_CLUSTERS)


@pytest.mark.parametrize("clusters", [5, 12, 20, 30, 43])
def test_no_interval_of_rare_dear_tasks_is_wrong_too_often(clusters: int) -> None:
    """Of a tenth that take eight times as much; fewer than nine in ten of those from twenty tasks would hold."""
    draw = np.random.default_rng(3)
    said = held = 0
    for _ in range(400):
        costs = np.where(draw.random(clusters) < 0.1, 8.0, 1.0) * draw.gamma(16, 1 / 16, clusters)
        interval = mean_estimate([*map(float, costs)], [1.0] * clusters).interval
        if interval is not None:
            said += 1
            held += interval.low <= 1.7 <= interval.high
    assert said == (400 if clusters >= 30 else 0)
    assert held >= 0.92 * said
