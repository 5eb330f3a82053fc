"""What the numbers of a run can and cannot say."""

from worktrial.statistics.agreement import Agreement, agreement
from worktrial.statistics.intervals import Interval, wilson
from worktrial.statistics.rates import CompletionRate, Rate

__all__ = ["Agreement", "CompletionRate", "Interval", "Rate", "agreement", "wilson"]
