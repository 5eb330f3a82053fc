"""Shares with their intervals in the cells of a table."""

from typing import TYPE_CHECKING

from worktrial.statistics import Rate

if TYPE_CHECKING:
    from worktrial.results.documents.clusters import Share
    from worktrial.results.orchestration import Estimate


def rate_cells(rate: Rate) -> tuple[str, str]:
    """The share, and its 95 % interval."""
    interval = rate.interval()
    return "-" if rate.share is None else f"{rate.share:.1%}", f"{interval.low:.1%} - {interval.high:.1%}"


def share_cell(share: "Share | Estimate") -> str:
    """A share above its interval, in percent."""
    if share.value is None:
        return "-"
    if share.interval is None:
        return f"{share.value:.1%}"
    return f"{share.value:.1%}\n{share.interval.low:.1%} - {share.interval.high:.1%}"
