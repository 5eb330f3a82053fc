"""Messages between a build, its workers, and whoever watches it work."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from worktrial.archive.build.plan import Versions
from worktrial.archive.producers import DocumentSource
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import PartCounts


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """Ask a worker how many pages a document has."""

    source: DocumentSource


@dataclass(frozen=True, slots=True)
class ReadPage:
    """Read one page."""

    source: DocumentSource
    number: int


@dataclass(frozen=True, slots=True)
class WriteSlice:
    """Work out the meaning of some pages and write them."""

    record: DocumentRecord
    pages_from: Path
    """A staging file, or the folder of a part whose pages are good and whose meanings are not."""
    first: int
    last: int
    into: Path


@dataclass(frozen=True, slots=True)
class JoinSlices:
    """Make a document's part of its slices."""

    record: DocumentRecord
    pages_from: Path
    slices: tuple[Path, ...]
    counts: PartCounts
    into: Path
    versions: Versions


Task = OpenDocument | ReadPage | WriteSlice | JoinSlices


@dataclass(frozen=True, slots=True)
class DocumentSize:
    """A document's size."""

    pages: int
    trouble: str | None


@dataclass(frozen=True, slots=True)
class PageBytes:
    """A page, encoded."""

    content: bytes
    failed: str | None
    """Why it is a failed page, if it is one."""
    seconds: float


@dataclass(frozen=True, slots=True)
class SliceEnd:
    """A slice is written."""

    counts: PartCounts


@dataclass(frozen=True, slots=True)
class PartEnd:
    """A finished document."""

    record: DocumentRecord


@dataclass(frozen=True, slots=True)
class TaskRefusal:
    """The task cannot be done; the worker is well."""

    why: str


@dataclass(frozen=True, slots=True)
class TaskLoss:
    """The task took its worker with it, or had to be stopped."""

    why: str


Answer = DocumentSize | PageBytes | SliceEnd | PartEnd | TaskRefusal | TaskLoss


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """The work that lies ahead of a build."""

    documents: int
    """All that were named."""
    kept: int
    """Number of them that are stored already, unchanged."""


@dataclass(frozen=True, slots=True)
class DocumentStart:
    """A document is being read."""

    document: str
    pages: int
    kept: int
    """Pages that an earlier, interrupted build has read."""


@dataclass(frozen=True, slots=True)
class PageEnd:
    """A page was read, or given up."""

    document: str
    page: int
    seconds: float
    trouble: str | None
    """Why the page is not in the archive; None when it is."""


@dataclass(frozen=True, slots=True)
class DocumentEnd:
    """A document is in the archive, or could not be read: then its `trouble` says why."""

    record: DocumentRecord


@dataclass(frozen=True, slots=True)
class FinalStep:
    """All documents are read; what is left is said in `what`."""

    what: str


Event = BuildPlan | DocumentStart | PageEnd | DocumentEnd | FinalStep

Progress = Callable[[Event], None]
