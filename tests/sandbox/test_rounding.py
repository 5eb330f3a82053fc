"""Rounding as reports do it."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.sandbox.rounding import Number, both, half_even, half_up


@pytest.mark.parametrize(
    ("number", "digits", "up", "even"),
    [
        (2.5, 0, "3", "2"),
        (3.5, 0, "4", "4"),
        (-2.5, 0, "-3", "-2"),
        (2.675, 2, "2.68", "2.68"),
        ("2.665", 2, "2.67", "2.66"),
        (1250, -2, "1300", "1200"),
        ("1,234.5", 0, "1235", "1234"),
        (Decimal("0.125"), 2, "0.13", "0.12"),
        (Fraction(1, 8), 2, "0.13", "0.12"),
        (np.float64(2.5), 0, "3", "2"),
        (np.float32(2.675), 2, "2.68", "2.68"),
        (np.int64(45), -1, "50", "40"),
        (1e22, 1, "10000000000000000000000.0", "10000000000000000000000.0"),
    ],
)
def test_both_ways(number: Number, digits: int, up: str, even: str) -> None:
    rounded = both(number, digits)
    assert (str(rounded.half_up), str(rounded.half_even)) == (up, even)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "many", ""])
def test_what_is_no_number_is_refused(number: Number) -> None:
    with pytest.raises(ValueError, match=r"rounded|number"):
        half_up(number)


def test_truth_values_are_refused() -> None:
    with pytest.raises(TypeError):
        half_up(True)


@given(
    st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**9), max_value=10**9),
    st.integers(-3, 6),
)
def test_they_are_near_and_differ_only_at_halves(number: Decimal, digits: int) -> None:
    step = Decimal(1).scaleb(-digits)
    up, even = half_up(number, digits), half_even(number, digits)
    assert abs(up - number) <= step / 2 and abs(even - number) <= step / 2
    assert up == even or abs(up - number) == step / 2 == abs(even - number)
