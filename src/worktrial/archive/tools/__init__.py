"""The tools offered to an agent that reads an archive; no harness is needed to use them."""

from worktrial.archive.tools.queries import Queries
from worktrial.archive.tools.source import ToolLimits
from worktrial.archive.tools.toolbox import ToolBox

__all__ = ["Queries", "ToolBox", "ToolLimits"]
