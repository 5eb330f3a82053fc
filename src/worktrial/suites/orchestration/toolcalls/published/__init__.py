"""Call or refuse, names, keys and values as the published program scores them, step by step."""

from worktrial.suites.orchestration.toolcalls.published.f1 import Counts
from worktrial.suites.orchestration.toolcalls.published.step import Cell, StepScore, score_step
from worktrial.suites.orchestration.toolcalls.published.values import KeyResult, OpenKey, ValueScore

__all__ = ["Cell", "Counts", "KeyResult", "OpenKey", "StepScore", "ValueScore", "score_step"]
