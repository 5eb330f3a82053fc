"""Numbers as a report writes them: the same everywhere, so that the eye can compare them."""

from math import isfinite

from worktrial.statistics import Interval

NONE = "–"
"""Sign for a figure that is not there."""


def known(value: float | None) -> float | None:
    """The value, or None where it is no number (NaN) or without bound."""
    return value if value is not None and isfinite(value) else None


def percent(share: float | None, digits: int = 1) -> str:
    """A share as a percentage: `62.3%`."""
    share = known(share)
    # Adding 0 makes a rounded -0.0 a plain zero.
    return NONE if share is None else f"{round(share * 100, digits) + 0:.{digits}f}%"


def percent_interval(interval: Interval | None) -> str:
    """An interval of shares: `51.0–72.4%`; "" without one."""
    if interval is None or known(interval.low) is None or known(interval.high) is None:
        return ""
    return f"{percent(interval.low)[:-1]}–{percent(interval.high)}"


def dollars(cost: float | None) -> str:
    """US dollars, with the digits that tell small amounts apart."""
    cost = known(cost)
    if cost is None:
        return NONE
    digits = 2 if cost == 0 or abs(cost) >= 1 else 4 if abs(cost) >= 0.001 else 6
    return f"{'-' if cost < 0 else ''}${abs(cost):,.{digits}f}"


def seconds(value: float | None) -> str:
    """A duration: `840 ms`, `3.2 s`, `4 min 10 s`."""
    value = known(value)
    if value is None:
        return NONE
    if abs(value) < 0.9995:
        return f"{value * 1000:.0f}\N{NO-BREAK SPACE}ms"
    if round(value, 1) < 60:
        return f"{value:.1f}\N{NO-BREAK SPACE}s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes}\N{NO-BREAK SPACE}min {rest}\N{NO-BREAK SPACE}s"


def number(value: float | None) -> str:
    """Any other number: four significant digits, whole ones in full."""
    value = known(value)
    if value is None:
        return NONE
    if value == int(value):
        return f"{int(value):,}" if abs(value) < 1e15 else f"{value:.3e}"
    return (
        f"{value:,.4g}"
        if 1e-4 <= abs(value) < 1e4
        else f"{value:,.0f}"
        if 1e4 <= abs(value) < 1e15
        else f"{value:.3e}"
    )
