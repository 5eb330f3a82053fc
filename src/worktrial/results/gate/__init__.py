"""Runs held against limits, so that a machine can stop a bad release."""

from worktrial.results.gate.baselines import STORE, Pin, find_baseline, pin, pins, read_pin, unpin
from worktrial.results.gate.judging import CostOf, Gate, judge_gate
from worktrial.results.gate.limits import Criterion, GateLimits
from worktrial.results.gate.outputs import gate_markdown, junit_xml
from worktrial.results.gate.scanning import github_annotations, sarif

__all__ = [
    "STORE",
    "CostOf",
    "Criterion",
    "Gate",
    "GateLimits",
    "Pin",
    "find_baseline",
    "gate_markdown",
    "github_annotations",
    "judge_gate",
    "junit_xml",
    "pin",
    "pins",
    "read_pin",
    "sarif",
    "unpin",
]
