"""Runs held against limits, so that a machine can stop a bad release."""

from worktrial.results.gate.criterion import Criterion
from worktrial.results.gate.judging import CostOf, Gate, judge_gate
from worktrial.results.gate.junit import junit_xml
from worktrial.results.gate.limits import Limits, option
from worktrial.results.gate.markdown import gate_markdown

__all__ = ["CostOf", "Criterion", "Gate", "Limits", "gate_markdown", "judge_gate", "junit_xml", "option"]
