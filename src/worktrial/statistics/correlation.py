"""Correlation of two figures over independent units."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh
from statistics import NormalDist, fmean
from typing import Any

from worktrial.statistics.jackknife import Sums, difference_intervals, quotient
from worktrial.statistics.rates import Interval

FEWEST_DRAWN = 10
"""Units from which an interval of a correlation of any distribution is worth showing."""
FEWEST = 4
"""Units below which Fisher's interval does not exist."""
_PERFECT = 1 - 1e-12
"""Correlation from which neither interval has a width, so that neither says how sure it is."""
_NO_VARIATION = 1e-12
"""Mean square about the mean below which only rounding varies."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's correlation of two figures over independent units."""

    value: float | None
    """Value from -1 to 1; None where one of the two is the same everywhere, or there are fewer than two units."""
    interval: Interval | None
    n: int


def drawn_correlation(x: Sequence[float], y: Sequence[float], *, confidence: float = 0.95) -> Correlation:
    """Pearson's correlation with the jackknife's interval over units, for figures of any distribution.

    The estimand is the correlation over the units that these were drawn from. The units must be independent: what
    belongs together, such as the repeats of a scenario, is averaged into one first. Chance within a unit makes the
    correlation smaller than that of the true values.

    Args:
        x: One figure of each unit.
        y: The other, in the same order.
        confidence: Level of the interval, 0-1; there is none for fewer than ten units, or where the correlation is
            perfect.

    Raises:
        ValueError: the two differ in length.
    """
    units = _units(x, y)
    value = _pearson(_added(units)) if len(units) > 1 else float("nan")
    if value != value:
        return Correlation(None, None, len(units))
    if len(units) < FEWEST_DRAWN or abs(value) > _PERFECT:
        return Correlation(value, None, len(units))
    drawn = difference_intervals(units, lambda sums: {"r": _pearson(sums)}, confidence=confidence)
    return Correlation(value, drawn.get("r"), len(units))


def fisher_correlation(x: Sequence[float], y: Sequence[float], *, confidence: float = 0.95) -> Correlation:
    """Pearson's correlation with the interval of Fisher's transformation, for a handful of units.

    The interval is tanh(atanh r ± z / √(n - 3)) (R. A. Fisher, *On the "probable error" of a coefficient of
    correlation deduced from a small sample*, Metron 1, 1921). It takes the figures for jointly normal.

    Args:
        x: One figure of each unit.
        y: The other, in the same order.
        confidence: Level of the interval, 0-1; there is none for fewer than four units, or where the correlation is
            perfect.

    Raises:
        ValueError: the two differ in length.
    """
    units = _units(x, y)
    value = _pearson(_added(units)) if len(units) > 1 else float("nan")
    if value != value:
        return Correlation(None, None, len(units))
    if len(units) < FEWEST or abs(value) > _PERFECT:
        return Correlation(value, None, len(units))
    half = NormalDist().inv_cdf((1 + confidence) / 2) / sqrt(len(units) - 3)
    centre = atanh(value)
    return Correlation(value, Interval(tanh(centre - half), tanh(centre + half)), len(units))


def _units(x: Sequence[float], y: Sequence[float]) -> list[dict[str, float]]:
    """Sums of each unit from which the correlation follows, about the means so that no digits cancel."""
    if len(x) != len(y):
        raise ValueError(f"both must be of the same units; got {len(x)} and {len(y)}")
    if not x:
        return []
    about_x, about_y = fmean(x), fmean(y)
    centred = [(a - about_x, b - about_y) for a, b in zip(x, y, strict=True)]
    return [{"n": 1.0, "x": a, "y": b, "xx": a * a, "yy": b * b, "xy": a * b} for a, b in centred]


def _added(units: Sequence[Sums]) -> dict[str, float]:
    return {key: sum(unit[key] for unit in units) for key in units[0]}


def _pearson(sums: Sums) -> Any:
    """The correlation from added sums: a number, or an array by the unit left out; NaN without variation."""
    n = sums["n"]
    x, y = sums["x"] / n, sums["y"] / n
    across_x, across_y = sums["xx"] / n - x * x, sums["yy"] / n - y * y
    both = across_x * across_y
    varies = (across_x > _NO_VARIATION) & (across_y > _NO_VARIATION)
    found = quotient(sums["xy"] / n - x * y, (both * varies) ** 0.5)
    return min(1.0, max(-1.0, found)) if isinstance(found, float) and found == found else found
