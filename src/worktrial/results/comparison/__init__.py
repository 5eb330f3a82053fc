"""Two runs of the same trial compared: what changed, for which tasks, and whether that can be chance."""

from worktrial.results.comparison.changes import Change, SuiteFigure
from worktrial.results.comparison.conditions import ConditionComparison, IndustryEffect
from worktrial.results.comparison.outcomes import Flip, PairedTable
from worktrial.results.comparison.runs import Comparison, compare_runs

__all__ = [
    "Change",
    "Comparison",
    "ConditionComparison",
    "Flip",
    "IndustryEffect",
    "PairedTable",
    "SuiteFigure",
    "compare_runs",
]
