"""What an agent works in: the workplace artifact, its tools, and the sessions that play it."""

from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.session import Observation, Origin, Session, refusal
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.trajectory import StopReason, ToolCall, Trajectory

__all__ = [
    "Observation",
    "Origin",
    "Session",
    "StopReason",
    "Tool",
    "ToolCall",
    "Trajectory",
    "Workplace",
    "refusal",
]
