"""Runs that are larger than one process: shards put together again."""

from worktrial.scale.merge import Merged, merge

__all__ = ["Merged", "merge"]
