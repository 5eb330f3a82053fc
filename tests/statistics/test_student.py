"""Student's distribution, held against scipy's."""

import subprocess
import sys
from math import exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from worktrial.statistics.student import student_quantile, student_tail

FREEDOM = st.floats(1, 12).map(lambda x: exp(x - 1))
"""From 1 to 60,000."""


@given(FREEDOM, st.floats(0, 40))
def test_tails_are_those_of_scipy(freedom: float, distance: float) -> None:
    assert student_tail(distance, freedom) == pytest.approx(stdtr(freedom, -distance), rel=1e-9, abs=1e-300)


@given(FREEDOM, st.floats(0.302, 16).map(lambda digits: 10**-digits))
def test_quantiles_are_those_of_scipy(freedom: float, tail: float) -> None:
    assert student_quantile(tail, freedom) == pytest.approx(-stdtrit(freedom, tail), rel=1e-8, abs=1e-9)


@given(st.floats(0.302, 16).map(lambda digits: 10**-digits))
def test_without_a_bound_on_the_degrees_it_is_the_normal_distribution(tail: float) -> None:
    assert student_quantile(tail, inf) == pytest.approx(-ndtri(tail), rel=1e-12, abs=1e-15)
    assert student_tail(student_quantile(tail, inf), inf) == pytest.approx(tail, rel=1e-9)


@pytest.mark.parametrize("freedom", [1.0, 2.5, 30.0, 1e4, inf])
def test_ends(freedom: float) -> None:
    assert student_tail(0.0, freedom) == 0.5
    assert student_tail(inf, freedom) == 0.0
    assert student_quantile(0.5, freedom) == 0.0
    assert student_tail(38.0, inf) == pytest.approx(float(ndtr(-38.0)), rel=1e-12)


def test_an_interval_loads_no_numerical_library() -> None:
    code = (
        "import sys\n"
        "from worktrial.statistics import TaskTries, difference, rate\n"
        "tasks = [TaskTries(str(i // 3), (float(i % 2),) * 2, (1.0, float(i % 5 > 1))) for i in range(30)]\n"
        "assert rate(tasks).interval.low < difference(tasks).interval.high\n"
        "sys.exit(f'{sorted(sys.modules)}' if {'scipy', 'numpy'} & sys.modules.keys() else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
