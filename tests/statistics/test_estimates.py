"""Score intervals: against published figures, against brute force, and against known truth."""

from collections.abc import Callable
from itertools import product
from math import inf, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import binomtest, multinomial

from worktrial.statistics import (
    Conclusion,
    Estimand,
    Estimate,
    TaskTries,
    agresti_coull,
    conclude,
    difference,
    estimates,
    rate,
    ratio,
)

passes = st.lists(st.booleans(), min_size=1, max_size=4)
clustered = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=4)),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        TaskTries(cluster, tuple(float(a) for a, _ in tries), tuple(float(b) for _, b in tries))
        for cluster, tries in rows
    ]
)


def _is_significant(found: Estimate) -> bool:
    return conclude(found) in (Conclusion.BETTER, Conclusion.WORSE)


def _table(both: int, only_first: int, only_second: int, neither: int) -> list[TaskTries]:
    """One try of so many tasks each."""
    kinds = [(1.0, 1.0)] * both + [(1.0, 0.0)] * only_first + [(0.0, 1.0)] * only_second + [(0.0, 0.0)] * neither
    return [TaskTries(str(n), (a,), (b,)) for n, (a, b) in enumerate(kinds)]


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_single_tries_of_unrelated_tasks_have_wilsons_interval(case: tuple[int, int]) -> None:
    passed, n = case
    tasks = [TaskTries(str(i), (float(i < passed),)) for i in range(n)]
    for estimand in Estimand:
        assert rate(tasks, estimand).interval == pytest.approx(agresti_coull(passed, n), abs=1e-9)


Rates = Callable[[float, float], tuple[float, float, float, float]]


def _likeliest(counts: tuple[int, int, int, int], rates: Rates) -> tuple[float, float, float, float]:
    """The likeliest shares of a table that a constraint allows, by numerical search."""

    def loss(free: tuple[float, float]) -> float:
        parts = list(zip(counts, rates(*free), strict=True))
        return inf if min(p for _, p in parts) <= 0 else -sum(n * log(p) for n, p in parts)

    grid = np.linspace(0.01, 0.97, 25)
    start = min(product(grid, repeat=2), key=loss)
    found = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 4000})
    return rates(*found.x)


COUNTS = (20, 9, 4, 7)
"""Both, only the second, only the first, neither."""


@pytest.mark.parametrize("supposed", [-0.2, 0.05, 0.3])
def test_the_variance_of_a_difference_uses_the_likeliest_rates(supposed: float) -> None:
    def rates(both: float, first: float) -> tuple[float, float, float, float]:
        return both, first + supposed, first, 1 - both - 2 * first - supposed

    _, second, first, _ = _likeliest(COUNTS, rates)
    found = (9 - 4) / 40
    expected = second + first - supposed**2
    assert estimates._tango(4 / 40, found, supposed) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("supposed", [0.6, 0.8, 1.1])
def test_the_score_of_a_ratio_uses_the_likeliest_rates(supposed: float) -> None:
    def rates(both: float, first: float) -> tuple[float, float, float, float]:
        second = (supposed - 1) * both + supposed * first
        return both, second, first, 1 - both - first - second

    both, second, first, _ = _likeliest(COUNTS, rates)
    variance = both * (1 - supposed) ** 2 + second + supposed**2 * first
    expected = (29 / 40 - supposed * 24 / 40) / sqrt(variance)
    assert estimates._tang(20 / 40, 9 / 40, 4 / 40, supposed) == pytest.approx(expected, abs=1e-5)


def test_the_test_of_single_tries_is_mcnemars() -> None:
    for only_first, only_second in [(3, 11), (10, 10), (0, 9), (30, 50)]:
        found = difference(_table(5, only_first, only_second, 5))
        z = (only_second - only_first) / sqrt(only_first + only_second)
        n = 10 + only_first + only_second
        assert found.p == pytest.approx(2 * ndtr(-abs(z) * sqrt((n - 1) / n)))
        # Near the exact test, which is never smaller by much.
        assert found.p is not None and found.p < binomtest(only_first, only_first + only_second).pvalue + 1e-12


@pytest.mark.parametrize("n", [8, 20, 38])
def test_decisions_on_single_tries_keep_their_levels_exactly(n: int) -> None:
    """Chances of wrong decisions, summed over all tables.

    Without one pair less: 5.6, 4.9 and 5.4 % of equal agents, 2.4, 3.1 and 2.8 % of worse ones.
    """
    tables = [(first, second) for first in range(n + 1) for second in range(n + 1 - first)]
    found = [difference(_table(n - first - second, first, second, 0)) for first, second in tables]
    differs = np.array([_is_significant(one) for one in found])
    for share in np.linspace(0.1, 0.6, 11):
        assert _chances(tables, n, share, 0.0)[differs].sum() <= 0.05
        for margin in (0.05, 0.1):
            passes = np.array([one.interval.low > -margin for one in found])
            assert _chances(tables, n, share, margin)[passes].sum() <= 0.026


def _chances(tables: list[tuple[int, int]], n: int, differing: float, loss: float) -> np.ndarray:
    counts = [(first, second, n - first - second) for first, second in tables]
    shares = [(differing + loss) / 2, (differing - loss) / 2, 1 - differing]
    return np.asarray(multinomial.pmf(counts, n, shares))


def test_a_side_with_one_try_may_vary_more_than_the_one_with_many() -> None:
    """On a hundred tasks that nearly always pass, worse by 5 points: five tries beside one.

    Half of what a pair varies for each side, as where they are equal, let 4.1 % pass for no worse
    by the margin (20,000 draws).
    """
    draw = np.random.default_rng(3)
    wrong = held = 0
    for _ in range(800):
        chances = draw.beta(0.62, 0.0467, 100)
        kept = 1 - 0.05 / chances.mean()
        first, second = draw.random((100, 5)) < chances[:, None], draw.random(100) < kept * chances
        tasks = [TaskTries(str(n), tuple(a.astype(float)), (float(second[n]),)) for n, a in enumerate(first)]
        found = difference(tasks, Estimand.THESE)
        wrong += found.interval.low > -0.05
        held += _holds(found.interval, -0.05)
    assert wrong <= 0.03 * 800 and held >= 0.945 * 800


def test_sides_with_unequal_tries_that_vary_alike_count_as_pairs() -> None:
    # Where both sides pass about half of the tries, it is Tango's score on the pairs that know as much.
    tasks = [TaskTries(str(n), (1.0, 0.0, 1.0, 0.0), (float(n % 2),)) for n in range(40)]
    found = difference(tasks, Estimand.THESE)
    assert found.effective == pytest.approx(40 * 8 / 5 - 1) and found.value == pytest.approx(0)


@settings(max_examples=150)
@given(clustered, st.sampled_from(Estimand), st.sampled_from([0.8, 0.95, 0.99]))
def test_an_interval_has_width_holds_the_value_and_agrees_with_its_test(
    tasks: list[TaskTries], estimand: Estimand, confidence: float
) -> None:
    one = rate(tasks, estimand, confidence=confidence)
    assert 0 <= one.interval.low <= one.value + 1e-12 and one.value - 1e-12 <= one.interval.high <= 1
    assert one.interval.high - one.interval.low > 0.001
    two = difference(tasks, estimand, confidence=confidence)
    assert -1 <= two.interval.low <= two.value + 1e-12 and two.value - 1e-12 <= two.interval.high <= 1
    assert two.interval.high - two.interval.low > 0.001
    assert two.p is not None and 0 <= two.p <= 1
    if abs(two.p - (1 - confidence)) > 1e-9:
        assert _is_significant(two) == (two.p < 1 - confidence)
    swapped = difference([TaskTries(t.cluster, t.second, t.first) for t in tasks], estimand, confidence=confidence)
    assert swapped.interval == pytest.approx((-two.interval.high, -two.interval.low), abs=1e-6)
    assert swapped.p == pytest.approx(two.p)


@settings(max_examples=100)
@given(clustered.filter(lambda tasks: any(any(t.first) for t in tasks)), st.sampled_from(Estimand))
def test_a_ratio_has_width_and_holds_its_value(tasks: list[TaskTries], estimand: Estimand) -> None:
    found = ratio(tasks, estimand)
    assert 0 <= found.interval.low <= found.value + 1e-9
    assert found.value - 1e-9 <= found.interval.high
    assert found.interval.high - found.interval.low > 0.001


def test_repeats_are_not_tasks() -> None:
    # Twenty tasks, each passed always or never: a hundred tries of these know no more of other tasks than twenty.
    tasks = [TaskTries(str(n), (float(n % 2),) * 5) for n in range(20)]
    work, these = rate(tasks), rate(tasks, Estimand.THESE)
    assert work.effective == pytest.approx(19, abs=1.1)
    # An agent that does the same every time is nearly certain on the tasks themselves, never quite.
    assert these.effective > 300 and 0.005 < these.interval.half_width < 0.06


def test_all_of_two_workplaces_lost_is_certain_on_these_tasks_and_weak_on_work_like_this() -> None:
    def tasks(lost: int) -> list[TaskTries]:
        return [
            TaskTries(str(place), (1.0,) * 3, (0.0 if place < lost else 1.0,) * 3)
            for place in range(10)
            for _ in range(5)
        ]

    these, work = difference(tasks(2), Estimand.THESE), difference(tasks(2))
    assert these.value == work.value == pytest.approx(-0.2)
    assert _is_significant(these) and these.interval.high < -0.1
    assert not _is_significant(work)


def test_nothing_failed_is_not_nothing_can_fail() -> None:
    found = rate([TaskTries(str(n // 5), (1.0,)) for n in range(50)])
    assert found.interval == pytest.approx(agresti_coull(10, 10))


@pytest.mark.parametrize(
    ("clusters", "size", "repeats", "together"),
    [(43, 1, 1, 0.0), (12, 1, 3, 0.5), (43, 1, 3, 0.3), (10, 4, 1, 0.3), (20, 5, 2, 0.6)],
)
@pytest.mark.parametrize("truth", [0.2, 0.6, 0.9])
def test_intervals_cover_the_truth(clusters: int, size: int, repeats: int, together: float, truth: float) -> None:
    """200 draws each with a fixed seed; `benchmarks.coverage` has 2,000 of many more designs."""
    draw = np.random.default_rng(1)
    covered = dict.fromkeys(("work", "these", "difference", "ratio"), 0)
    for _ in range(200):
        tasks, chances = _drawn(draw, clusters, size, repeats, together, truth)
        within = rate(tasks, Estimand.THESE).interval
        covered["work"] += _holds(rate(tasks).interval, truth)
        covered["these"] += _holds(within, float(np.mean(chances)))
        covered["difference"] += _holds(difference(tasks).interval, -0.2 * truth)
        covered["ratio"] += not any(any(t.first) for t in tasks) or _holds(ratio(tasks).interval, 0.8)
    assert min(covered.values()) >= 0.9 * 200, covered


def _drawn(
    draw: np.random.Generator, clusters: int, size: int, repeats: int, together: float, truth: float
) -> tuple[list[TaskTries], list[float]]:
    tasks, chances = [], []
    spread = (1 - together) / together if together else inf
    for cluster in range(clusters):
        chance = truth if spread == inf else draw.beta(truth * spread, (1 - truth) * spread)
        for _ in range(size):
            tries = [tuple((draw.random(repeats) < p).astype(float)) for p in (chance, 0.8 * chance)]
            tasks.append(TaskTries(str(cluster), *tries))
            chances.append(chance)
    return tasks, chances


def _holds(interval: tuple[float, float], truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def test_refuses() -> None:
    with pytest.raises(ValueError, match="no try"):
        rate([])
    with pytest.raises(ValueError, match="as many tries on both sides; got 2 and 1"):
        ratio([TaskTries("a", (1.0, 0.0), (1.0,))])
    with pytest.raises(ValueError, match="tries on both sides; got 2 and 0"):
        difference([TaskTries("a", (1.0, 0.0))])
    with pytest.raises(ValueError, match="nothing of the first passed"):
        ratio([TaskTries("a", (0.0,), (1.0,))])
    with pytest.raises(ValueError, match="confidence must be between"):
        rate([TaskTries("a", (1.0,))], confidence=1.0)
