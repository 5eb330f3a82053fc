import math
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm
from tests.statistics.oracles import statsmodels_power, statsmodels_two_rates

from worktrial.statistics import (
    agresti_coull,
    discordant_share,
    half_width,
    minimum_detectable_effect,
    paired_power,
    power_of,
    sample_size,
    sample_size_for_half_width,
)

rates = st.floats(0.02, 0.98)
levels = st.sampled_from([0.01, 0.05, 0.1])
powers = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.99])
correlations = st.floats(0, 1)


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_half_width_is_that_of_the_interval(count: tuple[int, int]) -> None:
    successes, n = count
    assert half_width(n, successes / n) == pytest.approx(agresti_coull(successes, n).half_width, rel=1e-9)


@given(st.floats(0.005, 0.6), st.floats(0, 1), st.floats(0.5, 0.999), st.integers(1, 9), correlations)
def test_the_least_tasks_for_a_half_width(
    wanted: float, rate: float, confidence: float, repeats: int, alike: float
) -> None:
    more = {"confidence": confidence, "repeats": repeats, "repeat_correlation": alike}
    n = sample_size_for_half_width(wanted, rate, **more)
    assert half_width(n, rate, **more) <= wanted * (1 + 1e-6)
    assert n == 1 or half_width(n - 1, rate, **more) > wanted * (1 - 1e-6)


def test_connors_worked_examples() -> None:
    # Published calculators that follow Connor (1987), page 209, give 23 and 155 pairs for these.
    assert sample_size(0.40, 0.3, discordant=0.05 + 0.45) == 23
    assert sample_size(0.15, 0.3, discordant=0.15 + 0.30) == 155
    # Chow, Shao and Wang, *Sample Size Calculations in Clinical Research*: 0.2 one way, 0.5 the other.
    assert sample_size(0.30, 0.3, discordant=0.2 + 0.5) == 59


def test_fleiss_worked_example() -> None:
    # Statistical Methods for Rates and Proportions, table A.3 without its continuity correction.
    assert sample_size(0.15, 0.25, paired=False) == 152
    assert sample_size(-0.15, 0.40, paired=False) == 152


@given(rates, rates, levels, powers)
def test_separate_tasks_as_in_statsmodels(first: float, second: float, level: float, power: float) -> None:
    effect = second - first
    assume(abs(effect) > 0.01)
    found = sample_size(effect, first, paired=False, level=level, power=power)
    assert found is not None
    # The oracle's second rate is the one compared with.
    oracle = statsmodels_two_rates(effect, first, level, power)
    # The two agree to six digits, which may lie on both sides of a whole number.
    assert found in {max(1, math.ceil(oracle * (1 + slack))) for slack in (-1e-6, 1e-6)}
    n = max(found, 5)
    # The oracle counts the tail on the wrong side, too: at most half the level.
    chance = power_of(n, effect, first, paired=False, level=level)
    assert chance is not None
    assert chance <= statsmodels_power(n, effect, first, level) + 1e-9 <= chance + level / 2 + 2e-9


@given(rates, st.floats(0.01, 0.6), st.booleans(), st.booleans(), correlations, powers)
def test_size_effect_and_chance_are_inverses(
    rate: float, size: float, worse: bool, paired: bool, alike: float, power: float
) -> None:
    effect = -size if worse else size
    assumed = {"paired": paired, "correlation": alike if paired else None}
    n = sample_size(effect, rate, power=power, **assumed)
    if n is None:
        assert not 0 <= rate + effect <= 1
        assert power_of(10, effect, rate, **assumed) is None
        return
    chance = power_of(n, effect, rate, **assumed)
    assert chance is not None and chance >= power - 1e-6
    least = minimum_detectable_effect(n, rate, power=power, worse=worse, **assumed)
    assert least is not None and least <= size * (1 + 1e-6)
    if n > 1:
        fewer = power_of(n - 1, effect, rate, **assumed)
        assert fewer is not None and fewer < power + 1e-6
        before = minimum_detectable_effect(n - 1, rate, power=power, worse=worse, **assumed)
        assert before is None or before >= size * (1 - 1e-6)


@given(st.integers(5, 3000), rates, st.booleans(), correlations, st.integers(1, 6))
def test_what_makes_a_difference_easier_to_see(
    n: int, rate: float, worse: bool, alike: float, repeats: int
) -> None:
    def least(n: int = n, **more: object) -> float:
        found = minimum_detectable_effect(n, rate, worse=worse, **{"correlation": alike, **more})  # type: ignore[arg-type]
        return math.inf if found is None else found

    base = least() * (1 + 1e-9)
    assert least(n * 2) <= base
    assert least(correlation=min(1, alike + 0.1)) <= base
    assert least(repeats=repeats) <= base
    assert least(power=0.6) <= base
    assert least(level=0.1) <= base
    assert least(repeats=repeats, repeat_correlation=1) == pytest.approx(least())


@given(st.integers(100, 2000), st.floats(0.1, 0.9), st.booleans())
def test_unrelated_outcomes_are_as_good_as_separate_tasks(n: int, rate: float, worse: bool) -> None:
    same = minimum_detectable_effect(n, rate, correlation=0, worse=worse)
    separate = minimum_detectable_effect(n, rate, paired=False, worse=worse)
    if same is not None and separate is not None:
        assert same == pytest.approx(separate, rel=0.15)


def test_repeats_as_in_millers_formula() -> None:
    """(z + z)^2 (w^2 + s^2/K + s^2/K) / effect^2, for so small an effect that both variances are the same."""
    between, within, effect = 1 / 9, 1 / 6, 0.001
    z = 1.959964 + 0.841621
    for repeats in (1, 2, 10):
        wanted = z**2 * (between + 2 * within / repeats) / effect**2
        # Uniform chances of a pass: variance 1/12 between tasks, and 1/6 within; of a quarter in all.
        found = sample_size(effect, 0.5, correlation=1 / 9, repeats=repeats, repeat_correlation=1 / 3)
        assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(("n", "effect", "discordant", "level"), [(30, 0.2, 0.4, 0.05), (55, 0.1, 0.2, 0.1)])
def test_exact_power_by_going_through_all_tables(n: int, effect: float, discordant: float, level: float) -> None:
    gain, loss = (discordant + effect) / 2, (discordant - effect) / 2
    chance = sum(
        binom.pmf(won, n, gain) * binom.pmf(lost, n - won, loss / (1 - gain))
        for won in range(n + 1)
        for lost in range(n + 1 - won)
        if won != lost and abs(won - lost) / math.sqrt(won + lost) > norm.isf(level / 2) * math.sqrt(n / (n - 1))
    )
    assert paired_power(n, effect, discordant, level=level) == pytest.approx(chance, rel=1e-9)
    assert paired_power(n, -effect, discordant, level=level) == pytest.approx(chance, rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 800), st.floats(0.02, 1), st.floats(0, 1), levels)
def test_exact_power_is_a_chance_and_keeps_the_level(n: int, discordant: float, part: float, level: float) -> None:
    found = paired_power(n, part * discordant, discordant, level=level)
    assert 0 <= found <= 1 + 1e-12
    # The score test may exceed its level by a little where few tasks differ.
    assert paired_power(n, 0, discordant, level=level) <= found + 1e-12


def test_the_approximation_is_near_the_truth() -> None:
    for effect, discordant in ((0.05, 0.2), (0.1, 0.3), (0.03, 0.1)):
        n = sample_size(effect, 0.6, discordant=discordant)
        assert n is not None
        assert 0.76 < paired_power(n, effect, discordant) < 0.82
    assert paired_power(5, 0, 0) == 0
    # 0.9 - 0.6 is a little less than 0.3.
    assert paired_power(24, -0.3, 0.9 - 0.6) == pytest.approx(paired_power(24, 0.3, 0.3))


def test_a_simulated_trial_finds_as_often_as_planned() -> None:
    """Both agents' chances hang together by task; each tries it three times; mean differences are tested."""
    rate, effect, alike, repeated, repeats = 0.5, 0.1, 0.25, 0.5, 3
    n = sample_size(effect, rate, correlation=alike, repeats=repeats, repeat_correlation=repeated)
    assert n is not None
    random = np.random.default_rng(8)
    found = 0
    for _ in range(1500):
        # One draw decides a task for all tries of an agent in `repeated` of cases, else every try has its own;
        # so two tries of a task correlate by that. Where it does for both agents, some share the draw.
        fixed = random.random((2, n)) < repeated
        both = random.random(n) < alike / repeated**2
        first, second = random.random(n), random.random(n)
        second = np.where(both, first, second)
        tries = random.random((2, n, repeats))
        drawn = np.where(fixed[..., None], np.stack([first, second])[..., None], tries)
        passed = drawn < np.array([rate, rate + effect])[:, None, None]
        gap = passed[1].mean(axis=1) - passed[0].mean(axis=1)
        found += abs(gap.mean()) > 1.959964 * gap.std(ddof=1) / math.sqrt(n)
    assert found / 1500 == pytest.approx(0.8, abs=0.05)


def test_discordant_share() -> None:
    assert discordant_share(0.7) == pytest.approx(0.42)
    assert discordant_share(0.7, correlation=0.5) == pytest.approx(0.21)
    assert discordant_share(0.7, correlation=1) == 0
    assert discordant_share(0.7, 0.1, correlation=1) == pytest.approx(0.1)
    draw = Random(5)
    pairs = [(draw.random() < 0.7, draw.random() < 0.8) for _ in range(100_000)]
    assert sum(a != b for a, b in pairs) / 100_000 == pytest.approx(discordant_share(0.7, 0.1), abs=0.006)


def test_what_cannot_be() -> None:
    assert sample_size(0.2, 0.9, paired=False) is None
    assert sample_size(-0.2, 0.1, correlation=0.5) is None
    # Fewer tasks differ than the effect says, or more than the rates allow.
    assert sample_size(0.2, 0.5, discordant=0.1) is None
    assert sample_size(0.02, 0.05, discordant=0.5) is None
    assert power_of(10, 0.2, 0.9, paired=False) is None
    assert minimum_detectable_effect(4, 0.9, paired=False) is None
    assert minimum_detectable_effect(100, 1.0, paired=False) is None
    assert minimum_detectable_effect(20, 0.5, discordant=0.1) is None
    # The smallest effect at which so many tasks can differ.
    assert minimum_detectable_effect(100_000, 0.1, discordant=0.4) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "and only one"),
        ({"discordant": 0.2, "correlation": 0.2}, "and only one"),
        ({"discordant": 1.2}, "discordant must be"),
        ({"correlation": -0.2}, "correlation must be"),
        ({"correlation": 0.2, "level": 0.0}, "level must be"),
        ({"correlation": 0.2, "power": 0.05}, "power must be"),
        ({"correlation": 0.2, "repeats": 0}, "repeats must be"),
        ({"correlation": 0.2, "repeat_correlation": 2.0}, "repeat_correlation must be"),
    ],
)
def test_refuses(more: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sample_size(0.1, 0.5, **more)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        minimum_detectable_effect(100, 0.5, **more)  # type: ignore[arg-type]


def test_refuses_numbers_out_of_range() -> None:
    with pytest.raises(ValueError, match="effect of 0"):
        sample_size(0, 0.5, correlation=0)
    with pytest.raises(ValueError, match="n must be"):
        minimum_detectable_effect(0, 0.5, correlation=0)
    with pytest.raises(ValueError, match="rate must be"):
        half_width(10, math.nan)
    with pytest.raises(ValueError, match="half width must be"):
        sample_size_for_half_width(0, 0.5)
    with pytest.raises(ValueError, match="confidence must be"):
        half_width(10, 0.5, confidence=1)
    with pytest.raises(ValueError, match="repeats must be"):
        half_width(10, 0.5, repeats=0)
    with pytest.raises(ValueError, match="repeat_correlation must be"):
        half_width(10, 0.5, repeats=2, repeat_correlation=-1)
    with pytest.raises(ValueError, match="discordant must be"):
        paired_power(10, 0.3, 0.2)
    with pytest.raises(ValueError, match="level must be"):
        paired_power(10, 0.1, 0.2, level=1)
