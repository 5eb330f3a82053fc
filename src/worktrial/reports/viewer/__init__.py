"""The viewer behind the numbers: the samples of a run, and everything one of them did."""

from worktrial.reports.viewer.write import write_viewer

__all__ = ["write_viewer"]
