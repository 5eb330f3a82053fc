"""Workplaces that run: the artifact's tools as typed Python functions over a state object."""

from worktrial.workplaces.executable.atoms import Atom, Situation, atom, free_id, pointer
from worktrial.workplaces.executable.declare import ToolError, cited, cites, reads, writes
from worktrial.workplaces.executable.paging import page_of
from worktrial.workplaces.executable.workplace import ExecutableSession, ExecutableWorkplace

__all__ = [
    "Atom",
    "ExecutableSession",
    "ExecutableWorkplace",
    "Situation",
    "ToolError",
    "atom",
    "cited",
    "cites",
    "free_id",
    "page_of",
    "pointer",
    "reads",
    "writes",
]
