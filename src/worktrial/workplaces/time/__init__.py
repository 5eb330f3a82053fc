"""Simulated time: a clock in minutes, and events that fall due in order."""

from worktrial.workplaces.time.timeline import Event, Timeline

__all__ = ["Event", "Timeline"]
