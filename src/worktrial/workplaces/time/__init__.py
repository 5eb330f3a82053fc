"""Simulated time: a clock in minutes, and events that fall due in order."""

from worktrial.workplaces.time.timeline import Event, Timeline
from worktrial.workplaces.time.wall import WallClock

__all__ = ["Event", "Timeline", "WallClock"]
