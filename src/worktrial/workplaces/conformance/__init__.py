"""Whether whoever plays a workplace behaves like it: checks of single observations, without the truth at hand."""

from worktrial.workplaces.conformance.context import FAILURE_OF, Check, Failure, Finding, SeenCall, stored_calls
from worktrial.workplaces.conformance.report import CheckRate, Report, examine, failures, report

__all__ = [
    "FAILURE_OF",
    "Check",
    "CheckRate",
    "Failure",
    "Finding",
    "Report",
    "SeenCall",
    "examine",
    "failures",
    "report",
    "stored_calls",
]
