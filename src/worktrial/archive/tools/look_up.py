"""Finding the document, page or table that a call is about."""

from collections.abc import Mapping

from worktrial.archive.tables import PageContent, Table
from worktrial.archive.tools.problem import ToolProblem, nearest
from worktrial.archive.tools.source import ArchiveSource, DocumentSource


class LookUp:
    """An archive's documents by name."""

    def __init__(self, archive: ArchiveSource) -> None:
        self._archive = archive
        self._by_name: Mapping[str, DocumentSource] = {d.name: d for d in archive.documents}

    def document(self, name: str) -> DocumentSource:
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

    def table(self, document: str, page: int, number: int) -> Table:
        """One table.

        Raises:
            ToolProblem: there is no such document, page or table.
        """
        tables = self.page(document, page).tables
        for table in tables:
            if table.number == number:
                return table
        has = f"it has {len(tables)}: {_named(tables)}" if tables else "no table was found on it; use read_page"
        message = f"Page {page} of {document} has no table {number}; {has}."
        raise ToolProblem("unknown_table", message, field="table")


def _named(tables: tuple[Table, ...]) -> str:
    return ", ".join(f"{t.number} ({t.title[:60]})" if t.title else str(t.number) for t in tables[:20])
