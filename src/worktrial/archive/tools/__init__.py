"""The tools offered to an agent that reads an archive; no harness is needed to use them."""

from worktrial.archive.tools.queries import Queries
from worktrial.archive.tools.source import ArchiveSource, DocumentEntry, HitSource, ToolLimits
from worktrial.archive.tools.toolbox import ToolBox

__all__ = ["ArchiveSource", "DocumentEntry", "HitSource", "Queries", "ToolBox", "ToolLimits"]
