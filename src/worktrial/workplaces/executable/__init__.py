"""Workplaces that run: the artifact's tools as typed Python functions over a state object."""

from worktrial.workplaces.executable.declare import ToolError, cited, cites, reads, writes
from worktrial.workplaces.executable.workplace import ExecutableSession, ExecutableWorkplace

__all__ = ["ExecutableSession", "ExecutableWorkplace", "ToolError", "cited", "cites", "reads", "writes"]
