"""The user's documents: procedures, policies and interfaces, cut into passages that can be cited."""

from worktrial.synthesis.sources.load import load
from worktrial.synthesis.sources.store import Operation, Passage, SourceFile, Sources

__all__ = ["Operation", "Passage", "SourceFile", "Sources", "load"]
