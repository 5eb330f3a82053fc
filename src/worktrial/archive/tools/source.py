"""Bounds of the tools, and words for a call that cannot be carried out."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from worktrial.archive.pages import PageContent, Table

if TYPE_CHECKING:
    from worktrial.archive.store.archive import Archive
    from worktrial.archive.store.record import DocumentRecord

JsonObject = dict[str, Any]
JsonValue = Any
_MOST_COMPARED = 5000


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """Bounds of observations and of queries."""

    characters: int = 20_000
    """Characters of one observation, pictures aside."""
    entries: int = 50
    """Most documents, hits or lines of one observation."""
    rows: int = 200
    """Most rows of one `sql` observation."""
    python_rows: int = 10_000
    """Most rows that `rows(sql)` hands to Python."""
    seconds: float = 20.0
    """Seconds for one `sql` or `grep`."""
    memory: int = 1 << 30
    """Bytes of address space that a query may use, beyond what its process takes to be there."""
    picture_side: int = 1600
    """Pixels of a picture's longer side."""
    picture_bytes: int = 2 << 20
    """Bytes of a picture's file."""


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
        """The refusal as the agent sees it."""
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


class LookUp:
    """An archive's documents by name."""

    def __init__(self, archive: "Archive") -> None:
        self._archive = archive
        self._by_name = {d.name: d for d in archive.documents}

    def document(self, name: str) -> "DocumentRecord":
        """A document that can be read.

        Raises:
            ToolProblem: there is none of that name, or it cannot be read.
        """
        found = self._by_name.get(name)
        if found is None:
            message = f"There is no document {name!r}. {nearest(name, self._by_name)}"
            raise ToolProblem("unknown_document", message, field="document")
        if not found.readable:
            message = f"{name} could not be read when the archive was built; nothing of it can be shown."
            raise ToolProblem("unreadable_document", message, field="document")
        return found

    def page(self, document: str, number: int) -> PageContent:
        """One page.

        Raises:
            ToolProblem: there is no such document or page.
        """
        pages = self.document(document).pages
        if not 1 <= number <= pages:
            message = f"{document} has no page {number}; its pages are 1 to {pages}."
            raise ToolProblem("unknown_page", message, field="page")
        return self._archive.page(document, number)


def table_of(page: PageContent, document: str, number: int) -> Table:
    """One table of a page.

    Raises:
        ToolProblem: there is no such table.
    """
    for table in page.tables:
        if table.number == number:
            return table
    having = (
        f"it has {len(page.tables)}: {_named(page.tables)}"
        if page.tables
        else "no table was found on it; use read_page"
    )
    message = f"Page {page.number} of {document} has no table {number}; {having}."
    raise ToolProblem("unknown_table", message, field="table")


def _named(tables: tuple[Table, ...]) -> str:
    return ", ".join(f"{t.number} ({t.title[:60]})" if t.title else str(t.number) for t in tables[:20])
