"""Desks: executable workplaces with a clock, an inbox and people."""

from worktrial.workplaces.desk.session import DeskSession
from worktrial.workplaces.desk.state import Act, DeskState
from worktrial.workplaces.desk.workplace import DeskWorkplace

__all__ = ["Act", "DeskSession", "DeskState", "DeskWorkplace"]
