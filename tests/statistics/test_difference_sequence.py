"""Differences to a pinned baseline, looked at again and again."""

from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.statistics import (
    Estimand,
    TaskTries,
    critical_value,
    difference,
    difference_sequence,
    shown_drop,
)

outcomes = st.lists(st.booleans(), min_size=1, max_size=4).map(lambda own: tuple(map(float, own)))
rows = st.lists(st.dictionaries(st.sampled_from("abcdef"), outcomes, max_size=6), min_size=1, max_size=9)


def test_one_bound_holds_for_all_of_a_path() -> None:
    """Of Brownian paths over a doubling and a sixfold growth of information, as many leave as may, or fewer."""
    draw = np.random.default_rng(1)
    for growth, level in [(2.0, 0.05), (6.0, 0.05), (6.0, 0.2)]:
        times = np.exp(np.linspace(0, np.log(growth), 200))
        steps = np.diff(times, prepend=0.0)
        paths = np.cumsum(draw.standard_normal((20_000, len(times))) * np.sqrt(steps), axis=1) / np.sqrt(times)
        left = (np.abs(paths).max(axis=1) > critical_value(level, growth)).mean()
        assert level / 2 < left <= 1.05 * level


def test_bounds_widen_with_what_is_still_to_come() -> None:
    bounds = [critical_value(0.05, growth) for growth in (1.0, 1.2, 2.0, 6.0, 100.0)]
    assert bounds == sorted(bounds) and bounds[0] > 1.96
    assert critical_value(0.001, 2.0) > critical_value(0.05, 2.0)
    with pytest.raises(ValueError, match="growth at least 1"):
        critical_value(0.05, 0.5)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), outcomes, min_size=1, max_size=6), rows)
def test_stretches_end_at_the_last_look(
    baseline: dict[str, tuple[float, ...]], looks: list[dict[str, object]]
) -> None:
    found = difference_sequence(baseline, looks)  # type: ignore[arg-type]
    assert all(a.looks < b.looks for a, b in pairwise(found)) and all(s.looks <= len(looks) for s in found)
    assert all(s.found.interval.low <= s.found.value <= s.found.interval.high for s in found)
    # A plain interval of the same looks, right for one look only, is never the wider one.
    for stretch in found:
        taken: dict[str, list[float]] = {}
        for look in looks[len(looks) - stretch.looks :]:
            for task in look.keys() & baseline.keys():
                taken.setdefault(task, []).extend(look[task])  # type: ignore[call-overload]
        tries = [TaskTries(task, baseline[task], tuple(own)) for task, own in taken.items()]
        plain = difference(tries, Estimand.THESE)
        assert stretch.found.value == pytest.approx(plain.value)
        assert stretch.found.interval.high >= plain.interval.high - 1e-9
    tasks_alone = [{task: own for task, own in look.items() if task in baseline} for look in looks]
    assert difference_sequence(baseline, tasks_alone) == found  # type: ignore[arg-type]


def test_a_side_with_more_tries_counts_for_as_much_as_it_knows() -> None:
    """Variance 1/a + 1/b of a mean of pairs: 1 and 3 tries know as much as 1.5 pairs, 2 and 2 as much as 2.

    Of all pairs one less counts.
    """
    few = [TaskTries(str(n), (float(n % 2),), (1.0, 0.0, 0.0)) for n in range(40)]
    assert few[0].weight == 1.5
    assert difference(few, Estimand.THESE).effective == pytest.approx(60 - 1)
    same = [TaskTries("a", (1.0, 0.0), (0.0, 0.0))]
    assert same[0].weight == 2 and TaskTries("a", (1.0,) * 5).weight == 5


def test_a_drop_that_comes_late_is_seen_in_the_last_looks() -> None:
    random = Random(3)
    chances = {str(n): random.random() for n in range(100)}

    def look(part: float) -> dict[str, tuple[float, ...]]:
        return {task: (float(random.random() < part * chance),) for task, chance in chances.items()}

    baseline = {task: tuple(float(random.random() < chance) for _ in range(5)) for task, chance in chances.items()}
    good = [look(1.0) for _ in range(30)]
    assert shown_drop(difference_sequence(baseline, good), 0.0) is None
    bad = [look(0.5) for _ in range(5)]
    dropped = shown_drop(difference_sequence(baseline, good + bad), 0.05)
    assert dropped is not None and dropped.looks < 20
    assert shown_drop(difference_sequence(baseline, good + bad), 0.9) is None
    # Once it is over it fails nobody, though the mean of the last twenty looks is still low.
    mended = difference_sequence(baseline, [*good, *bad, *bad, *good[:8]])
    assert shown_drop(mended, 0.05) is None
    assert any(s.found.value < -0.05 and s.found.interval.high < 0 for s in mended)


def test_nothing_in_common_says_nothing() -> None:
    assert difference_sequence({"a": (1.0,)}, []) == []
    assert difference_sequence({"a": (1.0,)}, [{"b": (1.0,)}]) == []
    assert [s.looks for s in difference_sequence({"a": (1.0,)}, [{"b": (1.0,)}, {"a": (0.0,)}])] == [1]
    with pytest.raises(ValueError, match="confidence"):
        difference_sequence({"a": (1.0,)}, [], 1.0)


def test_the_order_of_a_looks_tasks_does_not_matter() -> None:
    baseline = {task: (0.1 * at, 0.3, 0.7) for at, task in enumerate("abcdefgh")}
    looks = [{task: (0.2, 0.1 * at) for at, task in enumerate("hagbfced")} for _ in range(3)]
    turned = [{task: look[task] for task in reversed(look)} for look in looks]
    assert difference_sequence(baseline, turned) == difference_sequence(baseline, looks)
