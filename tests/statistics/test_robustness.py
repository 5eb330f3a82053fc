import random
from itertools import pairwise
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import WorktrialError
from worktrial.statistics import ZeroCleanRate, estimate_robustness, robustness

MODES = ("E0", "E1", "E2", "E3")
DRAWS = 500
task = st.integers(1, 3).flatmap(
    lambda n: st.fixed_dictionaries({mode: st.lists(st.booleans(), min_size=n, max_size=n) for mode in MODES})
)
tasks_with_a_clean_pass = st.lists(task, min_size=1, max_size=12).filter(lambda ts: any(any(t["E0"]) for t in ts))


def _drawn(n: int, seed: int, **chances: float) -> list[dict[str, list[bool]]]:
    """Tasks that are hard or easy in all conditions alike."""
    draw = random.Random(seed)
    hardness = [draw.random() for _ in range(n)]
    return [{mode: [h < p] for mode, p in chances.items()} for h in hardness]


def test_the_worst_condition_decides() -> None:
    assert robustness({"E0": 80.0, "E1": 76.0, "E2": 60.0, "E3": 64.0}) == 0.75
    # More than 1 is possible: luck, or faults that make an agent look twice.
    assert robustness({"E0": 0.5, "E1": 0.6, "E2": 0.75, "E3": 0.75}) == pytest.approx(1.2)


def test_without_a_clean_pass_there_is_no_value() -> None:
    with pytest.raises(ZeroCleanRate, match="nothing passed without faults"):
        robustness({"E0": 0.0, "E1": 0.1, "E2": 0.0, "E3": 0.0})
    with pytest.raises(ZeroCleanRate):
        estimate_robustness([{mode: [mode != "E0"] for mode in MODES}])
    assert issubclass(ZeroCleanRate, WorktrialError)


def test_a_missing_condition_is_no_zero() -> None:
    with pytest.raises(KeyError, match="E3"):
        robustness({"E0": 0.5, "E1": 0.5, "E2": 0.5})


@given(tasks_with_a_clean_pass)
def test_the_value_is_the_formula_on_the_rates(tasks: list[dict[str, list[bool]]]) -> None:
    rates = {mode: mean(passed for t in tasks for passed in t[mode]) for mode in MODES}
    found = estimate_robustness(tasks)
    assert found.value == pytest.approx(robustness(rates))
    assert rates[found.worst] == min(rates[mode] for mode in MODES[1:])
    assert 0 <= found.interval.low <= found.interval.high
    assert found.tasks == found.clusters == len(tasks)


@given(tasks_with_a_clean_pass, st.randoms())
def test_the_order_of_tasks_changes_nothing(tasks: list[dict[str, list[bool]]], shuffle: random.Random) -> None:
    shuffled = list(tasks)
    shuffle.shuffle(shuffled)
    there, back = estimate_robustness(shuffled), estimate_robustness(tasks)
    assert (there.value, there.worst, there.tasks) == (pytest.approx(back.value), back.worst, back.tasks)
    assert there.interval == pytest.approx(back.interval)


def test_more_confidence_is_wider() -> None:
    tasks = _drawn(100, 1, E0=0.8, E1=0.7, E2=0.6, E3=0.6)
    widths = [estimate_robustness(tasks, confidence=c).interval.half_width for c in (0.5, 0.8, 0.95, 0.99)]
    assert all(narrow < wide for narrow, wide in pairwise(widths))


def test_only_tasks_and_repeats_of_all_conditions_count() -> None:
    whole = {"E0": [True, True], "E1": [True, False], "E2": [True, True], "E3": [False, False]}
    assert estimate_robustness([whole]).value == 0
    ragged = {**whole, "E3": [True]}
    without = {"E0": [True], "E1": [False], "E2": [False]}
    found = estimate_robustness([ragged, without, {**whole, "E2": []}])
    assert (found.value, found.tasks) == (1.0, 1)
    with pytest.raises(ValueError, match="no task has an outcome in each"):
        estimate_robustness([without])


def test_near_a_bootstrap_where_one_condition_is_clearly_the_worst() -> None:
    tasks = _drawn(150, 2, E0=0.7, E1=0.66, E2=0.4, E3=0.62)
    table = np.array([[t[mode][0] for mode in MODES] for t in tasks])
    resampled = table[np.random.default_rng(0).integers(0, 150, (4000, 150))].mean(axis=1)
    low, high = np.quantile(resampled[:, 1:].min(axis=1) / resampled[:, 0], [0.025, 0.975])
    found = estimate_robustness(tasks).interval
    assert found.low == pytest.approx(low, abs=0.02)
    # The upper end holds for three conditions together.
    assert high - 0.01 <= found.high <= high + 0.06


def test_pairing_by_task_narrows_the_interval() -> None:
    paired = _drawn(200, 3, E0=0.8, E1=0.7, E2=0.7, E3=0.6)
    columns = {mode: [t[mode] for t in paired] for mode in MODES}
    for n, column in enumerate(columns.values()):
        random.Random(n).shuffle(column)
    apart = [{mode: columns[mode][i] for mode in MODES} for i in range(200)]
    together, loose = estimate_robustness(paired), estimate_robustness(apart)
    assert together.value == loose.value
    assert together.interval.half_width < 0.8 * loose.interval.half_width


@pytest.mark.parametrize("faulted", [(0.75, 0.5, 0.7), (0.5, 0.5, 0.5), (0.8, 0.8, 0.8)])
def test_the_interval_covers_the_truth_where_conditions_tie_as_well(faulted: tuple[float, float, float]) -> None:
    e1, e2, e3 = faulted
    truth, covered = min(faulted) / 0.8, 0
    for seed in range(DRAWS):
        draw = random.Random(seed)
        tasks = [
            {mode: [draw.random() < p] for mode, p in zip(MODES, (0.8, e1, e2, e3), strict=True)} for _ in range(43)
        ]
        low, high = estimate_robustness(tasks).interval
        covered += low <= truth <= high
    assert covered / DRAWS >= 0.93


def test_three_tasks_do_not_show_that_nothing_is_lost() -> None:
    found = estimate_robustness([{mode: [True] for mode in MODES}] * 3)
    assert found.value == 1
    assert found.interval.low < 0.6 and found.interval.high > 1


def test_tasks_of_one_scenario_are_not_so_many_tasks() -> None:
    tasks = [one for one in _drawn(20, 5, E0=0.9, E1=0.7, E2=0.6, E3=0.7) for _ in range(5)]
    alone = estimate_robustness(tasks)
    together = estimate_robustness(tasks, clusters=[n // 5 for n in range(100)])
    assert alone.value == together.value and (alone.clusters, together.clusters) == (100, 20)
    assert together.interval.half_width > 1.4 * alone.interval.half_width


@pytest.mark.parametrize("wrong", [{"confidence": 0.0}, {"confidence": 1.0}, {"clusters": ["a", "b"]}])
def test_refuses(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be"):
        estimate_robustness([{mode: [True] for mode in MODES}], **wrong)
