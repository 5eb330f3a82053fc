"""Corrections to the gold of the published scenarios: ours, opt-in, each with its reason."""

from worktrial.suites.orchestration.planning.corrections.apply import Corrected, correct
from worktrial.suites.orchestration.planning.corrections.correction import Correction
from worktrial.suites.orchestration.planning.corrections.overlay import corrections_for, overlay_bytes

__all__ = ["Corrected", "Correction", "correct", "corrections_for", "overlay_bytes"]
