from dataclasses import replace

import numpy as np
import pytest

from worktrial.statistics import Estimate, Interval, TaskTries, difference, pooled

FAMILY = 1 - 0.05 / 10


def _group(lost: int, won: int, n: int) -> Estimate:
    kinds = [(1.0, 0.0)] * lost + [(0.0, 1.0)] * won + [(1.0, 1.0)] * (n - lost - won)
    return difference([TaskTries(str(at), (a,), (b,)) for at, (a, b) in enumerate(kinds)], confidence=FAMILY)


def test_groups_that_are_alike_help_each_other() -> None:
    alone = [_group(2, 3, 30) for _ in range(10)]
    together = pooled(alone, confidence=FAMILY)
    assert all(
        one.interval.half_width < 0.6 * own.interval.half_width for one, own in zip(together, alone, strict=True)
    )
    assert together[0].value == pytest.approx(np.mean([sum(one.interval) / 2 for one in alone]))


def test_groups_that_differ_keep_to_themselves() -> None:
    alone = [_group(20, 0, 30), *(_group(0, 20, 30) for _ in range(9))]
    for one, own in zip(pooled(alone, confidence=FAMILY), alone, strict=True):
        assert one.value == pytest.approx(sum(own.interval) / 2, abs=0.05)
        assert one.interval.half_width == pytest.approx(own.interval.half_width, rel=0.1)


def test_one_group_alone_stays_as_it_is() -> None:
    own = _group(2, 3, 30)
    assert pooled([own]) == [own]
    near = replace(own, value=1.0, interval=Interval(0.9, 1.0))
    assert all(one.interval.high <= 1 for one in pooled([near, near]))


@pytest.mark.parametrize("tasks", [10, 38])
def test_an_agent_that_is_worse_in_one_industry_is_hardly_ever_as_good_there(tasks: int) -> None:
    """Pooled by the best guess of how much industries differ, it would be in 16-43 % of such reports."""
    draw = np.random.default_rng(tasks)
    wrong, reports = 0, 60
    for _ in range(reports):
        alone = []
        for shift in (-0.06, *[0.08] * 9):
            first = draw.random(tasks) < 0.7
            second = draw.random(tasks) < 0.7 + shift
            pairs = zip(first, second, strict=True)
            tries = [TaskTries(str(n), (float(a),), (float(b),)) for n, (a, b) in enumerate(pairs)]
            alone.append(difference(tries, confidence=FAMILY))
        wrong += pooled(alone, confidence=FAMILY)[0].interval.low > -0.05
    assert wrong <= 0.05 * reports
