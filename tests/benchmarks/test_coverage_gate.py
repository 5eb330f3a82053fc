"""The quick version of `benchmarks.coverage_gate`: 200 rows of looks with a fixed seed."""

import numpy as np
import pytest
from benchmarks.coverage import too_many
from benchmarks.coverage_gate import DRIFT, LEVEL, GateDesign, alarm, drawn, measured

from worktrial.statistics import Estimand, TaskTries, difference


@pytest.mark.parametrize(
    ("design", "caught"),
    [
        (GateDesign(43, 1, 1, 0.6, 0.7), 14),
        (GateDesign(43, 5, 1, 0.6, 0.7), 8),
        (GateDesign(100, 5, 1, 0.6, 0.93), 4),
    ],
)
def test_fifty_looks_keep_the_level_and_see_a_drift(design: GateDesign, caught: int) -> None:
    found = measured(design, draws=200, seed=5)
    assert found.false <= LEVEL < 0.15 < found.nightly
    assert found.caught <= caught
    assert not too_many(round(200 * found.once), 200, LEVEL / 2)
    assert not too_many(round(200 * found.sure), 200, LEVEL / 2)


def test_a_drift_passes_where_the_last_run_is_the_baseline() -> None:
    """The same drift, each release held against the one before: hardly any look fails."""
    draw = np.random.default_rng(1)
    failed = looked = 0
    for _ in range(20):
        baseline, looks = drawn(draw, GateDesign(43, 1, 1, 0.6, 0.7), DRIFT)
        assert alarm(baseline, looks) is not None
        for before, after in zip([baseline, *looks[:14]], looks[:15], strict=True):
            tries = [TaskTries("a", (float(a),), (float(b),)) for (a,), (b,) in zip(before, after, strict=True)]
            failed += difference(tries, Estimand.THESE).interval.high < 0
            looked += 1
    assert failed / looked < 0.12
