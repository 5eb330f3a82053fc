"""A completion rate in two cells of a table."""

from worktrial.statistics import Rate


def rate_cells(rate: Rate) -> tuple[str, str]:
    """The share, and its 95 % interval."""
    interval = rate.interval()
    return "-" if rate.share is None else f"{rate.share:.1%}", f"{interval.low:.1%} - {interval.high:.1%}"
