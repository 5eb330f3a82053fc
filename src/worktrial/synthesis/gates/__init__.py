"""Gates in code: whatever can be wrong with a workplace and its tasks and shows without a model."""

from worktrial.synthesis.gates.door import Door, Probe, Probed, ProbedCall
from worktrial.synthesis.gates.expectations import Expectation, read_expectations
from worktrial.synthesis.gates.names import EXPECTATIONS_FILE, MEANINGS, GateName
from worktrial.synthesis.gates.run import Gated, GateReport, task_gates, through_gates, workplace_gates
from worktrial.synthesis.gates.suite import gates_of, subjects
from worktrial.synthesis.gates.twins import Twin, twins

__all__ = [
    "EXPECTATIONS_FILE",
    "MEANINGS",
    "Door",
    "Expectation",
    "GateName",
    "GateReport",
    "Gated",
    "Probe",
    "Probed",
    "ProbedCall",
    "Twin",
    "gates_of",
    "read_expectations",
    "subjects",
    "task_gates",
    "through_gates",
    "twins",
    "workplace_gates",
]
