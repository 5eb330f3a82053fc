"""Rates and shares in cells of a table and in a line."""

from worktrial.statistics import Interval, Rate, Repeats
from worktrial.terminal import share_cell

__all__ = ["rate_cells", "repeats_line", "share_cell"]


def rate_cells(rate: Rate) -> tuple[str, str]:
    """The share, and its 95 % interval."""
    interval = rate.interval()
    return "-" if rate.share is None else f"{rate.share:.1%}", f"{interval.low:.1%} - {interval.high:.1%}"


def repeats_line(repeats: Repeats) -> str:
    """Whether tasks pass every time, or at least once, in words."""
    k = repeats.k
    every = _with_interval(repeats.every_time, repeats.every_time_interval)
    once = _with_interval(repeats.at_least_one, repeats.at_least_one_interval)
    tasks = "1 task" if repeats.tasks == 1 else f"{repeats.tasks} tasks"
    line = f"of {k} tries all pass (pass^{k}): {every}; at least one passes (pass@{k}): {once}; over {tasks}"
    if repeats.too_few:
        line += f", {repeats.too_few} with fewer tries left out"
    return line


def _with_interval(share: float, interval: Interval) -> str:
    # Without a width it says that the tasks were alike, not that the figure is certain.
    if interval.low == interval.high:
        return f"{share:.1%}"
    return f"{share:.1%} (95 % interval {interval.low:.1%} - {interval.high:.1%})"
