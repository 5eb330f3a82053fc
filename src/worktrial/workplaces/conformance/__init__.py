"""Whether whoever plays a workplace behaves like it: checks of single observations, without the truth at hand."""

from worktrial.workplaces.conformance.context import (
    FAILURE_OF,
    ConformanceCheck,
    ObservationCheck,
    SeenCall,
    SimulatorFailure,
    stored_calls,
)
from worktrial.workplaces.conformance.report import CheckRate, ConformanceReport, examine, failures, report
from worktrial.workplaces.conformance.watch import SimulatorFinding, SimulatorHealth, WatchedSession

__all__ = [
    "FAILURE_OF",
    "CheckRate",
    "ConformanceCheck",
    "ConformanceReport",
    "ObservationCheck",
    "SeenCall",
    "SimulatorFailure",
    "SimulatorFinding",
    "SimulatorHealth",
    "WatchedSession",
    "examine",
    "failures",
    "report",
    "stored_calls",
]
