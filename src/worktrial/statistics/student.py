"""Tails and quantiles of Student's distribution.

Alone, since a summary needs nothing else of the library that has them too, and waits longer for that to load than
for all its figures.
"""

from math import erfc, exp, isinf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

_ROUNDING = 1e-15
_SMALL_STEP = 1e-5
"""A step of Halley's method behind which only its third power is missing."""
_MOST_STEPS = 10_000
"""Terms of a continued fraction, of which it takes about as many as the root of the degrees of freedom; and more
than Newton's method takes to any quantile that a float can hold."""


def student_tail(distance: float, freedom: float) -> float:
    """The chance of a value beyond `distance` on one side, in Student's distribution.

    Args:
        distance: At least 0.
        freedom: Degrees of freedom, at least 1, whole or not; infinite for the normal distribution.
    """
    if isinf(freedom) or isinf(distance):
        return erfc(distance / sqrt(2)) / 2
    square = distance * distance
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)) / 2


def student_quantile(tail: float, freedom: float) -> float:
    """The distance beyond which lies the share `tail` on one side.

    Args:
        tail: At least 1e-20, at most 0.5.
        freedom: Degrees of freedom, at least 1, whole or not; infinite for the normal distribution.
    """
    normal = -NormalDist().inv_cdf(tail)
    if isinf(freedom):
        return normal
    distance = _expanded(normal, freedom)
    # The tail is convex and longer than the normal one, so Newton's method comes up to the quantile from below.
    for _ in range(_MOST_STEPS):
        step = (student_tail(distance, freedom) - tail) / _density(distance, freedom)
        bend = step * (freedom + 1) * distance / (freedom + distance * distance) / 2
        is_near = abs(bend) < 0.25
        if is_near:
            # Halley's method, which is Newton's where the tail were a line.
            step /= 1 - bend
        distance += step
        if is_near and abs(step) <= _SMALL_STEP * (1 + distance):
            return distance
    raise ArithmeticError(f"no quantile of {tail} at {freedom} degrees of freedom")


def _expanded(normal: float, freedom: float) -> float:
    """A quantile near that of the normal distribution (M. Abramowitz and I. A. Stegun, 1964, 26.7.5)."""
    square = normal * normal
    if square >= freedom:
        return normal
    first = (square + 1) / 4
    second = ((5 * square + 16) * square + 3) / 96
    third = (((3 * square + 19) * square + 17) * square - 15) / 384
    return normal * (1 + (first + (second + third / freedom) / freedom) / freedom)


def _density(distance: float, freedom: float) -> float:
    half = freedom / 2
    scale = lgamma(half + 0.5) - lgamma(half) - log(freedom * pi) / 2
    return exp(scale - (half + 0.5) * log1p(distance * distance / freedom))


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function of `x`, with `rest` for 1 - x (DLMF 8.17.22, 8.17.4)."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, rest, x)
    # Of the two, the one near 1 has lost digits that the other still has.
    powers = a * (log1p(-rest) if rest < x else log(x)) + b * (log1p(-x) if x < rest else log(rest))
    return exp(lgamma(a + b) - lgamma(a) - lgamma(b) + powers) / a / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of DLMF 8.17.22, from the front (W. J. Lentz, Applied Optics 15, 1976)."""
    value, front, back = 1.0, 1.0, 0.0
    for n in range(1, _MOST_STEPS):
        m = n // 2
        if n % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        back = 1 / (1 + term * back)
        front = 1 + term / front
        value *= front * back
        if abs(front * back - 1) <= _ROUNDING:
            return value
    raise ArithmeticError(f"the fraction of {a}, {b}, {x} does not end")
