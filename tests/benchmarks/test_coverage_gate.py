"""The quick version of `benchmarks.coverage_gate`: 200 draws with a fixed seed."""

import pytest
from benchmarks.coverage import too_many
from benchmarks.coverage_gate import LEVEL, GateDesign, measured


@pytest.mark.parametrize(
    "design",
    [
        GateDesign(43, 1, 1, 0.6, 0.7),
        GateDesign(43, 5, 1, 0.6, 0.7),
        GateDesign(100, 5, 1, 0.6, 0.93),
    ],
)
def test_gates_keep_half_of_the_level(design: GateDesign) -> None:
    found = measured(design, draws=200, seed=5)
    assert not too_many(round(200 * found.once), 200, LEVEL / 2)
    assert not too_many(round(200 * found.sure), 200, LEVEL / 2)
