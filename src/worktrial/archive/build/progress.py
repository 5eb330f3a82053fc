"""What a build tells while it works."""

from collections.abc import Callable
from dataclasses import dataclass

from worktrial.archive.store.record import DocumentRecord


@dataclass(frozen=True, slots=True)
class Planned:
    """What there is to do."""

    documents: int
    """All that were named."""
    kept: int
    """Of them stored already, unchanged."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A document is being read."""

    document: str
    pages: int
    kept: int
    """Pages that an earlier, interrupted build has read."""


@dataclass(frozen=True, slots=True)
class PageDone:
    """A page was read, or given up."""

    document: str
    page: int
    seconds: float
    trouble: str | None
    """Why the page is not in the archive; None when it is."""


@dataclass(frozen=True, slots=True)
class DocumentDone:
    """A document is in the archive, or could not be read: then its `trouble` says why."""

    record: DocumentRecord


@dataclass(frozen=True, slots=True)
class Finishing:
    """All documents are read; what is left is said in `what`."""

    what: str


Event = Planned | Opened | PageDone | DocumentDone | Finishing
Progress = Callable[[Event], None]
