"""Oddities of scenarios and cards that only show when files are held against each other."""

from worktrial.suites.orchestration.planning.lint.release import lint_release

__all__ = ["lint_release"]
