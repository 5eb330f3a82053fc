"""What makes text of models, endpoints and data files safe to print."""

from worktrial.language.untrusted import printable, printable_json

__all__ = ["printable", "printable_json"]
