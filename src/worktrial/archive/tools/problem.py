"""What a tool answers when a call cannot be carried out."""

from collections.abc import Iterable
from difflib import get_close_matches

from worktrial.language import JsonObject

_MOST_COMPARED = 5000


class ToolProblem(Exception):
    """A call that makes no sense, or asks for what is not there; the agent reads it and can do better.

    Args:
        kind: a word for programs, such as `unknown_document`.
        message: what is wrong and what to do instead, for the agent.
        field: the argument it is about.
    """

    def __init__(self, kind: str, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.field = field

    @property
    def observation(self) -> JsonObject:
        """As the agent sees it."""
        error: JsonObject = {"type": self.kind, "message": str(self)}
        if self.field is not None:
            error["field"] = self.field
        return {"error": error}


def nearest(name: str, known: Iterable[str]) -> str:
    """The names most like `name`, as the end of a message."""
    names = list(known)
    # Comparing is slow; in a large archive those of the same year or kind have a word in common.
    if len(names) > _MOST_COMPARED:
        words = [word for word in name.replace("-", "_").split("_") if len(word) > 2]
        names = [n for n in names if any(word in n for word in words)][:_MOST_COMPARED]
    close = get_close_matches(name, names, n=3, cutoff=0.5)
    return f"Did you mean {', '.join(close)}?" if close else "Use list_documents to see the names."
