"""Workplaces that agents work in: the artifact, its tools, and the sessions that play it."""

from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.clock import DEFAULT_CLOCK, Clock, ClockSource, derive_clock, trial_clock
from worktrial.workplaces.loading import Workplaces, load_workplace, load_workplaces
from worktrial.workplaces.session import Observation, Origin, Session, refusal
from worktrial.workplaces.simulator import LanguageSimulator, LedgerEntry, LedgerSession, Memory, PromptStyle
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.trajectory import ContextUse, StopReason, ToolCall, Trajectory, ending

__all__ = [
    "DEFAULT_CLOCK",
    "Clock",
    "ClockSource",
    "ContextUse",
    "LanguageSimulator",
    "LedgerEntry",
    "LedgerSession",
    "Memory",
    "Observation",
    "Origin",
    "PromptStyle",
    "Session",
    "StopReason",
    "Tool",
    "ToolCall",
    "Trajectory",
    "Workplace",
    "Workplaces",
    "derive_clock",
    "ending",
    "load_workplace",
    "load_workplaces",
    "refusal",
    "trial_clock",
]
