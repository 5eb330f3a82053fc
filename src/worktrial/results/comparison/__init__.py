"""Two runs of the same trial compared: what changed, for which tasks, and whether that can be chance."""

from worktrial.results.comparison.outcomes import ConditionComparison, Flip, PairedTable
from worktrial.results.comparison.runs import Comparison, compare_runs

__all__ = ["Comparison", "ConditionComparison", "Flip", "PairedTable", "compare_runs"]
