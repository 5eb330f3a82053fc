"""Suites of executable workplaces: tasks with plans, checked by code. Shared by every suite of that kind."""

from worktrial.suites.executable.suite import ExecutableOptions, ExecutableSuite

__all__ = ["ExecutableOptions", "ExecutableSuite"]
