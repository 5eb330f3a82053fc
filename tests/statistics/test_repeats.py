from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.statistics import over_tasks, pass_at_k, pass_hat_k

tries = st.lists(st.booleans(), min_size=1, max_size=9)


@given(tries.flatmap(lambda outcomes: st.tuples(st.just(outcomes), st.integers(1, len(outcomes)))))
def test_the_share_of_all_choices_of_k_tries(case: tuple[list[bool], int]) -> None:
    outcomes, k = case
    chosen = list(combinations(outcomes, k))
    n, c = len(outcomes), sum(outcomes)
    assert pass_at_k(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert pass_hat_k(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_as_the_published_code_computes_it(case: tuple[int, int, int]) -> None:
    """Chen et al., figure 3: a product instead of binomials."""
    n, c, k = case
    product = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
    assert pass_at_k(n, c, k) == pytest.approx(float(product), abs=1e-9)
    # All pass where none of the failures is among them.
    assert pass_hat_k(n, c, k) == pytest.approx(1 - pass_at_k(n, n - c, k), abs=1e-12)


@given(st.integers(2, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n - 1))))
def test_more_tries_help_once_and_hurt_every_time(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert 0 <= pass_hat_k(n, c, k + 1) <= pass_hat_k(n, c, k) <= c / n + 1e-12
    assert c / n - 1e-12 <= pass_at_k(n, c, k) <= pass_at_k(n, c, k + 1) <= 1
    assert pass_at_k(n, c, 1) == pytest.approx(c / n)


def test_unbiased() -> None:
    draw = Random(1)
    counts = [sum(draw.random() < 0.6 for _ in range(6)) for _ in range(20_000)]
    assert np.mean([pass_at_k(6, c, 3) for c in counts]) == pytest.approx(1 - 0.4**3, abs=0.005)
    assert np.mean([pass_hat_k(6, c, 3) for c in counts]) == pytest.approx(0.6**3, abs=0.007)


def test_over_tasks_by_hand() -> None:
    tasks = [[True, True, False], [True, True, True], [False, False, False], [True]]
    found = over_tasks(tasks, 2)
    assert found is not None
    assert found.at_least_one == pytest.approx((1 + 1 + 0) / 3)
    assert found.every_time == pytest.approx((1 / 3 + 1 + 0) / 3)
    assert (found.k, found.tasks, found.too_few, found.clusters) == (2, 3, 1, 3)
    assert over_tasks([[True]], 2) is None
    assert over_tasks([], 1) is None


def test_tasks_of_one_scenario_vary_together() -> None:
    draw = Random(2)
    easy = [draw.random() for _ in range(30)]
    tasks = [[draw.random() < p for _ in range(4)] for p in easy for _ in range(5)]
    alone = over_tasks(tasks, 2)
    together = over_tasks(tasks, 2, clusters=[n // 5 for n in range(150)])
    assert alone is not None and together is not None
    assert alone.every_time == pytest.approx(together.every_time)
    assert (alone.clusters, together.clusters) == (150, 30)
    assert together.every_time_interval.half_width > 1.3 * alone.every_time_interval.half_width
    assert together == over_tasks(tasks, 2, clusters=[n // 5 for n in range(150)])


def test_the_interval_contains_the_truth_as_often_as_it_says() -> None:
    draw = Random(4)
    # The chance of a task is uniform: both of two tries pass in a third, at least one in two thirds.
    once = every = 0
    for _ in range(200):
        tasks = [[draw.random() < p for _ in range(3)] for p in (draw.random() for _ in range(60))]
        found = over_tasks(tasks, 2)
        assert found is not None
        every += found.every_time_interval.low <= 1 / 3 <= found.every_time_interval.high
        once += found.at_least_one_interval.low <= 2 / 3 <= found.at_least_one_interval.high
    assert 0.88 <= every / 200 <= 0.99
    assert 0.88 <= once / 200 <= 0.99


@settings(max_examples=40, deadline=None)
@given(st.lists(tries, min_size=1, max_size=12))
def test_intervals_hold_the_figures_and_stay_within_bounds(tasks: list[list[bool]]) -> None:
    found = over_tasks(tasks, 1)
    assert found is not None
    assert found.at_least_one == pytest.approx(found.every_time)
    assert 0 <= found.every_time_interval.low <= found.every_time_interval.high <= 1 + 1e-12


@pytest.mark.parametrize("wrong", [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_refuses(wrong: tuple[int, int, int]) -> None:
    for figure in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="must be between"):
            figure(*wrong)


def test_refuses_what_cannot_be_counted() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        over_tasks([[True]], 0)
    with pytest.raises(ValueError, match="one cluster for each task; got 2 for 1"):
        over_tasks([[True]], 1, clusters=["a", "b"])
