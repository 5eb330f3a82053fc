"""From a number to what lies behind it: the samples of a run, and everything one of them did."""

from worktrial.reports.viewer.write import write_viewer

__all__ = ["write_viewer"]
